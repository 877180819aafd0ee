// SPDX-License-Identifier: Apache-2.0
// Checks that descriptions of external memory and of external semaphores share.
//
// Threads: plain functions.
#pragma once

#include <algorithm>
#include <iterator>

#include "sim/base/error.hpp"

namespace cuvette::driver {

// "reserved: must be zero". Errors: invalid_value.
template <typename Description>
Result<> check_reserved(const Description& description) {
  if (std::any_of(std::begin(description.reserved), std::end(description.reserved),
                  [](unsigned value) { return value != 0; }))
    return refuse(Error::invalid_value, "The reserved fields of the description must be zero.");
  return {};
}

}  // namespace cuvette::driver
