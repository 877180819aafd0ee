// SPDX-License-Identifier: Apache-2.0
// A device's model, according to its profile, and its settings.
#include "api/management/call.hpp"

using namespace cuvette;
using namespace cuvette::management;
using device::Attribute;

namespace {

// The part of the compute capability that names an architecture; 8.9 is not Ampere.
nvmlDeviceArchitecture_t architecture(const device::Profile& profile) {
  switch (profile.compute_capability()) {
    case 75:
      return NVML_DEVICE_ARCH_TURING;
    case 80:
    case 86:
    case 87:
      return NVML_DEVICE_ARCH_AMPERE;
    case 89:
      return NVML_DEVICE_ARCH_ADA;
    case 90:
      return NVML_DEVICE_ARCH_HOPPER;
    case 100:
    case 103:
    case 110:
    case 120:
    case 121:
      return NVML_DEVICE_ARCH_BLACKWELL;
    default:
      return NVML_DEVICE_ARCH_UNKNOWN;
  }
}

// Cores for single precision in a multiprocessor: the CUDA C++ Programming Guide lists them by
// compute capability. 0: not listed.
unsigned cores_of_multiprocessor(const device::Profile& profile) {
  switch (profile.compute_capability()) {
    case 75:
    case 80:
      return 64;
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 103:
    case 110:
    case 120:
    case 121:
      return 128;
    default:
      return 0;
  }
}

nvmlBrandType_t brand(const device::Profile& profile) {
  if (profile.name.starts_with("NVIDIA GeForce")) return NVML_BRAND_GEFORCE;
  return profile.name.starts_with("NVIDIA") ? NVML_BRAND_NVIDIA : NVML_BRAND_UNKNOWN;
}

// Multi-Instance GPU: what was built for data centres of compute capability 8.0 and 9.0 has it.
bool could_be_divided(const device::Profile& profile) {
  return profile.compute_capability() == 80 || profile.compute_capability() == 90;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t* type) {
  return call_on(device, [&](const Device& found) { return answer(type, brand(found.profile())); });
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t* arch) {
  return call_on(device,
                 [&](const Device& found) { return answer(arch, architecture(found.profile())); });
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  return call_on(device, [&](const Device& found) {
    if (!major || !minor) return NVML_ERROR_INVALID_ARGUMENT;
    *major = found.profile().compute_major;
    *minor = found.profile().compute_minor;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int* numCores) {
  return call_on(device, [&](const Device& found) {
    const unsigned cores = cores_of_multiprocessor(found.profile());
    if (cores == 0) return NVML_ERROR_NOT_SUPPORTED;
    return answer(numCores, found.profile().amount(Attribute::MULTIPROCESSOR_COUNT) * cores);
  });
}

nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int* busWidth) {
  return call_on(device, [&](const Device& found) {
    return answer(busWidth, found.profile().value(Attribute::GLOBAL_MEMORY_BUS_WIDTH));
  });
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type,
                                       unsigned int* clock) {
  return call_on(device, [&](const Device& found) {
    switch (type) {
      case NVML_CLOCK_GRAPHICS:
      case NVML_CLOCK_SM:
        return answer(clock, found.profile().value(Attribute::CLOCK_RATE) / 1000);
      case NVML_CLOCK_MEM:
        return answer(clock, found.profile().value(Attribute::MEMORY_CLOCK_RATE) / 1000);
      case NVML_CLOCK_VIDEO:
        return NVML_ERROR_NOT_SUPPORTED;
      default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
  });
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* mode) {
  return call_on(device, [&](const Device& found) {
    return answer(mode, found.profile().value(Attribute::COMPUTE_MODE));
  });
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current,
                                  nvmlEnableState_t* pending) {
  return call_on(device, [&](const Device& found) {
    if (!current || !pending) return NVML_ERROR_INVALID_ARGUMENT;
    *current = *pending = found.profile().value(Attribute::ECC_ENABLED) ? NVML_FEATURE_ENABLED
                                                                        : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
  });
}

// No display is ever attached.
nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t* isActive) {
  return call_on(device, [&](const Device&) { return answer(isActive, NVML_FEATURE_DISABLED); });
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int* currentMode,
                                  unsigned int* pendingMode) {
  return call_on(device, [&](const Device& found) {
    if (!currentMode || !pendingMode) return NVML_ERROR_INVALID_ARGUMENT;
    if (!could_be_divided(found.profile())) return NVML_ERROR_NOT_SUPPORTED;
    *currentMode = *pendingMode = NVML_DEVICE_MIG_DISABLE;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int* count) {
  return call_on(device, [&](const Device&) { return answer(count, 0); });
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int* isMigDevice) {
  return call_on(device, [&](const Device&) { return answer(isMigDevice, 0); });
}

}  // extern "C"
