// SPDX-License-Identifier: Apache-2.0
// Returns who asks for memory: the context, its device, and the call site in the program.
#pragma once

#include "api/driver/call.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::driver {

inline memory::Asker asker(const device::Context& context) {
  return {context.generation(), static_cast<uint8_t>(context.device().ordinal()), call_site()};
}

}  // namespace cuvette::driver
