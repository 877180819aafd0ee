// SPDX-License-Identifier: Apache-2.0
// Returns the requester of memory that a call makes for a context.
#pragma once

#include "api/driver/call.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::driver {

inline memory::Requester requester(const device::Context& context) {
  return {context.generation(), static_cast<uint8_t>(context.device().ordinal()), call_site()};
}

}  // namespace cuvette::driver
