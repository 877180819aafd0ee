// SPDX-License-Identifier: Apache-2.0
// SharedBlock: a little memory that several processes write, with a seat for each of them. A
// process that holds a seat is alive.
//
// A seat is a lock on a byte of the file, which the kernel takes away when the process ends,
// however it ends. It needs no right to look at the other process, and a process identifier that is
// used again does not mislead it. Such locks also go when the process closes any descriptor of the
// same file, so a process has at most one block of a file.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/base/error.hpp"
#include "sim/os/mapped_view.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {

class SharedBlock {
 public:
  // Creates a block of `size` bytes, all zero. Errors: out_of_memory, operating_system.
  static Result<std::unique_ptr<SharedBlock>> create(const char* name, size_t size);
  // Opens what create() made in another process. Takes `fd` over in any case. Errors: unknown if it
  // is not such a file of that size, out_of_memory.
  static Result<std::unique_ptr<SharedBlock>> adopt(int fd, size_t size);
  // Maps all of a segment that was created elsewhere. Errors: out_of_memory.
  static Result<std::unique_ptr<SharedBlock>> map(Ref<Segment> segment);
  ~SharedBlock();

  // Other processes may read and write it at any time. Children of fork() do not have it.
  void* data() const { return view_.data(); }
  // For os::FdExchange.
  int fd() const { return segment_->fd(); }
  const Segment& segment() const { return *segment_; }

  // Takes a seat for this process, for as long as the block lives. Errors: operating_system.
  Result<> take_seat(uint32_t seat);
  // Whether another process holds it.
  bool taken_elsewhere(uint32_t seat) const;

 private:
  SharedBlock(Ref<Segment> segment, MappedView view);

  const Ref<Segment> segment_;
  const MappedView view_;
};

}  // namespace cuvette::os
