// SPDX-License-Identifier: Apache-2.0
#include "api/driver/usage_table.hpp"

#include <algorithm>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::driver {
namespace {

using device::Machine;

bool usage_of(unsigned index, device::Usage* usage) noexcept {
  if (Machine::state() != Machine::State::running) return false;
  const auto& devices = Machine::get().devices();
  const auto found =
      std::ranges::find_if(devices, [&](const auto& device) { return device->index() == index; });
  if (found == devices.end()) return false;
  const device::Device& device = **found;
  *usage = usage_of_this_process(device);
  return true;
}

}  // namespace

device::Usage usage_of_this_process(const device::Device& device) {
  const auto memory = Machine::get().memory().usage(device.ordinal());
  const bool in_context = device::Context::any_on(device);
  // A context's own part does not belong to any allocation.
  const size_t overhead = in_context ? device.context_memory(memory.total) : 0;
  return {memory.total, std::min(memory.total, memory.used + overhead), in_context};
}

const device::UsageTable usage_table = {.usage = usage_of};

}  // namespace cuvette::driver
