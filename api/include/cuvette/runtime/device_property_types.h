// SPDX-License-Identifier: Apache-2.0
// Devices: attributes, properties, limits and flags.
//
// Reference: CUDA Runtime API, "Device Management".
#pragma once

#include "handle_types.h"
#include "platform.h"

// How host threads wait for a device: as seems best, by looking again and again, in turn with other
// threads, or asleep; whether host memory may be mapped; whether local memory stays large; whether
// copies wait for the device.
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
// The old name.
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceScheduleMask 0x07
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaDeviceSyncMemops 0x80
#define cudaDeviceMask 0xff

// deviceFlags of cudaInitDevice counts.
#define cudaInitDeviceFlagsAreValid 0x01

// No devices: the host's memory, and none.
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

// The only flag of cudaDeviceEnablePeerAccess.
#define cudaPeerAccessDefault 0x00

// The attributes of a device. Sizes are in bytes and clock rates in kHz, except where a name
// says otherwise; questions are answered with 0 or 1.
enum cudaDeviceAttr {
  // The largest shapes of a block and a grid.
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  // Without cudaDevAttrMaxSharedMemoryPerBlockOptin, which a kernel must ask for.
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  // In threads.
  cudaDevAttrWarpSize = 10,
  // Of a copy.
  cudaDevAttrMaxPitch = 11,
  // Of 32 bits.
  cudaDevAttrMaxRegistersPerBlock = 12,
  // Of the multiprocessors.
  cudaDevAttrClockRate = 13,
  cudaDevAttrTextureAlignment = 14,
  // Whether it copies while a kernel runs.
  cudaDevAttrGpuOverlap = 15,
  cudaDevAttrMultiProcessorCount = 16,
  // Whether a kernel that runs for too long is stopped.
  cudaDevAttrKernelExecTimeout = 17,
  // Whether its memory is the host's.
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  // A cudaComputeMode.
  cudaDevAttrComputeMode = 20,
  // The largest textures and surfaces, in elements and layers.
  cudaDevAttrMaxTexture1DWidth = 21,
  cudaDevAttrMaxTexture2DWidth = 22,
  cudaDevAttrMaxTexture2DHeight = 23,
  cudaDevAttrMaxTexture3DWidth = 24,
  cudaDevAttrMaxTexture3DHeight = 25,
  cudaDevAttrMaxTexture3DDepth = 26,
  cudaDevAttrMaxTexture2DLayeredWidth = 27,
  cudaDevAttrMaxTexture2DLayeredHeight = 28,
  cudaDevAttrMaxTexture2DLayeredLayers = 29,
  cudaDevAttrSurfaceAlignment = 30,
  // Whether kernels of several streams run at a time.
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrEccEnabled = 32,
  cudaDevAttrPciBusId = 33,
  cudaDevAttrPciDeviceId = 34,
  // Whether it has a driver of Windows without graphics.
  cudaDevAttrTccDriver = 35,
  cudaDevAttrMemoryClockRate = 36,
  // In bits.
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  // How many copies run beside kernels.
  cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrMaxTexture1DLayeredWidth = 42,
  cudaDevAttrMaxTexture1DLayeredLayers = 43,
  // With cudaArrayTextureGather.
  cudaDevAttrMaxTexture2DGatherWidth = 45,
  cudaDevAttrMaxTexture2DGatherHeight = 46,
  // The other largest shape, longer in one direction.
  cudaDevAttrMaxTexture3DWidthAlt = 47,
  cudaDevAttrMaxTexture3DHeightAlt = 48,
  cudaDevAttrMaxTexture3DDepthAlt = 49,
  cudaDevAttrPciDomainId = 50,
  cudaDevAttrTexturePitchAlignment = 51,
  cudaDevAttrMaxTextureCubemapWidth = 52,
  cudaDevAttrMaxTextureCubemapLayeredWidth = 53,
  cudaDevAttrMaxTextureCubemapLayeredLayers = 54,
  cudaDevAttrMaxSurface1DWidth = 55,
  cudaDevAttrMaxSurface2DWidth = 56,
  cudaDevAttrMaxSurface2DHeight = 57,
  cudaDevAttrMaxSurface3DWidth = 58,
  cudaDevAttrMaxSurface3DHeight = 59,
  cudaDevAttrMaxSurface3DDepth = 60,
  cudaDevAttrMaxSurface1DLayeredWidth = 61,
  cudaDevAttrMaxSurface1DLayeredLayers = 62,
  cudaDevAttrMaxSurface2DLayeredWidth = 63,
  cudaDevAttrMaxSurface2DLayeredHeight = 64,
  cudaDevAttrMaxSurface2DLayeredLayers = 65,
  cudaDevAttrMaxSurfaceCubemapWidth = 66,
  cudaDevAttrMaxSurfaceCubemapLayeredWidth = 67,
  cudaDevAttrMaxSurfaceCubemapLayeredLayers = 68,
  cudaDevAttrMaxTexture1DLinearWidth = 69,
  cudaDevAttrMaxTexture2DLinearWidth = 70,
  cudaDevAttrMaxTexture2DLinearHeight = 71,
  cudaDevAttrMaxTexture2DLinearPitch = 72,
  cudaDevAttrMaxTexture2DMipmappedWidth = 73,
  cudaDevAttrMaxTexture2DMipmappedHeight = 74,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxTexture1DMipmappedWidth = 77,
  // Whether streams have priorities, and globals and locals an L1 cache.
  cudaDevAttrStreamPrioritiesSupported = 78,
  cudaDevAttrGlobalL1CacheSupported = 79,
  cudaDevAttrLocalL1CacheSupported = 80,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrIsMultiGpuBoard = 84,
  // A number that all devices of a board share.
  cudaDevAttrMultiGpuBoardGroupID = 85,
  // Whether the link to the host does atomic operations.
  cudaDevAttrHostNativeAtomicSupported = 86,
  // How many times as many floats as doubles it computes.
  cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
  // Whether it reaches memory of malloc.
  cudaDevAttrPageableMemoryAccess = 88,
  // Whether host and device use managed memory at a time.
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrComputePreemptionSupported = 90,
  // Whether registered memory has one address.
  cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
  cudaDevAttrReserved92 = 92,
  cudaDevAttrReserved93 = 93,
  cudaDevAttrReserved94 = 94,
  cudaDevAttrCooperativeLaunch = 95,
#if CUVETTE_CUDART_MAJOR == 12
  cudaDevAttrCooperativeMultiDeviceLaunch = 96,
#else
  cudaDevAttrReserved96 = 96,
#endif
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrCanFlushRemoteWrites = 98,
  cudaDevAttrHostRegisterSupported = 99,
  cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
  cudaDevAttrDirectManagedMemAccessFromHost = 101,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  // Of the lines that stay, and of a window of them.
  cudaDevAttrMaxPersistingL2CacheSize = 108,
  cudaDevAttrMaxAccessPolicyWindowSize = 109,
  // The shared memory that the system reserves in each block.
  cudaDevAttrReservedSharedMemoryPerBlock = 111,
  cudaDevAttrSparseCudaArraySupported = 112,
  cudaDevAttrHostRegisterReadOnlySupported = 113,
  cudaDevAttrTimelineSemaphoreInteropSupported = 114,
  cudaDevAttrMemoryPoolsSupported = 115,
  cudaDevAttrGPUDirectRDMASupported = 116,
  // A mask of cudaFlushGPUDirectRDMAWritesOptions.
  cudaDevAttrGPUDirectRDMAFlushWritesOptions = 117,
  // A cudaGPUDirectRDMAWritesOrdering.
  cudaDevAttrGPUDirectRDMAWritesOrdering = 118,
  // A mask of cudaMemAllocationHandleType.
  cudaDevAttrMemoryPoolSupportedHandleTypes = 119,
  cudaDevAttrClusterLaunch = 120,
  cudaDevAttrDeferredMappingCudaArraySupported = 121,
  cudaDevAttrReserved122 = 122,
  cudaDevAttrReserved123 = 123,
  cudaDevAttrReserved124 = 124,
  cudaDevAttrIpcEventSupport = 125,
  cudaDevAttrMemSyncDomainCount = 126,
  cudaDevAttrReserved127 = 127,
  cudaDevAttrReserved128 = 128,
  cudaDevAttrReserved129 = 129,
  // A cudaDeviceNumaConfig, and the node of the device's memory, or -1.
  cudaDevAttrNumaConfig = 130,
  cudaDevAttrNumaId = 131,
  cudaDevAttrReserved132 = 132,
  cudaDevAttrMpsEnabled = 133,
  // The node of the host that is nearest.
  cudaDevAttrHostNumaId = 134,
  // Whether it takes turns with a graphics API in one context.
  cudaDevAttrD3D12CigSupported = 135,
  cudaDevAttrVulkanCigSupported = 138,
  // Device and vendor of the chip and of the board, 16 bits each.
  cudaDevAttrGpuPciDeviceId = 139,
  cudaDevAttrGpuPciSubsystemId = 140,
  cudaDevAttrReserved141 = 141,
  cudaDevAttrHostNumaMemoryPoolsSupported = 142,
  cudaDevAttrHostNumaMultinodeIpcSupported = 143,
#if CUVETTE_CUDART_MAJOR == 12
  cudaDevAttrMax = 144,
#else
  cudaDevAttrHostMemoryPoolsSupported = 144,
  cudaDevAttrReserved145 = 145,
  cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147,
  cudaDevAttrMax,
#endif
};

// All properties of a device. Sizes are in bytes.
struct cudaDeviceProp {
  char name[256];
  // 16 bytes that name the device; luid is for Windows only.
  cudaUUID_t uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  // Of 32 bits.
  int regsPerBlock;
  // In threads.
  int warpSize;
  // The largest pitch of a copy.
  size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
#if CUVETTE_CUDART_MAJOR == 12
  // In kHz, as memoryClockRate.
  int clockRate;
#endif
  size_t totalConstMem;
  // The compute capability.
  int major;
  int minor;
  // Of the address of a texture on memory, and of its pitch.
  size_t textureAlignment;
  size_t texturePitchAlignment;
#if CUVETTE_CUDART_MAJOR == 12
  int deviceOverlap;
#endif
  int multiProcessorCount;
#if CUVETTE_CUDART_MAJOR == 12
  int kernelExecTimeoutEnabled;
#endif
  // Whether its memory is the host's.
  int integrated;
  int canMapHostMemory;
#if CUVETTE_CUDART_MAJOR == 12
  int computeMode;
#endif
  // The largest textures and surfaces: width, height and depth, or layers, in elements.
  int maxTexture1D;
  int maxTexture1DMipmap;
#if CUVETTE_CUDART_MAJOR == 12
  int maxTexture1DLinear;
#endif
  int maxTexture2D[2];
  int maxTexture2DMipmap[2];
  int maxTexture2DLinear[3];
  int maxTexture2DGather[2];
  int maxTexture3D[3];
  int maxTexture3DAlt[3];
  int maxTextureCubemap;
  int maxTexture1DLayered[2];
  int maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2];
  int maxSurface1D;
  int maxSurface2D[2];
  int maxSurface3D[3];
  int maxSurface1DLayered[2];
  int maxSurface2DLayered[3];
  int maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  // Whether kernels of several streams run at a time.
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  // Whether it has a driver of Windows without graphics.
  int tccDriver;
  // How many copies run beside kernels.
  int asyncEngineCount;
  int unifiedAddressing;
#if CUVETTE_CUDART_MAJOR == 12
  int memoryClockRate;
#endif
  // In bits.
  int memoryBusWidth;
  // Of the L2 cache, and of the lines of it that stay.
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  // A number that all devices of a board share.
  int multiGpuBoardGroupID;
  // Whether the link to the host does atomic operations.
  int hostNativeAtomicSupported;
#if CUVETTE_CUDART_MAJOR == 12
  int singleToDoublePrecisionPerfRatio;
#endif
  // Whether it reaches memory of malloc.
  int pageableMemoryAccess;
  // Whether host and device use managed memory at a time.
  int concurrentManagedAccess;
  int computePreemptionSupported;
  // Whether registered memory has one address.
  int canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
#if CUVETTE_CUDART_MAJOR == 12
  int cooperativeMultiDeviceLaunch;
#endif
  // For kernels that ask for it.
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  // The shared memory that the system reserves in each block.
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported;
  int sparseCudaArraySupported;
  int hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported;
  int memoryPoolsSupported;
  int gpuDirectRDMASupported;
  // A mask of cudaFlushGPUDirectRDMAWritesOptions.
  unsigned int gpuDirectRDMAFlushWritesOptions;
  // A cudaGPUDirectRDMAWritesOrdering.
  int gpuDirectRDMAWritesOrdering;
  // A mask of cudaMemAllocationHandleType.
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported;
  int ipcEventSupported;
  int clusterLaunch;
  int unifiedFunctionPointers;
  // A cudaDeviceNumaConfig, and the node of the device's memory, or -1.
#if CUVETTE_CUDART_MAJOR == 12
  int reserved[63];
#else
  int deviceNumaConfig;
  int deviceNumaId;
  int mpsEnabled;
  // The node of the host that is nearest.
  int hostNumaId;
  // Device and vendor of the chip and of the board, 16 bits each.
  unsigned int gpuPciDeviceID;
  unsigned int gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  int reserved[56];
#endif
};

// The processes that may use a device: all, none, one.
enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3,
};

// The limits of cudaDeviceSetLimit, in bytes: stack of a thread, buffer of printf, heap of malloc
// in kernels, how kernels launch kernels, fetches of L2 and its persisting part.
enum cudaLimit {
  cudaLimitStackSize = 0x00,
  cudaLimitPrintfFifoSize = 0x01,
  cudaLimitMallocHeapSize = 0x02,
  cudaLimitDevRuntimeSyncDepth = 0x03,
  cudaLimitDevRuntimePendingLaunchCount = 0x04,
  cudaLimitMaxL2FetchGranularity = 0x05,
  cudaLimitPersistingL2CacheSize = 0x06,
};

// The attributes of a link: its rank among the links (lower is better), access, atomic
// operations, arrays.
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3,
  cudaDevP2PAttrCudaArrayAccessSupported = 4,
#if CUVETTE_CUDART_MAJOR >= 13
  cudaDevP2PAttrOnlyPartialNativeAtomicSupported = 5,
#endif
};

#if CUVETTE_CUDART_MAJOR >= 13
// Atomic operations, for questions about what a link can do.
enum cudaAtomicOperation {
  cudaAtomicOperationIntegerAdd = 0,
  cudaAtomicOperationIntegerMin = 1,
  cudaAtomicOperationIntegerMax = 2,
  cudaAtomicOperationIntegerIncrement = 3,
  cudaAtomicOperationIntegerDecrement = 4,
  cudaAtomicOperationAnd = 5,
  cudaAtomicOperationOr = 6,
  cudaAtomicOperationXOR = 7,
  cudaAtomicOperationExchange = 8,
  cudaAtomicOperationCAS = 9,
  cudaAtomicOperationFloatAdd = 10,
  cudaAtomicOperationFloatMin = 11,
  cudaAtomicOperationFloatMax = 12,
};
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// The atomic operations of a link; a mask.
enum cudaAtomicOperationCapability {
  cudaAtomicCapabilitySigned = 1u << 0,
  cudaAtomicCapabilityUnsigned = 1u << 1,
  cudaAtomicCapabilityReduction = 1u << 2,
  cudaAtomicCapabilityScalar32 = 1u << 3,
  cudaAtomicCapabilityScalar64 = 1u << 4,
  cudaAtomicCapabilityScalar128 = 1u << 5,
  cudaAtomicCapabilityVector32x4 = 1u << 6,
};
#endif

// Whether a device's memory is a node of the host.
enum cudaDeviceNumaConfig {
  cudaDeviceNumaConfigNone = 0,
  cudaDeviceNumaConfigNumaNode,
};

// Who sees writes of other devices on the bus without a flush.
enum cudaGPUDirectRDMAWritesOrdering {
  cudaGPUDirectRDMAWritesOrderingNone = 0,
  cudaGPUDirectRDMAWritesOrderingOwner = 100,
  cudaGPUDirectRDMAWritesOrderingAllDevices = 200,
};

// Which calls flush such writes; a mask.
enum cudaFlushGPUDirectRDMAWritesOptions {
  cudaFlushGPUDirectRDMAWritesOptionHost = 1 << 0,
  cudaFlushGPUDirectRDMAWritesOptionMemOps = 1 << 1,
};

// For whom a flush makes writes visible: this device's work or all devices'.
enum cudaFlushGPUDirectRDMAWritesScope {
  cudaFlushGPUDirectRDMAWritesToOwner = 100,
  cudaFlushGPUDirectRDMAWritesToAllDevices = 200,
};

// The writes to flush.
enum cudaFlushGPUDirectRDMAWritesTarget {
  cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
};

// Flags of cudaDeviceGetNvSciSyncAttributes: what the device needs to signal and to wait.
#define cudaNvSciSyncAttrSignal 0x1
#define cudaNvSciSyncAttrWait 0x2

// The handle from cudaDeviceRegisterAsyncNotification.
typedef struct cudaAsyncCallbackEntry* cudaAsyncCallbackHandle_t;

struct cudaAsyncCallbackEntry;

// The event: the process has more of the device's memory than it should.
typedef enum cudaAsyncNotificationType_enum {
  cudaAsyncNotificationTypeOverBudget = 0x1,
} cudaAsyncNotificationType;

// The argument of a callback.
typedef struct cudaAsyncNotificationInfo {
  cudaAsyncNotificationType type;
  union {
    struct {
      unsigned long long bytesOverBudget;
    } overBudget;
  } info;
} cudaAsyncNotificationInfo_t;

// Called with the notice, the data and the handle of the registration.
typedef void (*cudaAsyncCallback)(cudaAsyncNotificationInfo_t*, void*, cudaAsyncCallbackHandle_t);
