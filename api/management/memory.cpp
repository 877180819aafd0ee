// SPDX-License-Identifier: Apache-2.0
// How much of a device's memory is used, and by whom.
#include <algorithm>
#include <vector>

#include "api/management/call.hpp"
#include "api/management/driver_usage.hpp"
#include "api/management/processes.hpp"

using namespace cuvette;
using namespace cuvette::management;

namespace {

struct Memory {
  size_t total, reserved, used;
};

// Memory of the board beyond the driver's share counts here, unless CUVETTE_MEMORY sets the size.
Memory memory_of(const Device& device) {
  const size_t total = usage_of(device).total;
  const size_t reserved =
      device.listed.memory == device.profile().memory ? device.profile().reserved_memory : 0;
  // Processes that do not share the device may have more in all than it has.
  size_t used = 0;
  for (const DeviceProcess& process : processes_on(device))
    used += std::min(process.used, total - used);
  return {total + reserved, reserved, used};
}

constexpr unsigned undivided = ~0u;

void write(nvmlProcessInfo_v1_t& info, unsigned pid, size_t used) { info = {pid, used}; }
void write(nvmlProcessInfo_v2_t& info, unsigned pid, size_t used) {
  info = {pid, used, undivided, undivided};
}

// Writes the processes that have a context on the device, but for those that are not seen here.
template <typename Info>
nvmlReturn_t answer_processes(nvmlDevice_t handle, unsigned* count, Info* infos) {
  return call_on(handle, [&](const Device& device) {
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    std::vector<DeviceProcess> processes = processes_on(device);
    std::erase_if(processes, [](const DeviceProcess& one) { return !one.in_context || !one.pid; });
    const unsigned room = *count;
    *count = static_cast<unsigned>(processes.size());
    if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
    if (*count == 0) return NVML_SUCCESS;
    if (!infos) return NVML_ERROR_INVALID_ARGUMENT;
    for (const DeviceProcess& process : processes) write(*infos++, process.pid, process.used);
    return NVML_SUCCESS;
  });
}

// No process draws with a device of Cuvette, or shares one through a server.
nvmlReturn_t answer_no_processes(nvmlDevice_t handle, unsigned* count) {
  return call_on(handle, [&](const Device&) { return answer(count, 0); });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  return call_on(device, [&](const Device& found) {
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    const auto [total, reserved, used] = memory_of(found);
    *memory = {total, total - reserved - used, reserved + used};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
  return call_on(device, [&](const Device& found) {
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    // Measured.
    if (memory->version != nvmlMemory_v2) return NVML_ERROR_FUNCTION_NOT_FOUND;
    const auto [total, reserved, used] = memory_of(found);
    *memory = {nvmlMemory_v2, total, reserved, total - reserved - used, used};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int* infoCount,
                                                  nvmlProcessInfo_v1_t* infos) {
  return answer_processes(device, infoCount, infos);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int* infoCount,
                                                     nvmlProcessInfo_v2_t* infos) {
  return answer_processes(device, infoCount, infos);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int* infoCount,
                                                     nvmlProcessInfo_t* infos) {
  return answer_processes(device, infoCount, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned int* infoCount,
                                                   nvmlProcessInfo_v1_t*) {
  return answer_no_processes(device, infoCount);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned int* infoCount,
                                                      nvmlProcessInfo_v2_t*) {
  return answer_no_processes(device, infoCount);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int* infoCount,
                                                      nvmlProcessInfo_t*) {
  return answer_no_processes(device, infoCount);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses(nvmlDevice_t device, unsigned int* infoCount,
                                                     nvmlProcessInfo_v1_t*) {
  return answer_no_processes(device, infoCount);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v2(nvmlDevice_t device,
                                                        unsigned int* infoCount,
                                                        nvmlProcessInfo_v2_t*) {
  return answer_no_processes(device, infoCount);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device,
                                                        unsigned int* infoCount,
                                                        nvmlProcessInfo_t*) {
  return answer_no_processes(device, infoCount);
}

}  // extern "C"
