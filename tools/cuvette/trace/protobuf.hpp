// SPDX-License-Identifier: Apache-2.0
// ProtobufMessage: a message in protobuf's wire format, field by field.
//
// Threads: for one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuvette::tools {

class ProtobufMessage {
 public:
  // A field of an integral type, an enumeration or bool.
  void add(uint32_t field, uint64_t value) {
    append_key(bytes_, field, 0);
    append_varint(bytes_, value);
  }
  void add_fixed64(uint32_t field, uint64_t value) {
    append_key(bytes_, field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
  }
  // A field of type string, bytes or another message's.
  void add(uint32_t field, std::string_view value) { append(bytes_, field, value); }
  void add(uint32_t field, const ProtobufMessage& message) {
    append(bytes_, field, message.bytes_);
  }
  // Fields that are in wire format already.
  void add_fields(std::string_view fields) { bytes_ += fields; }

  std::string_view bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

  // Appends a field to a message that is only its bytes, as a file is.
  static void append(std::string& bytes, uint32_t field, std::string_view value) {
    append_key(bytes, field, 2);
    append_varint(bytes, value.size());
    bytes += value;
  }

 private:
  static void append_key(std::string& bytes, uint32_t field, uint32_t wire_type) {
    append_varint(bytes, uint64_t{field} << 3 | wire_type);
  }
  static void append_varint(std::string& bytes, uint64_t value) {
    for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
    bytes += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace cuvette::tools
