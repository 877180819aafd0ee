// SPDX-License-Identifier: Apache-2.0
// Devices: which there are, what they can do, and which one the thread uses.
//
// Reference: CUDA Runtime API, "Device Management".
#pragma once

#include "array_types.h"
#include "device_property_types.h"
#include "error_types.h"
#include "function_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// The exported symbol that each of these names expands to in CUDA 12.
#if CUVETTE_CUDART_MAJOR == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif

// Writes the device with the properties nearest to prop; fields that are 0 do not matter.
cudaError_t CUDARTAPI cudaChooseDevice(int* device, const struct cudaDeviceProp* prop);

// Makes all lines of the L2 cache normal ones again.
cudaError_t CUDARTAPI cudaCtxResetPersistingL2Cache(void);

// Waits until writes of other devices on the bus are visible in scope.
cudaError_t CUDARTAPI cudaDeviceFlushGPUDirectRDMAWrites(
    enum cudaFlushGPUDirectRDMAWritesTarget target, enum cudaFlushGPUDirectRDMAWritesScope scope);

// Writes one attribute of a device. cudaErrorInvalidDevice for a device that is not there,
// cudaErrorInvalidValue for an unknown attribute.
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attr, int device);

// Writes the device at a bus address "domain:bus:device.function", in hexadecimal digits; the
// domain and the function may be missing. cudaErrorInvalidDevice if there is none.
cudaError_t CUDARTAPI cudaDeviceGetByPCIBusId(int* device, const char* pciBusId);

// Writes what the device prefers: more L1 cache or more shared memory.
cudaError_t CUDARTAPI cudaDeviceGetCacheConfig(enum cudaFuncCache* pCacheConfig);

#if CUVETTE_CUDART_MAJOR >= 13
// Writes, for each of count operations, how the device can do it atomically in host memory: a mask
// of cudaAtomicOperationCapability.
cudaError_t CUDARTAPI cudaDeviceGetHostAtomicCapabilities(
    unsigned int* capabilities, const enum cudaAtomicOperation* operations, unsigned int count,
    int device);
#endif

// Writes a limit of the device. cudaErrorUnsupportedLimit for one that it has not.
cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t* pValue, enum cudaLimit limit);

// Fills a list with the NvSciSync attributes that the device needs.
cudaError_t CUDARTAPI cudaDeviceGetNvSciSyncAttributes(void* nvSciSyncAttrList, int device,
                                                       int flags);

#if CUVETTE_CUDART_MAJOR >= 13
// Writes, for each of count operations, how srcDevice can do it atomically in the memory of
// dstDevice.
cudaError_t CUDARTAPI cudaDeviceGetP2PAtomicCapabilities(unsigned int* capabilities,
                                                         const enum cudaAtomicOperation* operations,
                                                         unsigned int count, int srcDevice,
                                                         int dstDevice);
#endif

// Writes an attribute of the link from one device to another one.
cudaError_t CUDARTAPI cudaDeviceGetP2PAttribute(int* value, enum cudaDeviceP2PAttr attr,
                                                int srcDevice, int dstDevice);

// Writes a device's bus address "domain:bus:device.function" and a null character, at most len
// bytes. 13 bytes suffice.
cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char* pciBusId, int len, int device);

// Writes the width of the banks of shared memory.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* pConfig);

// Writes the lowest and the highest priority of streams; lower numbers are higher priorities. Both
// may be null.
cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);

// Writes the most texels of a one-dimensional texture on linear memory.
cudaError_t CUDARTAPI cudaDeviceGetTexture1DLinearMaxWidth(
    size_t* maxWidthInElements, const struct cudaChannelFormatDesc* fmtDesc, int device);

// Makes the driver call callbackFunc, on its own thread, when something happens to the device,
// such as using more memory than it should; writes a handle of it.
cudaError_t CUDARTAPI cudaDeviceRegisterAsyncNotification(int device,
                                                          cudaAsyncCallback callbackFunc,
                                                          void* userData,
                                                          cudaAsyncCallbackHandle_t* callback);

// Destroys the primary context of the thread's device with all that it holds. The next call makes a
// new one. No other thread may use the device meanwhile.
cudaError_t CUDARTAPI cudaDeviceReset(void);

// Says what kernels prefer that have not set a preference.
cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);

// Sets a limit of the device; the driver may choose another value that cudaDeviceGetLimit then
// writes. cudaErrorUnsupportedLimit, or cudaErrorInvalidValue for a value out of range.
cudaError_t CUDARTAPI cudaDeviceSetLimit(enum cudaLimit limit, size_t value);

// Sets the width of the banks of shared memory, where devices have a choice; it does nothing on
// today's devices.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI
cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);

// Waits until all work of the thread's device is complete, and returns the error of any that
// failed.
cudaError_t CUDARTAPI cudaDeviceSynchronize(void);

// Ends what cudaDeviceRegisterAsyncNotification began.
cudaError_t CUDARTAPI cudaDeviceUnregisterAsyncNotification(int device,
                                                            cudaAsyncCallbackHandle_t callback);

// Writes the device of this thread; 0 at first.
cudaError_t CUDARTAPI cudaGetDevice(int* device);

// Writes the number of devices. Without any it is cudaErrorNoDevice, without a driver
// cudaErrorInsufficientDriver.
cudaError_t CUDARTAPI cudaGetDeviceCount(int* count);

// Writes the flags of the thread's device.
cudaError_t CUDARTAPI cudaGetDeviceFlags(unsigned int* flags);

// Writes all properties of a device. cudaErrorInvalidDevice for one that is not there.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the name expands to the second version.
cudaError_t CUDARTAPI cudaGetDeviceProperties_v2(struct cudaDeviceProp* prop, int device);
#else
cudaError_t CUDARTAPI cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device);
#endif

// Makes the primary context of a device without making the device the thread's. deviceFlags counts
// if flags is cudaInitDeviceFlagsAreValid.
cudaError_t CUDARTAPI cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);

// Makes a device this thread's, and its primary context current. cudaErrorInvalidDevice for one
// that is not there.
cudaError_t CUDARTAPI cudaSetDevice(int device);

// Sets the flags of the thread's device, of the cudaDeviceSchedule... family and cudaDeviceMapHost.
cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned int flags);

// Says which devices the runtime may choose by itself, in this order. len 0 means all.
cudaError_t CUDARTAPI cudaSetValidDevices(int* device_arr, int len);

#if CUVETTE_CUDART_MAJOR == 12
// The old names of cudaDeviceReset, cudaDeviceSynchronize and the cudaDeviceGet... and
// cudaDeviceSet... functions.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaThreadExit(void);
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI
cudaThreadGetCacheConfig(enum cudaFuncCache* pCacheConfig);
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaThreadGetLimit(size_t* pValue,
                                                                   enum cudaLimit limit);
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI
cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig);
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaThreadSetLimit(enum cudaLimit limit,
                                                                   size_t value);
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaThreadSynchronize(void);
#endif

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaGetDeviceProperties

#if CUVETTE_CUDART_MAJOR == 12
// Functions that CUDA 12 exports for programs of older versions.
// The version of before CUDA 12: it writes the fields up to reservedSharedMemPerBlock.
cudaError_t CUDARTAPI cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device);
#endif
#endif

#ifdef __cplusplus
}
#endif
