// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/memory_descriptor.hpp"

#include "sim/device/machine/machine.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::interop {
namespace {

using memory::AllocationKind;
using memory::DevicePtr;

Error refuse_file(DevicePtr address, const char* instead) {
  return refuse(
      Error::not_supported,
      "The memory at 0x%llx is already in a file, and a range must not extend beyond it: %s.",
      static_cast<unsigned long long>(address), instead);
}

// "The specified address range must be fully mapped": by mappings side by side.
Result<> check_mapped(const memory::AddressSpace& memory, DevicePtr address, size_t size) {
  if (address + size < address)
    return refuse(Error::invalid_value, "%zu bytes at 0x%llx extend beyond the address space.",
                  size, static_cast<unsigned long long>(address));
  for (DevicePtr at = address; at < address + size;) {
    const auto mapping = memory.find(at);
    if (!mapping || mapping->kind != AllocationKind::mapping)
      return refuse(Error::invalid_value, "Nothing is mapped at 0x%llx.",
                    static_cast<unsigned long long>(at));
    at = mapping->end();
  }
  return {};
}

}  // namespace

Result<int> descriptor_of_memory(DevicePtr address, size_t size) {
  device::Machine& machine = device::Machine::get();
  memory::AddressSpace& memory = machine.memory();
  const auto allocation = memory.find(address);
  if (!allocation)
    return refuse(Error::invalid_value, "0x%llx is not inside a live allocation.",
                  static_cast<unsigned long long>(address));
  switch (allocation->kind) {
    case AllocationKind::device:
    case AllocationKind::pool:
    case AllocationKind::variable:
      break;
    case AllocationKind::mapping:
      TRY(check_mapped(memory, address, size));
      return refuse_file(address, "use cuMemExportToShareableHandle");
    case AllocationKind::external:
    case AllocationKind::shared:
    case AllocationKind::imported:
      return refuse_file(address, "use the descriptor that it was imported from");
    default:
      return refuse(Error::invalid_value, "0x%llx is not device memory.",
                    static_cast<unsigned long long>(address));
  }
  if (allocation->host_accessible())
    return refuse(Error::invalid_value, "0x%llx is host memory.",
                  static_cast<unsigned long long>(address));
  // Commands that write the pages while they get their own file are stopped by faults.
  os::watch_faults(machine.fault_hook());
  return memory.descriptor_of(*allocation, address, size);
}

}  // namespace cuvette::interop
