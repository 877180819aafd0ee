// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/machine/peers.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::PeerLink;
using device::Peers;

namespace {

// Returns what connects two devices. Errors: invalid_device if one does not exist or, measured,
// both are the same.
Result<PeerLink> link_between(CUdevice from, CUdevice to) {
  const device::Device *one = TRY(find_device(from)), *other = TRY(find_device(to));
  if (one == other) return refuse(Error::invalid_device, "Device %d cannot be its own peer.", from);
  return Peers::link(*one, *other);
}

// Errors: invalid_context, context_is_destroyed.
Result<Ref<device::Context>> find_peer(CUcontext handle) {
  auto peer = TRY(find(handle));
  // A primary context that was reset keeps its handle.
  if (!peer->alive()) return Error::context_is_destroyed;
  return peer;
}

// CUatomicOperation's numbers end before this one.
constexpr int operation_end = 13;

device::Peer end_of(const device::Context& context) {
  return {context.generation(), context.device()};
}

}  // namespace

extern "C" {

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return call<CUresult>([&]() -> Result<> {
    if (!canAccessPeer) return Error::invalid_value;
    const device::Device *one = TRY(find_device(dev)), *other = TRY(find_device(peerDev));
    *canAccessPeer = Peers::link(*one, *other) != PeerLink::none;
    return {};
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice) {
  return call<CUresult>([&]() -> Result<> {
    if (!value) return Error::invalid_value;
    const PeerLink link = TRY(link_between(srcDevice, dstDevice));
    switch (attrib) {
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:  // 0 is the best that the machine has
      case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
        *value = 0;
        return {};
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = link != PeerLink::none;
        return {};
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        *value = link == PeerLink::nvlink;
        return {};
    }
    return refuse(Error::invalid_value, "%d is not an attribute of a link between devices.",
                  static_cast<int>(attrib));
  });
}

// Measured: no operation has capabilities, not even over NVLink.
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int* capabilities,
                                          const CUatomicOperation* operations, unsigned int count,
                                          CUdevice srcDevice, CUdevice dstDevice) {
  return call<CUresult>([&]() -> Result<> {
    if (!capabilities || !operations || count == 0) return Error::invalid_value;
    TRY(link_between(srcDevice, dstDevice));
    std::fill_n(capabilities, count, 0u);
    for (unsigned i = 0; i < count; ++i) {
      const int operation = static_cast<int>(operations[i]);
      if (operation < 0 || operation >= operation_end)
        return refuse(Error::invalid_value, "%d is not an atomic operation.", operation);
    }
    return {};
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto peer = TRY(find_peer(peerContext));
    // "Reserved for future use and must be set to 0".
    if (Flags != 0) return refuse(Error::invalid_value, "Flags 0x%x must be 0.", Flags);
    return device::Peers::get().enable(end_of(context), end_of(*peer));
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto peer = TRY(find_peer(peerContext));
    return device::Peers::get().disable(end_of(context), end_of(*peer));
  });
}

}  // extern "C"
