// SPDX-License-Identifier: Apache-2.0
// NamedMemory: shared memory of this user that processes find by its name. It outlives them all.
//
// Anything may lie in it, and it may lose its pages while it is in use, since every program of the
// user can write to it. So it is read and written by calls of the system, which fail where an
// access through a mapping would end the process.
//
// Its bytes can be locked. The system takes a lock away when its holder dies, however that happens,
// and a lock means the same in all PID namespaces. A lock belongs to this object and to the views
// of it: it lasts as long as one of them does. Children of fork() have no view, so a lock whose
// object has ended is not theirs.
//
// Threads: an object is one thread's; views may be used by any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sim/os/mapped_view.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {

class NamedMemory {
 public:
  // Opens the memory of this name, and makes it at least `size` bytes large. `create`: if there is
  // none, it is created with rights for this user alone. Null if that failed; `trouble` then says
  // why, in a sentence; it stays empty if there is no such memory and none was to be created.
  static std::unique_ptr<NamedMemory> open(const std::string& name, size_t size, bool create,
                                           std::string& trouble);
  // Removes the name. Those who have the memory open keep it.
  static void remove(const std::string& name);
  // Returns the file that has this name, as a user would type it.
  static std::string path_of(const std::string& name);

  ~NamedMemory();
  NamedMemory(const NamedMemory&) = delete;
  NamedMemory& operator=(const NamedMemory&) = delete;

  // Read or write bytes. False if not all of them could be.
  bool read(uint64_t offset, void* to, size_t size) const;
  bool write(uint64_t offset, const void* from, size_t size) const;
  // Gives the bytes memory, so that accesses through a view find some. False if there is none left.
  bool reserve(uint64_t offset, size_t size) const;
  // Gives the whole pages of the range back; they read as zero afterwards.
  void discard(uint64_t offset, size_t size) const;

  // Lock byte `at`, and unlock it. False if someone else has it: this never waits.
  bool try_lock(uint64_t at) const;
  void unlock(uint64_t at) const;
  // Whether someone else has locked it.
  bool is_locked(uint64_t at) const;

  // Maps the first `size` bytes; children of fork() do not have the view. Null without addresses.
  std::unique_ptr<MappedView> map(size_t size) const;

  // Identifies the file, whatever its name.
  Segment::Identity identity() const;

 private:
  explicit NamedMemory(int fd) : fd_(fd) {}
  const int fd_;
};

}  // namespace cuvette::os
