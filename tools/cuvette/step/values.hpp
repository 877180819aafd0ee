// SPDX-License-Identifier: Apache-2.0
// Bytes as values of a type.
//
// Threads: any; pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuvette::tools {

enum class ValueType : uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, hex, text };

// "float", "f32", "int", "u8", "hex", "char", ...
std::optional<ValueType> value_type_of(std::string_view word);
const char* word_for(ValueType type);
size_t size_of(ValueType type);

// Guesses the type of memory from bytes that it has had: float if the words that are not zero look
// like numbers that people compute with, otherwise int.
ValueType guessed_type(const std::vector<std::string>& contents);

// Returns the value at `offset`; "?" if the bytes are those of memory that nothing has written,
// and "-" if they are not known.
std::string value_at(const std::string& bytes, size_t offset, ValueType type);

}  // namespace cuvette::tools
