// SPDX-License-Identifier: Apache-2.0
// Checks the CU_CTX_* flags of new contexts and of primary contexts.
#pragma once

#include <bit>

#include "api/driver/cuda.hpp"
#include "sim/base/error.hpp"

namespace cuvette::driver {

// "The three LSBs of the flags parameter can be used to control how the OS thread ... interacts
// with the OS scheduler": at most one of them. Errors: invalid_value.
inline Result<> check_context_flags(unsigned flags) {
  if (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK))
    return refuse(Error::invalid_value,
                  "Context flags 0x%x have bits beyond CU_CTX_FLAGS_MASK (0x%x).", flags,
                  static_cast<unsigned>(CU_CTX_FLAGS_MASK));
  if (std::popcount(flags & CU_CTX_SCHED_MASK) > 1)
    return refuse(Error::invalid_value, "Context flags 0x%x ask for more than one CU_CTX_SCHED_*.",
                  flags);
  return {};
}

}  // namespace cuvette::driver
