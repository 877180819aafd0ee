// SPDX-License-Identifier: Apache-2.0
#include "api/management/driver_usage.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <cstring>

namespace cuvette::management {
namespace {

using device::UsageTable;

// Returns the table of the driver that the process has loaded, null if it has none, or another's.
const UsageTable* find_table() noexcept {
  // Finds only a library that is loaded already; the driver is never unloaded, so its users need
  // not be counted.
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return nullptr;
  const auto get = reinterpret_cast<decltype(&cuGetExportTable)>(dlsym(driver, "cuGetExportTable"));
  const void* table = nullptr;
  CUuuid identifier;
  static_assert(sizeof identifier.bytes == device::usage_table_identifier.size());
  std::memcpy(identifier.bytes, device::usage_table_identifier.data(), sizeof identifier.bytes);
  const bool found = get && get(&table, &identifier) == CUDA_SUCCESS;
  dlclose(driver);
  const auto* usage = static_cast<const UsageTable*>(table);
  return found && usage && usage->size >= sizeof(UsageTable) ? usage : nullptr;
}

}  // namespace

device::Usage usage_of(const Device& device) noexcept {
  device::Usage usage{};
  const UsageTable* table = find_table();
  if (!table || !table->usage(device.index, &usage)) usage = {device.listed.memory, 0, false};
  return usage;
}

}  // namespace cuvette::management
