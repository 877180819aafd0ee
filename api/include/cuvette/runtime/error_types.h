// SPDX-License-Identifier: Apache-2.0
// Error codes of the runtime.
//
// Reference: CUDA Runtime API, "Error Handling".
#pragma once

#include "platform.h"

// The codes are the driver's where it has the same reason (CUresult); below 100 and above
// 10000 some are the runtime's own, and some are kept from old versions and never returned.
enum cudaError {
  cudaSuccess = 0,                   // For queries also: the work is complete.
  cudaErrorInvalidValue = 1,         // A parameter is outside its range.
  cudaErrorMemoryAllocation = 2,     // Not enough memory, or another resource.
  cudaErrorInitializationError = 3,  // The driver could not be started.
  cudaErrorCudartUnloading = 4,      // The process is exiting.
  cudaErrorProfilerDisabled = 5,
  cudaErrorProfilerNotInitialized = 6,
  cudaErrorProfilerAlreadyStarted = 7,
  cudaErrorProfilerAlreadyStopped = 8,
  cudaErrorInvalidConfiguration = 9,  // No device takes such a grid, block or cluster.
  cudaErrorInvalidPitchValue = 12,    // A pitch is too small, or larger than memPitch.
  cudaErrorInvalidSymbol = 13,        // The address does not belong to a variable's shadow.
  cudaErrorInvalidHostPointer = 16,
  cudaErrorInvalidDevicePointer = 17,      // The address is not one of a device.
  cudaErrorInvalidTexture = 18,            // The texture is none.
  cudaErrorInvalidTextureBinding = 19,     // Nothing is bound to the texture.
  cudaErrorInvalidChannelDescriptor = 20,  // No array has such elements.
  cudaErrorInvalidMemcpyDirection =
      21,  // The kind of copy is not valid, or does not fit the addresses.
  cudaErrorAddressOfConstant = 22,
  cudaErrorTextureFetchFailed = 23,
  cudaErrorTextureNotBound = 24,
  cudaErrorSynchronizationError = 25,
  cudaErrorInvalidFilterSetting = 26,  // Elements that stay integers cannot be filtered.
  cudaErrorInvalidNormSetting = 27,    // Such elements do not become normalized floats.
  cudaErrorMixedDeviceExecution = 28,
  cudaErrorNotYetImplemented = 31,
  cudaErrorMemoryValueTooLarge = 32,
  cudaErrorStubLibrary = 34,              // The driver's library is a stub to link with.
  cudaErrorInsufficientDriver = 35,       // There is no driver, or one older than the runtime.
  cudaErrorCallRequiresNewerDriver = 36,  // The driver does not have the function.
  cudaErrorInvalidSurface = 37,           // The surface is none.
  cudaErrorDuplicateVariableName = 43,    // Two variables have one name.
  cudaErrorDuplicateTextureName = 44,
  cudaErrorDuplicateSurfaceName = 45,
  cudaErrorDevicesUnavailable = 46,         // Taken by another process, or prohibited.
  cudaErrorIncompatibleDriverContext = 49,  // The current context cannot be used by the runtime.
  cudaErrorMissingConfiguration = 52,       // A kernel's host stub was called without <<<>>>.
  cudaErrorPriorLaunchFailure = 53,
  cudaErrorLaunchMaxDepthExceeded = 65,  // Kernels launch kernels too deep.
  cudaErrorLaunchFileScopedTex = 66,
  cudaErrorLaunchFileScopedSurf = 67,
  cudaErrorSyncDepthExceeded = 68,
  cudaErrorLaunchPendingCountExceeded = 69,  // Kernels have too many launches waiting.
  cudaErrorInvalidDeviceFunction = 98,       // Not a kernel, or none for this device.
  cudaErrorNoDevice = 100,                   // There is no device.
  cudaErrorInvalidDevice = 101,              // No device has this number.
  cudaErrorDeviceNotLicensed = 102,
  cudaErrorSoftwareValidityNotEstablished = 103,
  cudaErrorStartupFailure = 127,
  cudaErrorInvalidKernelImage = 200,       // Not a module, or a broken one.
  cudaErrorDeviceUninitialized = 201,      // No current context, or a dead one.
  cudaErrorMapBufferObjectFailed = 205,    // A resource could not be mapped.
  cudaErrorUnmapBufferObjectFailed = 206,  // A resource could not be unmapped.
  cudaErrorArrayIsMapped = 207,            // It cannot be destroyed yet.
  cudaErrorAlreadyMapped = 208,            // The resource is mapped.
  cudaErrorNoKernelImageForDevice = 209,   // No code in the program fits the device.
  cudaErrorAlreadyAcquired = 210,
  cudaErrorNotMapped = 211,               // The resource is not mapped.
  cudaErrorNotMappedAsArray = 212,        // The resource is a buffer.
  cudaErrorNotMappedAsPointer = 213,      // The resource is an image.
  cudaErrorECCUncorrectable = 214,        // Memory lost what it held.
  cudaErrorUnsupportedLimit = 215,        // The device does not have this limit.
  cudaErrorDeviceAlreadyInUse = 216,      // Another thread uses the context.
  cudaErrorPeerAccessUnsupported = 217,   // The devices cannot reach each other.
  cudaErrorInvalidPtx = 218,              // The PTX could not be compiled.
  cudaErrorInvalidGraphicsContext = 219,  // The graphics API has no current context.
  cudaErrorNvlinkUncorrectable = 220,
  cudaErrorJitCompilerNotFound = 221,     // There is no compiler for PTX.
  cudaErrorUnsupportedPtxVersion = 222,   // The PTX is newer than the driver.
  cudaErrorJitCompilationDisabled = 223,  // PTX would have to be compiled, and must not be.
  cudaErrorUnsupportedExecAffinity = 224,
  cudaErrorUnsupportedDevSideSync = 225,
  cudaErrorContained = 226,
  cudaErrorInvalidSource = 300,               // The text is not PTX, or without its end.
  cudaErrorFileNotFound = 301,                // There is no such file.
  cudaErrorSharedObjectSymbolNotFound = 302,  // A shared library lacks a function.
  cudaErrorSharedObjectInitFailed = 303,      // A shared library could not be started.
  cudaErrorOperatingSystem = 304,             // The operating system refused something.
  cudaErrorInvalidResourceHandle = 400,  // The handle is not one of a live object of this kind.
  cudaErrorIllegalState = 401,           // The object cannot do that now.
  cudaErrorLossyQuery = 402,             // The answer would leave something out.
  cudaErrorSymbolNotFound = 500,         // There is no such name.
  cudaErrorNotReady = 600,               // Not an error: the work is not complete.
  cudaErrorIllegalAddress =
      700,  // A kernel touched memory that is not its own; the context is dead.
  cudaErrorLaunchOutOfResources = 701,  // The kernel needs too many registers, threads or bytes.
  cudaErrorLaunchTimeout = 702,         // A kernel, or a wait, took too long.
  cudaErrorLaunchIncompatibleTexturing = 703,
  cudaErrorPeerAccessAlreadyEnabled = 704,  // It is on.
  cudaErrorPeerAccessNotEnabled = 705,      // It is off.
  cudaErrorSetOnActiveProcess = 708,        // The device is in use; it is too late to set that.
  cudaErrorContextIsDestroyed = 709,        // The current context, or the primary one, is gone.
  cudaErrorAssert = 710,                    // An assert in a kernel failed; the context is dead.
  cudaErrorTooManyPeers = 711,
  cudaErrorHostMemoryAlreadyRegistered = 712,  // The memory is registered.
  cudaErrorHostMemoryNotRegistered = 713,      // The memory is not registered.
  cudaErrorHardwareStackError = 714,           // A kernel's stack is broken; the context is dead.
  cudaErrorIllegalInstruction = 715,  // A kernel met an unknown instruction; the context is dead.
  cudaErrorMisalignedAddress = 716,   // A kernel's address is not aligned; the context is dead.
  cudaErrorInvalidAddressSpace =
      717,                       // A kernel's address is of another space; the context is dead.
  cudaErrorInvalidPc = 718,      // A kernel left its code; the context is dead.
  cudaErrorLaunchFailure = 719,  // A kernel failed otherwise; the context is dead.
  cudaErrorCooperativeLaunchTooLarge = 720,  // The device does not hold the grid at a time.
  cudaErrorTensorMemoryLeak = 721,
  cudaErrorNotPermitted = 800,  // The operation is not allowed there.
  cudaErrorNotSupported = 801,  // The device, the system or the library does not have this.
  cudaErrorSystemNotReady = 802,
  cudaErrorSystemDriverMismatch = 803,
  cudaErrorCompatNotSupportedOnDevice = 804,
  cudaErrorMpsConnectionFailed = 805,
  cudaErrorMpsRpcFailure = 806,
  cudaErrorMpsServerNotReady = 807,
  cudaErrorMpsMaxClientsReached = 808,
  cudaErrorMpsMaxConnectionsReached = 809,
  cudaErrorMpsClientTerminated = 810,
  cudaErrorCdpNotSupported = 811,
  cudaErrorCdpVersionMismatch = 812,
  cudaErrorStreamCaptureUnsupported = 900,  // Not while a stream is being captured.
  cudaErrorStreamCaptureInvalidated = 901,  // An error before this one ended the capture.
  cudaErrorStreamCaptureMerge = 902,        // Two captures would become one.
  cudaErrorStreamCaptureUnmatched = 903,    // The capture did not begin in this stream.
  cudaErrorStreamCaptureUnjoined = 904,     // A stream that was forked was not joined.
  cudaErrorStreamCaptureIsolation = 905,    // A dependency would leave the capture.
  cudaErrorStreamCaptureImplicit = 906,     // The legacy default stream would wait for a capture.
  cudaErrorCapturedEvent = 907,             // The event is of a capture, and never happens.
  cudaErrorStreamCaptureWrongThread = 908,  // The capture is another thread's.
  cudaErrorTimeout = 909,                   // The time is over.
  cudaErrorGraphExecUpdateFailure = 910,    // The graphs differ in more than parameters.
  cudaErrorExternalDevice = 911,            // Another device failed.
  cudaErrorInvalidClusterSize = 912,        // The clusters do not fit the grid or the device.
  cudaErrorFunctionNotLoaded = 913,         // The kernel is not loaded on this device.
  cudaErrorInvalidResourceType = 914,       // The kind of resource is not one for this.
  cudaErrorInvalidResourceConfiguration = 915,  // The resource cannot be had so.
  cudaErrorUnknown = 999,                       // The reason is not known.
  cudaErrorApiFailureBase = 10000,              // Codes from here on are the runtime's of long ago.
};
typedef enum cudaError cudaError_t;
