// SPDX-License-Identifier: Apache-2.0
// GrowingFile: a new file that is mapped once, for all that it may become, and grows as it is
// needed. What is written to it outlives the process, however that ends.
//
// Threads: one at a time grows it; any write to the bytes that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sim/base/error.hpp"
#include "sim/os/mapped_view.hpp"

namespace cuvette::os {

class GrowingFile {
 public:
  // Makes the file, which may have `most` bytes, and has `first` of them now. Errors:
  // already_exists if there is such a file; out_of_memory; operating_system if it cannot be made.
  static Result<std::unique_ptr<GrowingFile>> create(const std::string& path, size_t first,
                                                     size_t most);

  char* data() const { return static_cast<char*>(view_.data()); }
  size_t most() const { return view_.size(); }
  // Gives it `size` bytes, for which the disk has room; false if there is none. Bytes that it had
  // before stay.
  bool grow(size_t size);
  // Removes it from its folder; its memory stays.
  void remove() const;

 private:
  GrowingFile(std::string path, MappedView view, uint64_t device, uint64_t inode)
      : path_(std::move(path)), view_(std::move(view)), device_(device), inode_(inode) {}

  const std::string path_;
  const MappedView view_;
  const uint64_t device_, inode_;
};

}  // namespace cuvette::os
