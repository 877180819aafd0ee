// SPDX-License-Identifier: Apache-2.0
// The identity of a device: its name, UUID, number and place.
#include <cstdio>

#include "api/management/call.hpp"

using namespace cuvette;
using namespace cuvette::management;

namespace {

// The fields that nvmlPciInfo_t had: it has grown, and callers of an older function have less room.
enum class PciInfoVersion { before_sub_system, before_bus_id, whole };

nvmlReturn_t answer_pci(nvmlDevice_t handle, nvmlPciInfo_t* pci, PciInfoVersion version) {
  return call_on(handle, [&](const Device& device) {
    if (!pci) return NVML_ERROR_INVALID_ARGUMENT;
    const device::PciAddress& place = device.identity().pci;
    const auto domain = static_cast<unsigned>(place.domain);
    const auto bus = static_cast<unsigned>(place.bus);
    const auto number = static_cast<unsigned>(place.device);
    std::snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, NVML_DEVICE_PCI_BUS_ID_LEGACY_FMT,
                  domain & 0xffff, bus & 0xff, number & 0xff);
    pci->domain = domain;
    pci->bus = bus;
    pci->device = number;
    pci->pciDeviceId =
        static_cast<unsigned>(device.profile().value(device::Attribute::GPU_PCI_DEVICE_ID));
    if (version == PciInfoVersion::before_sub_system) return NVML_SUCCESS;
    pci->pciSubSystemId =
        static_cast<unsigned>(device.profile().value(device::Attribute::GPU_PCI_SUBSYSTEM_ID));
    if (version == PciInfoVersion::before_bus_id) return NVML_SUCCESS;
    std::snprintf(pci->busId, sizeof pci->busId, NVML_DEVICE_PCI_BUS_ID_FMT, domain, bus, number);
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int length) {
  return call_on(
      device, [&](const Device& found) { return answer_text(name, length, found.profile().name); });
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int length) {
  return call_on(device, [&](const Device& found) {
    return answer_text(uuid, length, device::to_string(found.identity().uuid));
  });
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int* index) {
  return call_on(device, [&](const Device& found) { return answer(index, found.index); });
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int* minorNumber) {
  return call_on(device, [&](const Device& found) { return answer(minorNumber, found.index); });
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return answer_pci(device, pci, PciInfoVersion::before_sub_system);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return answer_pci(device, pci, PciInfoVersion::before_bus_id);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return answer_pci(device, pci, PciInfoVersion::whole);
}

nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int* multiGpuBool) {
  return call_on(device, [&](const Device& found) {
    return answer(multiGpuBool, found.profile().value(device::Attribute::MULTI_GPU_BOARD));
  });
}

// Each device has its own board.
nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t device1, nvmlDevice_t device2, int* onSameBoard) {
  return call_on(device1, [&](const Device& one) {
    const Device* other = find(device2);
    return other ? answer(onSameBoard, &one == other) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

}  // extern "C"
