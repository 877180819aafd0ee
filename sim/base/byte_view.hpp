// SPDX-License-Identifier: Apache-2.0
// ByteView: a part of memory that is never read outside its bounds.
//
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cuvette {

class ByteView {
 public:
  ByteView() = default;
  ByteView(const void* data, size_t size) : data_(static_cast<const char*>(data)), size_(size) {}

  const char* data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view text() const { return {data_, size_}; }

  bool has(uint64_t offset, uint64_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset;
  }
  // Returns `bytes` bytes at `offset`, or as many of them as there are.
  ByteView part(uint64_t offset, uint64_t bytes) const {
    if (offset > size_) return {};
    return {data_ + offset, static_cast<size_t>(bytes < size_ - offset ? bytes : size_ - offset)};
  }
  ByteView from(uint64_t offset) const { return part(offset, size_); }

  // Reads a number in the byte order of this machine; 0 if it is not all there.
  template <typename T>
  T at(uint64_t offset) const {
    T value{};
    if (has(offset, sizeof value)) std::memcpy(&value, data_ + offset, sizeof value);
    return value;
  }
  // Returns the text at `offset` up to its terminator; empty if it has no terminator.
  std::string_view string_at(uint64_t offset) const {
    if (offset >= size_) return {};
    const void* const end = std::memchr(data_ + offset, 0, size_ - offset);
    if (!end) return {};
    return {data_ + offset, static_cast<size_t>(static_cast<const char*>(end) - data_ - offset)};
  }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cuvette
