// SPDX-License-Identifier: Apache-2.0
// The fundamental types of PTX, as its instructions and declarations name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cuvette::ptx {

// name in PTX, size in bytes, kind
// clang-format off
#define CUVETTE_PTX_TYPES(X)  \
  X(b8, 1, bits)              \
  X(b16, 2, bits)             \
  X(b32, 4, bits)             \
  X(b64, 8, bits)             \
  X(b128, 16, bits)           \
  X(u8, 1, unsigned_integer)  \
  X(u16, 2, unsigned_integer) \
  X(u32, 4, unsigned_integer) \
  X(u64, 8, unsigned_integer) \
  X(s8, 1, signed_integer)    \
  X(s16, 2, signed_integer)   \
  X(s32, 4, signed_integer)   \
  X(s64, 8, signed_integer)   \
  X(f16, 2, floating)         \
  X(f16x2, 4, packed)         \
  X(bf16, 2, floating)        \
  X(bf16x2, 4, packed)        \
  X(tf32, 4, floating)        \
  X(f32, 4, floating)         \
  X(f32x2, 8, packed)         \
  X(f64, 8, floating)         \
  X(u16x2, 4, packed)         \
  X(s16x2, 4, packed)         \
  X(e4m3, 1, bits)            \
  X(e5m2, 1, bits)            \
  X(e4m3x2, 2, packed)        \
  X(e5m2x2, 2, packed)        \
  X(u4, 1, bits)              \
  X(s4, 1, bits)              \
  X(b1, 1, bits)              \
  X(pred, 1, predicate)       \
  X(texref, 8, opaque)        \
  X(samplerref, 8, opaque)    \
  X(surfref, 8, opaque)
// clang-format on

enum class Type : uint8_t {
#define X(name, size, kind) name,
  CUVETTE_PTX_TYPES(X)
#undef X
};

enum class TypeKind : uint8_t {
  bits,
  unsigned_integer,
  signed_integer,
  floating,
  packed,
  predicate,
  opaque,
};

// "u32" -> Type::u32, without the dot; nothing if it is not a type.
std::optional<Type> type_named(std::string_view name);
std::string_view name_of(Type type);

// In bytes. Types of less than a byte count as one: they are held in wider registers.
constexpr uint32_t size_of(Type type) {
  constexpr uint8_t sizes[] = {
#define X(name, size, kind) size,
      CUVETTE_PTX_TYPES(X)
#undef X
  };
  return sizes[static_cast<int>(type)];
}

constexpr TypeKind kind_of(Type type) {
  constexpr TypeKind kinds[] = {
#define X(name, size, kind) TypeKind::kind,
      CUVETTE_PTX_TYPES(X)
#undef X
  };
  return kinds[static_cast<int>(type)];
}

// Returns the smallest .bN that holds so many bytes; b64 if none does.
constexpr Type bits_of_size(uint64_t bytes) {
  return bytes <= 1 ? Type::b8 : bytes <= 2 ? Type::b16 : bytes <= 4 ? Type::b32 : Type::b64;
}

constexpr bool is_signed(Type type) { return kind_of(type) == TypeKind::signed_integer; }
constexpr bool is_floating(Type type) {
  return kind_of(type) == TypeKind::floating || type == Type::f16x2 || type == Type::bf16x2 ||
         type == Type::f32x2;
}
// Whole numbers and bits.
constexpr bool is_integer(Type type) {
  return kind_of(type) <= TypeKind::signed_integer || type == Type::u16x2 || type == Type::s16x2;
}

}  // namespace cuvette::ptx
