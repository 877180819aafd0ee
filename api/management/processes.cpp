// SPDX-License-Identifier: Apache-2.0
#include "api/management/processes.hpp"

#include "api/management/driver_usage.hpp"
#include "sim/base/config.hpp"
#include "sim/os/output.hpp"
#include "sim/processes/register.hpp"

namespace cuvette::management {
namespace {

// Processes answer within a millisecond, unless the machine has no time for them.
constexpr int64_t patience_ns = 200'000'000;

}  // namespace

std::vector<DeviceProcess> processes_on(const Device& device) {
  std::vector<DeviceProcess> found;
  if (const device::Usage own = usage_of(device); own.used != 0 || own.in_context)
    found.push_back({static_cast<unsigned>(os::process_id()), own.used, own.in_context});
  const std::string name = processes::register_name(config().process_register);
  if (name.empty()) return found;
  const os::ProcessIdentity self = os::own_identity();
  for (const processes::Process& process : processes::list(name, patience_ns, self).processes) {
    if (process.identity == self) continue;
    const bool here = process.identity.pid_namespace == self.pid_namespace;
    for (const processes::DeviceUse& use : process.devices)
      if (use.uuid == device.identity().uuid)
        found.push_back({here ? static_cast<unsigned>(process.identity.pid) : 0,
                         static_cast<size_t>(use.used), use.in_context});
  }
  return found;
}

}  // namespace cuvette::management
