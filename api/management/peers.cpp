// SPDX-License-Identifier: Apache-2.0
// How two devices reach each other: by their places on the PCI bus, and by the link that their
// model has.
#include "api/management/call.hpp"

using namespace cuvette;
using namespace cuvette::management;
using device::PeerLink;

namespace {

// Devices of two models have no link.
PeerLink link_between(const Device& one, const Device& other) {
  return &one.profile() == &other.profile() ? one.profile().peer_link : PeerLink::none;
}

bool can(nvmlGpuP2PCapsIndex_t what, PeerLink link) {
  switch (what) {
    case NVML_P2P_CAPS_INDEX_READ:
    case NVML_P2P_CAPS_INDEX_WRITE:
      return link != PeerLink::none;
    case NVML_P2P_CAPS_INDEX_NVLINK:
    case NVML_P2P_CAPS_INDEX_ATOMICS:
      return link == PeerLink::nvlink;
    case NVML_P2P_CAPS_INDEX_PCI:
      return link == PeerLink::pci_express;
    default:
      return true;  // measured: the status of a link that does not exist is 0
  }
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device1, nvmlDevice_t device2,
                                                 nvmlGpuTopologyLevel_t* pathInfo) {
  return call_on(device1, [&](const Device& one) {
    const Device* other = find(device2);
    if (!other || !pathInfo) return NVML_ERROR_INVALID_ARGUMENT;
    if (&one == other) return NVML_ERROR_NOT_SUPPORTED;  // measured
    const bool same_bus = one.identity().pci.domain == other->identity().pci.domain &&
                          one.identity().pci.bus == other->identity().pci.bus;
    return answer(pathInfo, same_bus ? NVML_TOPOLOGY_HOSTBRIDGE : NVML_TOPOLOGY_SYSTEM);
  });
}

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2,
                                    nvmlGpuP2PCapsIndex_t p2pIndex, nvmlGpuP2PStatus_t* p2pStatus) {
  return call_on(device1, [&](const Device& one) {
    const Device* other = find(device2);
    if (!other) return NVML_ERROR_INVALID_ARGUMENT;
    // Measured: a device is not its own peer.
    const PeerLink link = &one == other ? PeerLink::none : link_between(one, *other);
    return answer(p2pStatus,
                  can(p2pIndex, link) ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED);
  });
}

}  // extern "C"
