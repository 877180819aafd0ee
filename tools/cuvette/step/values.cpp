// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "sim/memory/fill.hpp"

namespace cuvette::tools {
namespace {

struct TypeWords {
  ValueType type;
  size_t size;
  const char* word;
  const char* other;
};
constexpr TypeWords types[] = {
    {ValueType::i8, 1, "int8", "i8"},    {ValueType::u8, 1, "uint8", "u8"},
    {ValueType::i16, 2, "int16", "i16"}, {ValueType::u16, 2, "uint16", "u16"},
    {ValueType::i32, 4, "int", "i32"},   {ValueType::u32, 4, "unsigned", "u32"},
    {ValueType::i64, 8, "int64", "i64"}, {ValueType::u64, 8, "uint64", "u64"},
    {ValueType::f32, 4, "float", "f32"}, {ValueType::f64, 8, "double", "f64"},
    {ValueType::hex, 1, "hex", "bytes"}, {ValueType::text, 1, "char", "text"},
};

const TypeWords& words_for(ValueType type) {
  return *std::find_if(std::begin(types), std::end(types),
                       [&](const TypeWords& one) { return one.type == type; });
}

template <typename Number>
Number read(const std::string& bytes, size_t offset) {
  Number number;
  memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

bool is_pattern(uint32_t word) {
  return word == memory::fresh_pattern || word == memory::freed_pattern;
}

// Whether the bytes are part of the pattern of memory that nothing has written. Patterns begin at
// the allocation's first byte, so a part of one is known by its place.
bool is_unwritten(const std::string& bytes, size_t offset, size_t size) {
  const size_t begin = offset / 4 * 4, end = (offset + size + 3) / 4 * 4;
  if (end > bytes.size()) return false;
  for (size_t i = begin; i < end; i += 4)
    if (!is_pattern(read<uint32_t>(bytes, i))) return false;
  return true;
}

template <typename... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  char text[40];
  snprintf(text, sizeof text, format, arguments...);
  return text;
}

std::string letter(char c) {
  return c >= ' ' && c < 0x7f ? std::string(1, c)
                              : formatted("\\x%02x", static_cast<unsigned char>(c));
}

}  // namespace

std::optional<ValueType> value_type_of(std::string_view word) {
  for (const TypeWords& one : types)
    if (word == one.word || word == one.other) return one.type;
  return std::nullopt;
}

const char* word_for(ValueType type) { return words_for(type).word; }
size_t size_of(ValueType type) { return words_for(type).size; }

ValueType guessed_type(const std::vector<std::string>& contents) {
  size_t floats = 0, others = 0;
  for (const std::string& bytes : contents)
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const auto word = read<uint32_t>(bytes, i);
      if (word == 0 || is_pattern(word)) continue;
      const float value = std::fabs(read<float>(bytes, i));
      // Bytes that are all alike are what a fill leaves.
      const bool filled = word == (word & 0xff) * 0x01010101u;
      ++(!filled && value >= 1e-6f && value <= 1e9f ? floats : others);
    }
  return floats > others ? ValueType::f32 : ValueType::i32;
}

std::string value_at(const std::string& bytes, size_t offset, ValueType type) {
  const size_t size = size_of(type);
  if (offset > bytes.size() || bytes.size() - offset < size) return "-";
  if (is_unwritten(bytes, offset, size)) return "?";
  switch (type) {
    case ValueType::i8:
      return std::to_string(read<int8_t>(bytes, offset));
    case ValueType::u8:
      return std::to_string(read<uint8_t>(bytes, offset));
    case ValueType::i16:
      return std::to_string(read<int16_t>(bytes, offset));
    case ValueType::u16:
      return std::to_string(read<uint16_t>(bytes, offset));
    case ValueType::i32:
      return std::to_string(read<int32_t>(bytes, offset));
    case ValueType::u32:
      return std::to_string(read<uint32_t>(bytes, offset));
    case ValueType::i64:
      return std::to_string(read<int64_t>(bytes, offset));
    case ValueType::u64:
      return std::to_string(read<uint64_t>(bytes, offset));
    case ValueType::f32:
      return formatted("%.6g", static_cast<double>(read<float>(bytes, offset)));
    case ValueType::f64:
      return formatted("%.10g", read<double>(bytes, offset));
    case ValueType::hex:
      return formatted("%02x", read<uint8_t>(bytes, offset));
    case ValueType::text:
      return letter(bytes[offset]);
  }
  return "-";
}

}  // namespace cuvette::tools
