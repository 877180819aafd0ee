// SPDX-License-Identifier: Apache-2.0
// Handles: how many devices there are, and each by its place, its UUID or its PCI address.
#include <algorithm>
#include <optional>
#include <string>

#include "api/management/call.hpp"

using namespace cuvette;
using namespace cuvette::management;

namespace {

nvmlReturn_t answer_count(unsigned* count) {
  return call([&] { return answer(count, devices().size()); });
}

nvmlReturn_t answer_at(unsigned index, nvmlDevice_t* device) {
  return call([&] {
    if (!device || index >= devices().size()) return NVML_ERROR_INVALID_ARGUMENT;
    *device = &devices()[index];
    return NVML_SUCCESS;
  });
}

// Writes the first device that `matches`.
template <typename Matches>
nvmlReturn_t answer_first(nvmlDevice_t* device, Matches matches) {
  const auto found = std::ranges::find_if(devices(), matches);
  if (found == devices().end()) return NVML_ERROR_NOT_FOUND;
  *device = &*found;
  return NVML_SUCCESS;
}

// Reads an address as the driver does. Measured: only function 0 is a device.
std::optional<device::PciAddress> read_place(const char* text) {
  const auto place = device::parse_pci_address(text);
  return place && place->function == 0 ? place : std::nullopt;
}

nvmlReturn_t answer_at_place(const char* text, nvmlDevice_t* device) {
  return call([&] {
    if (!text || !device) return NVML_ERROR_INVALID_ARGUMENT;
    const auto place = read_place(text);
    if (!place) return NVML_ERROR_INVALID_ARGUMENT;
    return answer_first(device, [&](const Device& each) { return each.identity().pci == *place; });
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetCount(unsigned int* deviceCount) { return answer_count(deviceCount); }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int* deviceCount) { return answer_count(deviceCount); }

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t* device) {
  return answer_at(index, device);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  return answer_at(index, device);
}

// Measured: the UUID in full and in small letters, with or without "GPU-".
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  return call([&] {
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    return answer_first(device, [&](const Device& each) {
      const std::string whole = device::to_string(each.identity().uuid);
      return uuid == whole || uuid == whole.substr(sizeof "GPU-" - 1);
    });
  });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* pciBusId, nvmlDevice_t* device) {
  return answer_at_place(pciBusId, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* pciBusId, nvmlDevice_t* device) {
  return answer_at_place(pciBusId, device);
}

nvmlReturn_t nvmlDeviceGetHandleBySerial(const char* serial, nvmlDevice_t* device) {
  return call(
      [&] { return serial && device ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT; });
}

}  // extern "C"
