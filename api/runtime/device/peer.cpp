// SPDX-License-Identifier: Apache-2.0
// Devices that use the memory of others.
//
// Reference: CUDA Runtime API, "Peer Device Memory Access".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/memory/box.hpp"

using namespace cuvette::runtime;

namespace {
Status find_peer(int device, CUcontext* context) {
  CHECK(check_device(device));
  return find_primary(device, context);
}

Status describe_peer_copy(const cudaMemcpy3DPeerParms& parameters, CUDA_MEMCPY3D_PEER* copy) {
  *copy = {};
  CHECK(find_peer(parameters.srcDevice, &copy->srcContext));
  CHECK(find_peer(parameters.dstDevice, &copy->dstContext));
  const cudaExtent& extent = parameters.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return {};
  cudaMemcpy3DParms same{};
  same.srcArray = parameters.srcArray;
  same.srcPos = parameters.srcPos;
  same.srcPtr = parameters.srcPtr;
  same.dstArray = parameters.dstArray;
  same.dstPos = parameters.dstPos;
  same.dstPtr = parameters.dstPtr;
  same.extent = parameters.extent;
  same.kind = cudaMemcpyDeviceToDevice;
  CUDA_MEMCPY3D box;
  CHECK(describe_copy(same, &box));
  copy->srcXInBytes = box.srcXInBytes;
  copy->srcY = box.srcY;
  copy->srcZ = box.srcZ;
  copy->srcMemoryType = box.srcMemoryType;
  copy->srcDevice = box.srcDevice;
  copy->srcArray = box.srcArray;
  copy->srcPitch = box.srcPitch;
  copy->srcHeight = box.srcHeight;
  copy->dstXInBytes = box.dstXInBytes;
  copy->dstY = box.dstY;
  copy->dstZ = box.dstZ;
  copy->dstMemoryType = box.dstMemoryType;
  copy->dstDevice = box.dstDevice;
  copy->dstArray = box.dstArray;
  copy->dstPitch = box.dstPitch;
  copy->dstHeight = box.dstHeight;
  copy->WidthInBytes = box.WidthInBytes;
  copy->Height = box.Height;
  copy->Depth = box.Depth;
  return {};
}
}  // namespace

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return call_with_driver([&]() -> Status {
    CHECK(check_device(device));
    CHECK(check_device(peerDevice));
    return DRIVER(cuDeviceCanAccessPeer)(canAccessPeer, device, peerDevice);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  return call([&]() -> Status {
    CUcontext peer = nullptr;
    CHECK(find_peer(peerDevice, &peer));
    return DRIVER(cuCtxEnablePeerAccess)(peer, flags);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return call([&]() -> Status {
    CUcontext peer = nullptr;
    CHECK(find_peer(peerDevice, &peer));
    return DRIVER(cuCtxDisablePeerAccess)(peer);
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice) {
  return call_with_driver([&]() -> Status {
    if (value == nullptr) return cudaErrorInvalidValue;
    CHECK(check_device(srcDevice));
    CHECK(check_device(dstDevice));
    return DRIVER(cuDeviceGetP2PAttribute)(value, static_cast<CUdevice_P2PAttribute>(attr),
                                           srcDevice, dstDevice);
  });
}

cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return call([&]() -> Status {
    if (count == 0) return {};
    CUcontext to = nullptr, from = nullptr;
    CHECK(find_peer(dstDevice, &to));
    CHECK(find_peer(srcDevice, &from));
    return DRIVER_ON_NULL_STREAM(cuMemcpyPeer)(device_pointer(dst), to, device_pointer(src), from,
                                               count);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                size_t count, cudaStream_t stream) {
  return call([&]() -> Status {
    if (count == 0) return {};
    CUcontext to = nullptr, from = nullptr;
    CHECK(find_peer(dstDevice, &to));
    CHECK(find_peer(srcDevice, &from));
    return DRIVER(cuMemcpyPeerAsync)(device_pointer(dst), to, device_pointer(src), from, count,
                                     driver_stream(stream));
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return call([&]() -> Status {
    if (p == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D_PEER copy;
    CHECK(describe_peer_copy(*p, &copy));
    return DRIVER_ON_NULL_STREAM(cuMemcpy3DPeer)(&copy);
  });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return call([&]() -> Status {
    if (p == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D_PEER copy;
    CHECK(describe_peer_copy(*p, &copy));
    return DRIVER(cuMemcpy3DPeerAsync)(&copy, driver_stream(stream));
  });
}
}
