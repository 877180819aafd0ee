// SPDX-License-Identifier: Apache-2.0
// The reciprocal that a GPU's special function unit gives, bit for bit (`rcp.approx.ftz.f32`).
// Only the sampler uses it: compilers project a direction onto a cube's face with it, so what
// kernels ask of `.approx` has no say here.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace cuvette::device::sampling {

enum class Function : uint8_t { rcp, rsqrt, sqrt, ex2, lg2, sine, tanh };
struct FunctionRow {
  Function function;
  uint64_t c0, c1, c2;
};
inline constexpr FunctionRow function_rows[] = {
#define SEGMENT(function, c0, c1, c2) {Function::function, c0, c1, c2},
#include "sim/ptx/emit/special_functions.def"
#undef SEGMENT
};
constexpr unsigned reciprocal_rows = 128;  // the first ones
static_assert(function_rows[reciprocal_rows - 1].function == Function::rcp &&
              function_rows[reciprocal_rows].function != Function::rcp);

// The square of a number of 17 bits, without its lowest 19 bits, as the unit computes it: what
// products of two bits add to the lowest columns is left out.
inline uint32_t short_square(uint32_t low) {
  const uint32_t high = low >> 9;
  uint32_t sum = high * high >> 1;
  for (unsigned i = 2; i < 9; ++i) sum += (low >> i & 1) * (high >> (9 - i));
  return sum;
}

// Of a number that is not negative. Subnormal numbers count as 0, and become 0.
inline float reciprocal(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if (x != x) return x;
  if (bits >= 0x7f800000) return 0;
  if (bits < 1u << 23) return std::numeric_limits<float>::infinity();
  // The upper 7 bits of the mantissa choose a row; the others are the upper ones of 17.
  const FunctionRow& row = function_rows[bits >> 16 & (reciprocal_rows - 1)];
  const uint32_t low = (bits & 0xffff) << 1;
  const uint64_t sum =
      (row.c0 << 14) + 4046 - row.c1 * low + row.c2 * (uint64_t{short_square(low)} << 1);
  // 2^-e m with m up to 1: m's leading bit adds 1 to the exponent.
  const uint32_t result = (252u << 23) - (bits & 0x7f800000) + static_cast<uint32_t>(sum >> 16);
  return static_cast<int32_t>(result) < 1 << 23 ? 0.0f : std::bit_cast<float>(result);
}

}  // namespace cuvette::device::sampling
