// SPDX-License-Identifier: Apache-2.0
// Segment: physical memory, as a shared-memory file that this process holds open.
//
// Threads: any. Invariants: the fd is CLOEXEC; size() is the file's size when it was created or
// adopted; another process may shrink it unless shrink_sealed().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"

namespace cuvette::os {

class Segment final : public Counted {
 public:
  // Creates a memfd of `size` bytes, none of them backed yet, sealed against changes of its size.
  // Errors: out_of_memory, operating_system.
  static Result<Ref<Segment>> create(const char* name, size_t size);

  // Takes `fd` over: on success the segment owns its own fd (a high number, CLOEXEC) and the
  // caller's number is closed; on failure the caller keeps it. The file must be a regular file that
  // can be mapped shared for reading and writing: a memfd, POSIX shared memory, a file in tmpfs.
  // Adds F_SEAL_SHRINK where the file allows it. Errors: unknown (what it is and why it is refused
  // goes to stderr), invalid_value if the file is smaller than `least` bytes.
  static Result<Ref<Segment>> adopt(int fd, size_t least);

  // Like adopt(), but the caller keeps `fd` in any case.
  static Result<Ref<Segment>> share(int fd, size_t least);

  // Read or write bytes [offset, offset + size) of the file, without a mapping. False if not all of
  // them could be.
  bool read(uint64_t offset, void* to, size_t size) const;
  bool write(uint64_t offset, const void* from, size_t size);

  size_t size() const { return size_; }
  int fd() const { return fd_; }
  // Whether the file is sealed against becoming smaller, and against becoming larger.
  bool shrink_sealed() const { return sealed_.shrink; }
  bool grow_sealed() const { return sealed_.grow; }
  // Identifies the file; the same for every fd of one file.
  struct Identity {
    uint64_t device, inode;
    bool operator==(const Identity&) const = default;
  };
  Identity identity() const { return identity_; }

  // Gives the whole pages inside [offset, offset + size) back to the machine; they read as zero
  // afterwards.
  void discard(uint64_t offset, size_t size);
  // Returns a new descriptor for another process. is_lent() says whether any such descriptor of
  // these bytes, or what was duplicated or mapped from it, is still open anywhere: it carries a
  // lock, which ends with its last user, however that ends. Errors: operating_system.
  Result<int> lend(uint64_t offset, uint64_t size) const;
  bool is_lent(uint64_t offset, uint64_t size) const;
  // Returns the file's size now, which another process may have changed.
  size_t current_size() const;
  // Returns how many bytes of it have memory now, regardless of which process touched them.
  size_t resident() const;

 private:
  struct Sealed {
    bool shrink, grow;
  };
  Segment(int fd, size_t size, Sealed sealed, Identity identity)
      : fd_(fd), size_(size), sealed_(sealed), identity_(identity) {}
  ~Segment() override;

  int fd_;
  size_t size_;
  Sealed sealed_;
  Identity identity_;
};

// Returns what /proc says a descriptor is open on, which includes a memfd's name; empty if it is
// not open.
std::string name_of_fd(int fd);
// Programs rely on low numbers (a closed 0, select()), so descriptors that stay open are not below
// this.
inline constexpr int lowest_own_fd = 512;
// Identifies the file that `fd` is open on; inode 0 if it is not open.
Segment::Identity identity_of_fd(int fd);
// Returns a new CLOEXEC descriptor of what `fd` is open on. Errors: operating_system.
Result<int> duplicate_fd(int fd);
// Opens what `fd` is open on once more, for reading and writing: a descriptor that shares nothing
// with `fd` but the file. Errors: operating_system.
Result<int> reopen_fd(int fd);
// Whether the file that `fd` is open on is open, or mapped, anywhere besides `fd` and what was
// duplicated or mapped from it. `fd` comes from reopen_fd(). True if the system does not say.
bool open_elsewhere(int fd);
// Closes a descriptor of the program, if it is open.
void close_fd(int fd);

}  // namespace cuvette::os
