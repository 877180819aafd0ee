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
  const auto [free, total] = Machine::get().memory().usage(device.ordinal());
  usage->total = total;
  usage->in_context = device::Context::any_on(device);
  // A context's own part does not belong to any allocation.
  const size_t overhead = usage->in_context ? device.context_memory(total) : 0;
  usage->used = std::min(total, total - free + overhead);
  return true;
}

}  // namespace

const device::UsageTable usage_table = {.usage = usage_of};

}  // namespace cuvette::driver
