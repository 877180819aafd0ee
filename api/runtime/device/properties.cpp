// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/device/properties.hpp"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "api/runtime/abi.hpp"
#include "api/runtime/call.hpp"
#include "api/runtime/driver.hpp"

using namespace cuvette::runtime;

namespace cuvette::runtime {
namespace {

// Where a property lies, how large it is, and which attribute it repeats.
struct Property {
  std::size_t offset, bytes;
  CUdevice_attribute attribute;
};

#define PROPERTY(field, attribute)                                  \
  {                                                                 \
    offsetof(cudaDeviceProp, field), sizeof(cudaDeviceProp::field), \
        CU_DEVICE_ATTRIBUTE_##attribute                             \
  }
// One element of an array of int.
#define EXTENT(field, index, attribute)                                   \
  {                                                                       \
    offsetof(cudaDeviceProp, field) + (index) * sizeof(int), sizeof(int), \
        CU_DEVICE_ATTRIBUTE_##attribute                                   \
  }

constexpr Property properties_of_attributes[] = {
    PROPERTY(regsPerBlock, MAX_REGISTERS_PER_BLOCK),
    PROPERTY(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK),
    PROPERTY(warpSize, WARP_SIZE),
    PROPERTY(memPitch, MAX_PITCH),
    PROPERTY(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
    EXTENT(maxThreadsDim, 0, MAX_BLOCK_DIM_X),
    EXTENT(maxThreadsDim, 1, MAX_BLOCK_DIM_Y),
    EXTENT(maxThreadsDim, 2, MAX_BLOCK_DIM_Z),
    EXTENT(maxGridSize, 0, MAX_GRID_DIM_X),
    EXTENT(maxGridSize, 1, MAX_GRID_DIM_Y),
    EXTENT(maxGridSize, 2, MAX_GRID_DIM_Z),
    PROPERTY(totalConstMem, TOTAL_CONSTANT_MEMORY),
    PROPERTY(major, COMPUTE_CAPABILITY_MAJOR),
    PROPERTY(minor, COMPUTE_CAPABILITY_MINOR),
    PROPERTY(textureAlignment, TEXTURE_ALIGNMENT),
    PROPERTY(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT),
    PROPERTY(multiProcessorCount, MULTIPROCESSOR_COUNT),
    PROPERTY(integrated, INTEGRATED),
    PROPERTY(canMapHostMemory, CAN_MAP_HOST_MEMORY),
    PROPERTY(maxTexture1D, MAXIMUM_TEXTURE1D_WIDTH),
    PROPERTY(maxTexture1DMipmap, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH),
    EXTENT(maxTexture2D, 0, MAXIMUM_TEXTURE2D_WIDTH),
    EXTENT(maxTexture2D, 1, MAXIMUM_TEXTURE2D_HEIGHT),
    EXTENT(maxTexture2DMipmap, 0, MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
    EXTENT(maxTexture2DMipmap, 1, MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT),
    EXTENT(maxTexture2DLinear, 0, MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
    EXTENT(maxTexture2DLinear, 1, MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
    EXTENT(maxTexture2DLinear, 2, MAXIMUM_TEXTURE2D_LINEAR_PITCH),
    EXTENT(maxTexture2DGather, 0, MAXIMUM_TEXTURE2D_GATHER_WIDTH),
    EXTENT(maxTexture2DGather, 1, MAXIMUM_TEXTURE2D_GATHER_HEIGHT),
    EXTENT(maxTexture3D, 0, MAXIMUM_TEXTURE3D_WIDTH),
    EXTENT(maxTexture3D, 1, MAXIMUM_TEXTURE3D_HEIGHT),
    EXTENT(maxTexture3D, 2, MAXIMUM_TEXTURE3D_DEPTH),
    EXTENT(maxTexture3DAlt, 0, MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE),
    EXTENT(maxTexture3DAlt, 1, MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE),
    EXTENT(maxTexture3DAlt, 2, MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE),
    PROPERTY(maxTextureCubemap, MAXIMUM_TEXTURECUBEMAP_WIDTH),
    EXTENT(maxTexture1DLayered, 0, MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
    EXTENT(maxTexture1DLayered, 1, MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
    EXTENT(maxTexture2DLayered, 0, MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
    EXTENT(maxTexture2DLayered, 1, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
    EXTENT(maxTexture2DLayered, 2, MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
    EXTENT(maxTextureCubemapLayered, 0, MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
    EXTENT(maxTextureCubemapLayered, 1, MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
    PROPERTY(maxSurface1D, MAXIMUM_SURFACE1D_WIDTH),
    EXTENT(maxSurface2D, 0, MAXIMUM_SURFACE2D_WIDTH),
    EXTENT(maxSurface2D, 1, MAXIMUM_SURFACE2D_HEIGHT),
    EXTENT(maxSurface3D, 0, MAXIMUM_SURFACE3D_WIDTH),
    EXTENT(maxSurface3D, 1, MAXIMUM_SURFACE3D_HEIGHT),
    EXTENT(maxSurface3D, 2, MAXIMUM_SURFACE3D_DEPTH),
    EXTENT(maxSurface1DLayered, 0, MAXIMUM_SURFACE1D_LAYERED_WIDTH),
    EXTENT(maxSurface1DLayered, 1, MAXIMUM_SURFACE1D_LAYERED_LAYERS),
    EXTENT(maxSurface2DLayered, 0, MAXIMUM_SURFACE2D_LAYERED_WIDTH),
    EXTENT(maxSurface2DLayered, 1, MAXIMUM_SURFACE2D_LAYERED_HEIGHT),
    EXTENT(maxSurface2DLayered, 2, MAXIMUM_SURFACE2D_LAYERED_LAYERS),
    PROPERTY(maxSurfaceCubemap, MAXIMUM_SURFACECUBEMAP_WIDTH),
    EXTENT(maxSurfaceCubemapLayered, 0, MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
    EXTENT(maxSurfaceCubemapLayered, 1, MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS),
    PROPERTY(surfaceAlignment, SURFACE_ALIGNMENT),
    PROPERTY(concurrentKernels, CONCURRENT_KERNELS),
    PROPERTY(ECCEnabled, ECC_ENABLED),
    PROPERTY(pciBusID, PCI_BUS_ID),
    PROPERTY(pciDeviceID, PCI_DEVICE_ID),
    PROPERTY(pciDomainID, PCI_DOMAIN_ID),
    PROPERTY(tccDriver, TCC_DRIVER),
    PROPERTY(asyncEngineCount, ASYNC_ENGINE_COUNT),
    PROPERTY(unifiedAddressing, UNIFIED_ADDRESSING),
    PROPERTY(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH),
    PROPERTY(l2CacheSize, L2_CACHE_SIZE),
    PROPERTY(persistingL2CacheMaxSize, MAX_PERSISTING_L2_CACHE_SIZE),
    PROPERTY(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR),
    PROPERTY(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED),
    PROPERTY(globalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED),
    PROPERTY(localL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED),
    PROPERTY(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    PROPERTY(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR),
    PROPERTY(managedMemory, MANAGED_MEMORY),
    PROPERTY(isMultiGpuBoard, MULTI_GPU_BOARD),
    PROPERTY(multiGpuBoardGroupID, MULTI_GPU_BOARD_GROUP_ID),
    PROPERTY(hostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED),
    PROPERTY(pageableMemoryAccess, PAGEABLE_MEMORY_ACCESS),
    PROPERTY(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS),
    PROPERTY(computePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED),
    PROPERTY(canUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM),
    PROPERTY(cooperativeLaunch, COOPERATIVE_LAUNCH),
    PROPERTY(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    PROPERTY(pageableMemoryAccessUsesHostPageTables, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES),
    PROPERTY(directManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST),
    PROPERTY(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR),
    PROPERTY(accessPolicyMaxWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE),
    PROPERTY(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK),
    PROPERTY(hostRegisterSupported, HOST_REGISTER_SUPPORTED),
    PROPERTY(sparseCudaArraySupported, SPARSE_CUDA_ARRAY_SUPPORTED),
    PROPERTY(hostRegisterReadOnlySupported, READ_ONLY_HOST_REGISTER_SUPPORTED),
    PROPERTY(timelineSemaphoreInteropSupported, TIMELINE_SEMAPHORE_INTEROP_SUPPORTED),
    PROPERTY(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED),
    PROPERTY(gpuDirectRDMASupported, GPU_DIRECT_RDMA_SUPPORTED),
    PROPERTY(gpuDirectRDMAFlushWritesOptions, GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS),
    PROPERTY(gpuDirectRDMAWritesOrdering, GPU_DIRECT_RDMA_WRITES_ORDERING),
    PROPERTY(memoryPoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES),
    PROPERTY(deferredMappingCudaArraySupported, DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED),
    PROPERTY(ipcEventSupported, IPC_EVENT_SUPPORTED),
    PROPERTY(clusterLaunch, CLUSTER_LAUNCH),
    PROPERTY(unifiedFunctionPointers, UNIFIED_FUNCTION_POINTERS),
#if CUDART_VERSION >= 13000
    PROPERTY(deviceNumaConfig, NUMA_CONFIG),
    PROPERTY(deviceNumaId, NUMA_ID),
    PROPERTY(mpsEnabled, MPS_ENABLED),
    PROPERTY(hostNumaId, HOST_NUMA_ID),
    PROPERTY(gpuPciDeviceID, GPU_PCI_DEVICE_ID),
    PROPERTY(gpuPciSubsystemID, GPU_PCI_SUBSYSTEM_ID),
    PROPERTY(hostNumaMultinodeIpcSupported, HOST_NUMA_MULTINODE_IPC_SUPPORTED),
#endif
#if CUDART_VERSION < 13000
    PROPERTY(clockRate, CLOCK_RATE),
    PROPERTY(deviceOverlap, GPU_OVERLAP),
    PROPERTY(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT),
    PROPERTY(computeMode, COMPUTE_MODE),
    PROPERTY(memoryClockRate, MEMORY_CLOCK_RATE),
    PROPERTY(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO),
    PROPERTY(cooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH),
    PROPERTY(maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH),
#endif
};

#undef PROPERTY
#undef EXTENT

// The properties of a device, which never change, once a call has found them all.
struct Known {
  enum State : int { unknown, being_written, known };
  std::atomic<int> state{unknown};
  cudaDeviceProp properties{};
};
constinit Known known_devices[16];

Status ask_driver(int device, cudaDeviceProp* properties) {
  *properties = {};
  CHECK(DRIVER(cuDeviceGetName)(properties->name, sizeof properties->name, device));
  CHECK(DRIVER(cuDeviceGetUuid)(reinterpret_cast<CUuuid*>(&properties->uuid), device));
  CHECK(DRIVER(cuDeviceTotalMem)(&properties->totalGlobalMem, device));
  // Only Windows has such identifiers; the fields stay zero where the driver refuses.
  (void)DRIVER(cuDeviceGetLuid)(properties->luid, &properties->luidDeviceNodeMask, device);
  for (const Property& property : properties_of_attributes) {
    int value = 0;
    CHECK(DRIVER(cuDeviceGetAttribute)(&value, property.attribute, device));
    char* const field = reinterpret_cast<char*>(properties) + property.offset;
    if (property.bytes == sizeof(int)) {
      std::memcpy(field, &value, sizeof value);
    } else {
      const auto wide = static_cast<std::size_t>(value);
      std::memcpy(field, &wide, sizeof wide);
    }
  }
  return {};
}

}  // namespace

Status find_properties(int device, cudaDeviceProp* properties) {
  Known* const known = static_cast<std::size_t>(device) < std::size(known_devices)
                           ? &known_devices[device]
                           : nullptr;
  if (known && known->state.load(std::memory_order_acquire) == Known::known) {
    *properties = known->properties;
    return {};
  }
  CHECK(ask_driver(device, properties));
  int state = Known::unknown;
  if (known && known->state.compare_exchange_strong(state, Known::being_written,
                                                    std::memory_order_relaxed)) {
    known->properties = *properties;
    known->state.store(Known::known, std::memory_order_release);
  }
  return {};
}

Status choose_nearest(int* device, const cudaDeviceProp& asked) {
  int count = 0, most = -1;
  CHECK(DRIVER(cuDeviceGetCount)(&count));
  for (int candidate = 0; candidate < count; ++candidate) {
    cudaDeviceProp offered;
    CHECK(find_properties(candidate, &offered));
    // Each fulfilled wish is one point; the first device with the most points is taken.
    const int points = (asked.name[0] == 0 || std::strcmp(asked.name, offered.name) == 0) +
                       (asked.major <= offered.major) +
                       (asked.major != offered.major || asked.minor <= offered.minor) +
                       (asked.totalGlobalMem <= offered.totalGlobalMem) +
                       (asked.multiProcessorCount <= offered.multiProcessorCount) +
                       (asked.maxThreadsPerBlock <= offered.maxThreadsPerBlock) +
                       (asked.sharedMemPerBlock <= offered.sharedMemPerBlock);
    if (points <= most) continue;
    most = points;
    *device = candidate;
  }
  return most < 0 ? cudaErrorNoDevice : cudaSuccess;
}

}  // namespace cuvette::runtime

namespace {

cudaError_t properties(cudaDeviceProp* prop, int device) {
  return call_with_driver([&]() -> Status {
    if (prop == nullptr) return cudaErrorInvalidValue;
    CHECK(check_device(device));
    return find_properties(device, prop);
  });
}

}  // namespace

extern "C" {

cudaError_t LATEST(cudaGetDeviceProperties, _v2)(cudaDeviceProp* prop, int device) {
  return properties(prop, device);
}
}
