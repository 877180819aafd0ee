// SPDX-License-Identifier: Apache-2.0
// Numbers rounded to multiples of a unit.
//
// Threads: any.
#pragma once

#include <type_traits>

namespace cuvette {

template <typename T>
constexpr T round_down(T value, std::type_identity_t<T> unit) {
  return value / unit * unit;
}

// The sum with the unit must not overflow.
template <typename T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return round_down(value + unit - 1, unit);
}

// The same without a division, for a power of two that is known only when the program runs.
template <typename T>
constexpr T align_up(T value, std::type_identity_t<T> unit) {
  return (value + unit - 1) & ~(unit - 1);
}

}  // namespace cuvette
