// SPDX-License-Identifier: Apache-2.0
// C++20 functions that libstdc++ 10 lacks, for builds on a distribution with an old glibc, where
// every source includes this file first.
#pragma once

#ifdef __cplusplus
#include <cstddef>
#include <memory>
#include <type_traits>

namespace std {

template <typename To, typename From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

template <typename T>
requires is_unbounded_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}

template <typename T>
requires(!is_array_v<T>) unique_ptr<T> make_unique_for_overwrite() { return unique_ptr<T>(new T); }

}  // namespace std
#endif
