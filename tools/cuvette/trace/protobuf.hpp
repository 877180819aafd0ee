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
    key(field, 0);
    varint(value);
  }
  void add_fixed64(uint32_t field, uint64_t value) {
    key(field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
  }
  // A field of type string, bytes or another message's.
  void add(uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void add(uint32_t field, const ProtobufMessage& message) { add(field, message.bytes()); }
  // Fields that are in wire format already.
  void add_fields(std::string_view fields) { bytes_ += fields; }

  std::string_view bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  void key(uint32_t field, uint32_t wire_type) { varint(uint64_t{field} << 3 | wire_type); }
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value | 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace cuvette::tools
