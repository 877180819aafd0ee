// SPDX-License-Identifier: Apache-2.0
// MemoryAccesses: the accesses of the current block, and how they are tested before they take
// place, or reported to the watch.
//
// An access to a wrong address has to be reported by the thread that makes it, so each is tested
// (address.hpp says how). Two kinds of access are tested together: those of a block to the same
// base, a few bytes apart, at the first of them; and those of 32 lanes to an array by an index, by
// the least and the largest index, on the straight way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/ptx/emit/address.hpp"
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

// An access to base + index * factor (strides.cpp).
struct Indexed {
  uint32_t base, index;  // registers
  int64_t factor;        // a power of two
  bool with_sign;        // the index has one
};

class MemoryAccesses {
 public:
  explicit MemoryAccesses(WarpBuilder& builder) : w(builder) {}

  WarpBuilder& w;

  // Tests an access of `bytes` (a power of two: also its alignment), and leaves the warp if it must
  // not be; reports it to the machine, or leaves tracks, as the request says. Afterwards the
  // address may be used. `access`: kind_of_access(), access_write and so on. `stored`: what a plain
  // store writes, for a watched kernel.
  void check(const Address& address, uint32_t bytes, uint32_t access,
             const std::vector<Value>& stored = {});

  // In a kernel that is counted: counts an access that has been tested.
  void count(const Address& address, uint32_t bytes, uint32_t access);

  // In a watched kernel: reports to the machine that the lanes reach an operation that orders
  // accesses; a number for each.
  void order(Ordering ordering, V* operands);

  // Where the request asks for it: reports to the machine that each lane accesses so many bytes, 32
  // bits each, a multiple of 16.
  void access_bulk(const Address& address, V* sizes, uint32_t access);

  // In a kernel that is followed, where the taint of a load is needed: reports that load, which
  // comes next, to the machine. Returns an i1: whether all of it was written; null: nothing was
  // reported.
  V* note_ahead(const Address& address, uint32_t bytes);

  // In a kernel that is followed: reports to the machine that so many bytes are written at each
  // lane's address, 32 bits for each.
  void written(const Address& address, V* bytes);

  // Finds what can be tested together in a block that comes next.
  void find_groups(BlockId block);
  void find_indexed(BlockId block);

  // The array that the current instruction accesses by an index, if it is on the straight way; or
  // null.
  const Indexed* indexed() const;
  bool has_indexed() const { return !indexed_.empty(); }
  void check_indexed(const Indexed& indexed, const Operand& place, uint32_t bytes,
                     uint32_t element_bytes, uint32_t access);
  // Instructions that compute nothing but addresses of indexed accesses: the straight way leaves
  // them out.
  bool puts_off(uint32_t instruction) const { return put_off_.contains(instruction); }
  const std::set<uint32_t>& put_off() const { return put_off_; }

  // Elements a few apart, tested by both ends: a lane's is picked from what lies between.
  V* load_strided(const Address& address, llvm::Type* type);

 private:
  void test(const Address& address, uint32_t bytes, uint32_t access);
  void watch(const Address& address, uint32_t bytes, uint32_t access,
             const std::vector<Value>& stored);
  // The description of an access for the machine, besides its addresses.
  struct Told {
    V *kind, *number, *lanes;
  };
  Told told(const Instruction& instruction, uint32_t how);
  V* note(const LineOfLanes& line, const Told& told);
  std::optional<uint32_t> load_behind() const;
  // `kind`: as for check().
  void leave_tracks(const Address& address, uint32_t bytes, uint32_t kind);
  void leave_tracks(const Indexed& indexed, const Operand& place, uint32_t bytes, uint32_t kind);
  void leave_tracks_at(V* addresses, uint32_t access);
  // Accesses that are tested together, at the first of them.
  struct Group {
    Space space = Space::generic;
    uint32_t bytes = 0;          // of each
    int64_t begin = 0, end = 0;  // counted from the base
    struct Access {
      uint32_t instruction;
      uint32_t access;  // as for check()
    };
    std::vector<Access> accesses;
  };
  void check_group(const Group& group);

  std::map<uint32_t, const Group*> groups_;  // by instruction
  std::vector<std::unique_ptr<Group>> group_storage_;
  std::map<uint32_t, Indexed> indexed_;  // by instruction
  std::set<uint32_t> put_off_;
  std::optional<std::pair<uint32_t, V*>> noted_;  // the load that note_ahead() reported; its Noted
};

}  // namespace cuvette::ptx
