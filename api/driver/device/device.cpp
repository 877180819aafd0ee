// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/model/identity.hpp"
#include "sim/device/texture/texture.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::MemoryPool;

namespace {

// Copies as much of `text` as fits, always with a terminating zero.
Result<> answer_text(std::string_view text, char* out, int size) {
  if (!out || size <= 0)
    return refuse(Error::invalid_value, "The buffer has %d bytes; it needs at least 1.", size);
  const size_t count = std::min(text.size(), static_cast<size_t>(size) - 1);
  std::memcpy(out, text.data(), count);
  out[count] = '\0';
  return {};
}

Result<> answer_uuid(CUuuid* uuid, CUdevice dev) {
  const device::Device* device = TRY(find_device(dev));
  if (!uuid) return Error::invalid_value;
  static_assert(sizeof uuid->bytes == 16);
  std::memcpy(uuid->bytes, device->identity().uuid.data(), 16);
  return {};
}

Result<MemoryPool::Home> home_of(CUdevice dev) {
  return MemoryPool::Home::of_device(TRY(find_device(dev))->ordinal());
}

Result<int> attribute(const device::Device& device, int number) {
  const auto value = device::attribute(device.profile(), device.identity(),
                                       static_cast<int>(device.index()), number);
  if (!value) return refuse(Error::invalid_value, "%d is not a device attribute.", number);
  return *value;
}

}  // namespace

extern "C" {

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return call<CUresult>([&]() -> Result<> {
    if (!device) return Error::invalid_value;
    TRY(find_device(ordinal));
    *device = ordinal;
    return {};
  });
}

CUresult cuDeviceGetCount(int* count) {
  return call<CUresult>([&]() -> Result<> {
    if (!count) return Error::invalid_value;
    *count = static_cast<int>(device::Machine::get().devices().size());
    return {};
  });
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    const device::Device* device = TRY(find_device(dev));
    return answer_text(device->profile().name, name, len);
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> { return answer_uuid(uuid, dev); });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> { return answer_uuid(uuid, dev); });
}

// Only Windows has locally unique identifiers; the driver on Linux says so, after its checks.
CUresult cuDeviceGetLuid(char* luid, unsigned int* deviceNodeMask, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    TRY(find_device(dev));
    if (!luid || !deviceNodeMask) return Error::invalid_value;
    return Error::not_supported;
  });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    if (!bytes) return Error::invalid_value;
    const device::Device* device = TRY(find_device(dev));
    *bytes = device::Machine::get().memory().usage(device->ordinal()).total;
    return {};
  });
}

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    if (!pi) return Error::invalid_value;
    const device::Device* device = TRY(find_device(dev));
    *pi = TRY(attribute(*device, static_cast<int>(attrib)));
    return {};
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    const device::Device* device = TRY(find_device(dev));
    if (!major || !minor) return Error::invalid_value;
    *major = device->profile().compute_major;
    *minor = device->profile().compute_minor;
    return {};
  });
}

CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    const device::Device* device = TRY(find_device(dev));
    if (!prop) return Error::invalid_value;
    const auto value = [&](CUdevice_attribute number) {
      return *device->profile().attribute(static_cast<int>(number));
    };
    prop->maxThreadsPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    prop->maxThreadsDim[0] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    prop->maxThreadsDim[1] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    prop->maxThreadsDim[2] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    prop->maxGridSize[0] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
    prop->maxGridSize[1] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
    prop->maxGridSize[2] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
    prop->sharedMemPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    prop->totalConstantMemory = value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    prop->SIMDWidth = value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    prop->memPitch = value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    prop->regsPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    prop->clockRate = value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    prop->textureAlign = value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    return {};
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, CUarray_format format,
                                            unsigned numChannels, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    // Measured: the device is checked last.
    if (!maxWidthInElements) return Error::invalid_value;
    const size_t most =
        TRY(device::most_linear_elements(static_cast<device::ArrayFormat>(format), numChannels));
    TRY(find_device(dev));
    *maxWidthInElements = most;
    return {};
  });
}

// A context always has all multiprocessors: cuCtxGetExecAffinity says how many those are.
CUresult cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    if (!pi) return Error::invalid_value;
    TRY(find_device(dev));
    *pi = 0;  // measured, for types that do not exist too
    return {};
  });
}

CUresult cuDeviceGetNvSciSyncAttributes(void* nvSciSyncAttrList, CUdevice dev, int) {
  return call<CUresult>([&]() -> Result<> {
    // Measured: null is an invalid handle.
    if (!nvSciSyncAttrList) return Error::invalid_handle;
    TRY(find_device(dev));
    return refuse(Error::not_supported, "NvSci exists on NVIDIA's embedded boards only.");
  });
}

// No other machine or device writes to device memory, so all that is written is visible.
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX ||
        (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
         scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES))
      return refuse(Error::invalid_value, "Target %d or scope %d is not valid.",
                    static_cast<int>(target), static_cast<int>(scope));
    // "this call is only supported on devices with CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST".
    if (!(context.device().profile().value(
              device::Attribute::GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS) &
          CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST))
      return refuse(Error::not_supported, "This device has no GPUDirect RDMA to flush.");
    return {};
  });
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    const device::Device* device = TRY(find_device(dev));
    return answer_text(device::to_string(device->identity().pci), pciBusId, len);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  return call<CUresult>([&]() -> Result<> {
    if (!dev || !pciBusId) return Error::invalid_value;
    const auto address = device::parse_pci_address(pciBusId);
    if (!address)
      return refuse(Error::invalid_value, "'%s' is not a PCI address like 0000:00:06.0.", pciBusId);
    for (const auto& device : device::Machine::get().devices()) {
      if (device->identity().pci != *address) continue;
      *dev = static_cast<CUdevice>(device->ordinal());
      return {};
    }
    return refuse(Error::invalid_device, "No visible device has the PCI address '%s'.", pciBusId);
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    if (!pool_out) return Error::invalid_value;
    *pool_out = TRY(give_handle(*MemoryPool::default_of(TRY(home_of(dev)))));
    return {};
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    if (!pool) return Error::invalid_value;
    *pool = TRY(give_handle(*MemoryPool::current_of(TRY(home_of(dev)))));
    return {};
  });
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return call<CUresult>([&]() -> Result<> {
    const MemoryPool::Home home = TRY(home_of(dev));
    const Ref<MemoryPool> next = TRY(find(pool));
    TRY(device::Capture::refuse_unsafe_call());
    return MemoryPool::make_current(home, next);
  });
}

}  // extern "C"
