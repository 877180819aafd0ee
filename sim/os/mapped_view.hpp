// SPDX-License-Identifier: Apache-2.0
// MappedView: bytes of a file or of shared memory, mapped wherever the system has room. A
// Reservation maps what belongs at a fixed address.
//
// Threads: a view may be used by any; making and ending it is for one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "sim/base/error.hpp"

namespace boost::interprocess {
class mapped_region;
}

namespace cuvette::os {

class MappedView {
 public:
  enum class Access { read, write };

  // Maps the first `size` bytes, at least one, of the file that `fd` is open on. Others who map the
  // file see what is written. Errors: out_of_memory.
  static Result<MappedView> map(int fd, size_t size, Access access);
  // Maps all of a file for reading; nothing if it cannot be opened, is empty or is not a regular
  // file. A page that the file loses while it is mapped raises SIGBUS, so this is for files that
  // are replaced rather than changed, as programs and libraries are.
  static std::optional<MappedView> of_file(const char* path);

  MappedView(MappedView&&) noexcept;
  MappedView& operator=(MappedView&&) noexcept;
  ~MappedView();

  void* data() const;
  size_t size() const;

 private:
  explicit MappedView(std::unique_ptr<boost::interprocess::mapped_region> region);

  std::unique_ptr<boost::interprocess::mapped_region> region_;
};

}  // namespace cuvette::os
