// SPDX-License-Identifier: Apache-2.0
// Binary formats of floating-point numbers, as code that works on their bits needs to know them.
#pragma once

#include <cstdint>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

struct Format {
  unsigned width, exponent, mantissa;  // in bits
  bool infinite = true;                // has infinities; otherwise only all ones are not a number

  uint64_t bias() const { return (uint64_t{1} << (exponent - 1)) - 1; }
  uint64_t sign() const { return uint64_t{1} << (width - 1); }
  uint64_t infinity() const { return ((uint64_t{1} << exponent) - 1) << mantissa; }
  uint64_t nan() const { return (uint64_t{1} << (exponent + mantissa)) - 1; }
  uint64_t largest() const { return infinite ? infinity() - 1 : nan() - 1; }
};

constexpr Format f64_format{64, 11, 52}, f32_format{32, 8, 23}, f16_format{16, 5, 10},
    bf16_format{16, 8, 7}, tf32_format{19, 8, 10}, e5m2_format{8, 5, 2},
    e4m3_format{8, 4, 3, false};

// Also of one of a pair.
constexpr Format format_of(Type type) {
  switch (type) {
    case Type::f64:
      return f64_format;
    case Type::f16:
    case Type::f16x2:
      return f16_format;
    case Type::bf16:
    case Type::bf16x2:
      return bf16_format;
    case Type::tf32:
      return tf32_format;
    case Type::e5m2:
    case Type::e5m2x2:
      return e5m2_format;
    case Type::e4m3:
    case Type::e4m3x2:
      return e4m3_format;
    default:
      return f32_format;
  }
}

enum class Rounding : uint8_t { nearest, away, zero, down, up };

// The rounding of an instruction's modifiers: .rn, .rna, .rz, .rm, .rp.
inline Rounding rounding_of(const Instruction& i) {
  if (i.has(dot::rz) || i.has(dot::rzi)) return Rounding::zero;
  if (i.has(dot::rm) || i.has(dot::rmi)) return Rounding::down;
  if (i.has(dot::rp) || i.has(dot::rpi)) return Rounding::up;
  return i.has(dot::rna) ? Rounding::away : Rounding::nearest;
}

// .f16x2 -> .f16
constexpr Type single_of(Type type) {
  return type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : type;
}
constexpr bool is_small(Type type) {
  return single_of(type) == Type::f16 || single_of(type) == Type::bf16;
}

}  // namespace cuvette::ptx
