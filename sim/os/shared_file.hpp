// SPDX-License-Identifier: Apache-2.0
// SharedFile: a regular file that several processes change, one of them at a time.
//
// Threads: an object is one thread's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuvette::os {

class SharedFile {
 public:
  // Opens the file, which is made if there is none, and waits until no other process has it open in
  // this way.
  explicit SharedFile(const std::string& path);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  // False if it cannot be opened, or is no regular file.
  bool is_open() const { return descriptor_ >= 0; }
  uint64_t size() const { return size_; }
  // A number that another file of this name would not have.
  uint64_t identity() const { return identity_; }

  // Appends to `content` what the file has from `begin` on; false if that failed.
  bool read(uint64_t begin, std::string& content) const;
  // Replaces what the file has from `begin` on by `text`, in one write: a process that is killed
  // has written all of it or, very rarely, its beginning. If the disk is full, the file is as
  // before; false then.
  bool replace_end(uint64_t begin, std::string_view text);
  // Writes `text` over bytes that the file has.
  bool overwrite(uint64_t begin, std::string_view text);

 private:
  bool write_at(uint64_t begin, std::string_view text);

  int descriptor_ = -1;
  uint64_t size_ = 0, identity_ = 0;
};

}  // namespace cuvette::os
