// SPDX-License-Identifier: Apache-2.0
// Devices: which there are, which the thread uses, what they are like and how they are set up.
//
// Reference: CUDA Runtime API, "Device Management".
#include <algorithm>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/device/properties.hpp"
#include "api/runtime/texture/channel.hpp"

using namespace cuvette::runtime;

namespace {
// Waits for the device, not the null stream: a call with per-thread streams waits for everything as
// well.
Status synchronize() { return DRIVER(cuCtxSynchronize)(); }
}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return call_alone([&]() -> Status {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = 0;
    CHECK(need_driver());
    *count = count_devices();
    return {};
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call_alone([&]() -> Status {
    if (device == nullptr) return cudaErrorInvalidValue;
    return find_device(device);
  });
}

cudaError_t cudaSetDevice(int device) {
  return call_alone([&] { return choose_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  return call_with_driver([&]() -> Status {
    CHECK(check_device(device));
    if ((flags & cudaInitDeviceFlagsAreValid) != 0)
      CHECK(DRIVER(cuDevicePrimaryCtxSetFlags)(device, deviceFlags));
    CUcontext context = nullptr;
    return find_primary(device, &context);
  });
}

// The first of the list is used until the thread chooses another: no device that is asked fails
// here.
cudaError_t cudaSetValidDevices(int* device_arr, int len) {
  return call_with_driver([&]() -> Status {
    if (len < 0 || len > count_devices() || (len > 0 && device_arr == nullptr))
      return cudaErrorInvalidValue;
    for (int i = 0; i < len; ++i) {
      CHECK(check_device(device_arr[i]));
      if (std::find(device_arr, device_arr + i, device_arr[i]) != device_arr + i)
        return cudaErrorInvalidValue;
    }
    if (len == 0) return {};
    Thread::current().device = device_arr[0];
    // Measured: until the next call of the runtime that needs one, no context is current.
    Current current = Current::nothing;
    CHECK(find_current(&current));
    return current == Current::primary ? Status(DRIVER(cuCtxSetCurrent)(nullptr)) : Status();
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  return call_with_driver([&]() -> Status {
    if (device == nullptr || prop == nullptr) return cudaErrorInvalidValue;
    return choose_nearest(device, *prop);
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return call_alone([&]() -> Status {
    // The program has created a context itself, with other flags.
    Current current = Current::nothing;
    CHECK(find_current(&current));
    if (current == Current::created) return cudaErrorIncompatibleDriverContext;
    int device = 0;
    CHECK(find_device(&device));
    CHECK(DRIVER(cuDevicePrimaryCtxSetFlags)(device, flags & ~cudaDeviceMapHost));
    return choose_device_again(device);
  });
}

// Host memory can always be mapped, and every context that was not reset says so. Core dumps can be
// requested by flags, but the flags are not reported.
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return call_alone([&]() -> Status {
    if (flags == nullptr) return cudaErrorInvalidValue;
    Current current = Current::nothing;
    CHECK(find_current(&current));
    if (current == Current::created) return DRIVER(cuCtxGetFlags)(flags);
    int device = 0;
    CHECK(find_device(&device));
    int active = 0;
    CHECK(DRIVER(cuDevicePrimaryCtxGetState)(device, flags, &active));
    *flags &= ~unsigned{CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE};
    if (current != Current::reset) *flags |= cudaDeviceMapHost;
    return {};
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([&] { return synchronize(); });
}

cudaError_t cudaDeviceReset() {
  return call_alone([&] { return reset_device(); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  return call_with_driver([&]() -> Status {
    if (value == nullptr) return cudaErrorInvalidValue;
    CHECK(check_device(device));
    return DRIVER(cuDeviceGetAttribute)(value, static_cast<CUdevice_attribute>(attr), device);
  });
}

cudaError_t cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  return call([&] { return DRIVER(cuCtxGetLimit)(pValue, static_cast<CUlimit>(limit)); });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call([&] { return DRIVER(cuCtxSetLimit)(static_cast<CUlimit>(limit), value); });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* pCacheConfig) {
  return call([&] { return DRIVER(cuCtxGetCacheConfig)(same_layout<CUfunc_cache>(pCacheConfig)); });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache cacheConfig) {
  return call([&] { return DRIVER(cuCtxSetCacheConfig)(static_cast<CUfunc_cache>(cacheConfig)); });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* pConfig) {
  return call(
      [&] { return DRIVER(cuCtxGetSharedMemConfig)(same_layout<CUsharedconfig>(pConfig)); });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return call([&] { return DRIVER(cuCtxSetSharedMemConfig)(static_cast<CUsharedconfig>(config)); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return call([&] { return DRIVER(cuCtxGetStreamPriorityRange)(leastPriority, greatestPriority); });
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return call_with_driver([&]() -> Status {
    if (pciBusId == nullptr) return cudaErrorInvalidValue;
    CHECK(check_device(device));
    // A truncated identifier names no device.
    constexpr int shortest = sizeof "0000:00:00.0";
    if (len < shortest) return cudaErrorInvalidValue;
    return DRIVER(cuDeviceGetPCIBusId)(pciBusId, len, device);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return call_with_driver([&] { return DRIVER(cuDeviceGetByPCIBusId)(device, pciBusId); });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements,
                                                 const cudaChannelFormatDesc* fmtDesc, int device) {
  return call_with_driver([&]() -> Status {
    if (maxWidthInElements == nullptr || fmtDesc == nullptr) return cudaErrorInvalidValue;
    CHECK(check_device(device));
    CUarray_format format{};
    unsigned channels = 0;
    CHECK(find_format(*fmtDesc, &format, &channels));
    return DRIVER(cuDeviceGetTexture1DLinearMaxWidth)(maxWidthInElements, format, channels, device);
  });
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget target,
                                               cudaFlushGPUDirectRDMAWritesScope scope) {
  return call([&] {
    return DRIVER(cuFlushGPUDirectRDMAWrites)(static_cast<CUflushGPUDirectRDMAWritesTarget>(target),
                                              static_cast<CUflushGPUDirectRDMAWritesScope>(scope));
  });
}

cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callbackFunc,
                                                void* userData,
                                                cudaAsyncCallbackHandle_t* callback) {
  return call_with_driver([&] {
    return DRIVER(cuDeviceRegisterAsyncNotification)(
        device, reinterpret_cast<CUasyncCallback>(callbackFunc), userData,
        same_layout<CUasyncCallbackHandle>(callback));
  });
}

cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t callback) {
  return call_with_driver([&] {
    return DRIVER(cuDeviceUnregisterAsyncNotification)(
        device, reinterpret_cast<CUasyncCallbackHandle>(callback));
  });
}

cudaError_t cudaDeviceGetNvSciSyncAttributes(void* nvSciSyncAttrList, int device, int flags) {
  return call_with_driver(
      [&] { return DRIVER(cuDeviceGetNvSciSyncAttributes)(nvSciSyncAttrList, device, flags); });
}
}
