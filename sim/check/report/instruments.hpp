// SPDX-License-Identifier: Apache-2.0
// Which checks this process makes, and the observers that make them, by the rows of checks.def.
//
// Threads: any.
#pragma once

#include <type_traits>

#include "sim/base/config.hpp"

namespace cuvette::check {

// Whether CUVETTE_CHECK, or CUVETTE_MEMCHECK, asks for a check.
inline bool checks(Check check) {
  return config().check.has(check) || (check == Check::memory && config().memcheck);
}

// The observers of a row.
template <typename... Observers>
struct ObserverList {
  template <typename One>
  static constexpr bool has = (std::is_same_v<One, Observers> || ...);
};

#define CHECK(word, needs, sentence, ...) using observers_of_##word = ObserverList<__VA_ARGS__>;
#include "sim/base/checks.def"
#undef CHECK

// Whether a check that is asked for has this observer.
template <typename One>
bool is_wanted() {
  bool wanted = false;
#define CHECK(word, ...) \
  if (observers_of_##word::has<One> && checks(Check::word)) wanted = true;
#include "sim/base/checks.def"
#undef CHECK
  return wanted;
}

// Returns the process's observer of this class, which is made when it is first asked for and never
// destroyed, since commands may run while the process exits; null if no check wants it.
template <typename One>
One* instrument() {
  static One* const instance = is_wanted<One>() ? new One : nullptr;
  return instance;
}

}  // namespace cuvette::check
