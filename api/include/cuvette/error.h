// SPDX-License-Identifier: Apache-2.0
// Result codes, and their names and descriptions.
//
// Reference: CUDA Driver API, "Error Handling".
#pragma once

#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// The result of a function. Codes keep their number for ever; gaps are the numbers of retired
// codes.
typedef enum cudaError_enum {
  CUDA_SUCCESS = 0,                // For queries also: the work is complete.
  CUDA_ERROR_INVALID_VALUE = 1,    // A parameter is outside its range.
  CUDA_ERROR_OUT_OF_MEMORY = 2,    // Not enough memory, or another resource.
  CUDA_ERROR_NOT_INITIALIZED = 3,  // cuInit was not called, or failed.
  CUDA_ERROR_DEINITIALIZED = 4,    // The process is exiting.
  CUDA_ERROR_PROFILER_DISABLED = 5,
  CUDA_ERROR_PROFILER_NOT_INITIALIZED = 6,
  CUDA_ERROR_PROFILER_ALREADY_STARTED = 7,
  CUDA_ERROR_PROFILER_ALREADY_STOPPED = 8,
  CUDA_ERROR_STUB_LIBRARY = 34,  // The library is a stub to link with.
  CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,  // Taken by another process, or prohibited.
  CUDA_ERROR_NO_DEVICE = 100,          // There is no device.
  CUDA_ERROR_INVALID_DEVICE = 101,     // No device has this ordinal.
  CUDA_ERROR_DEVICE_NOT_LICENSED = 102,
  CUDA_ERROR_INVALID_IMAGE = 200,    // Not a module, or a broken one.
  CUDA_ERROR_INVALID_CONTEXT = 201,  // No current context, or a dead one.
  CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202,
  CUDA_ERROR_MAP_FAILED = 205,         // A resource could not be mapped.
  CUDA_ERROR_UNMAP_FAILED = 206,       // A resource could not be unmapped.
  CUDA_ERROR_ARRAY_IS_MAPPED = 207,    // It cannot be destroyed yet.
  CUDA_ERROR_ALREADY_MAPPED = 208,     // The resource is mapped.
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,  // No code in the module fits the device.
  CUDA_ERROR_ALREADY_ACQUIRED = 210,
  CUDA_ERROR_NOT_MAPPED = 211,             // The resource is not mapped.
  CUDA_ERROR_NOT_MAPPED_AS_ARRAY = 212,    // It is mapped, not as an array.
  CUDA_ERROR_NOT_MAPPED_AS_POINTER = 213,  // It is mapped, not as a buffer.
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_UNSUPPORTED_LIMIT = 215,  // The device has no such limit.
  CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_INVALID_PTX = 218,               // PTX that does not compile.
  CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,  // No OpenGL context that fits.
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,  // PTX newer than the compiler.
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224,
  CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_INVALID_SOURCE = 300,  // Source that does not compile.
  CUDA_ERROR_FILE_NOT_FOUND = 301,  // No such file.
  CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
  CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
  CUDA_ERROR_OPERATING_SYSTEM = 304,  // A system call failed.
  CUDA_ERROR_INVALID_HANDLE = 400,    // Not a handle, or no longer one.
  CUDA_ERROR_ILLEGAL_STATE = 401,     // The object is not in the state required.
  CUDA_ERROR_LOSSY_QUERY = 402,
  CUDA_ERROR_NOT_FOUND = 500,  // No symbol of this name.
  CUDA_ERROR_NOT_READY = 600,  // Not an error: the work is not yet complete.
  CUDA_ERROR_ILLEGAL_ADDRESS =
      700,  // A kernel touched memory that is not its own. The context is lost.
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES =
      701,  // Too many threads, registers or too much shared memory.
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,  // Nothing was changed.
  CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
  CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,  // The primary context is in use.
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,    // The current context was destroyed.
  CUDA_ERROR_ASSERT = 710,                  // An assert() in a kernel failed. The context is lost.
  CUDA_ERROR_TOO_MANY_PEERS = 711,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,  // In whole or in part.
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,      // By cuMemHostRegister.
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,  // The context is lost.
  CUDA_ERROR_MISALIGNED_ADDRESS =
      716,  // A kernel used an address that is not aligned. The context is lost.
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,  // A kernel failed otherwise. The context is lost.
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE =
      720,  // The blocks do not fit on the device all at once.
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_NOT_PERMITTED = 800,  // Not allowed here, for example in a callback.
  CUDA_ERROR_NOT_SUPPORTED = 801,  // Not on this device or system.
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
  CUDA_ERROR_MPS_RPC_FAILURE = 806,
  CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
  CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
  CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_CDP_NOT_SUPPORTED = 811,
  CUDA_ERROR_CDP_VERSION_MISMATCH = 812,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,  // Not allowed while the stream is captured.
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,  // An earlier error ended the capture.
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,        // Two captures would have become one.
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,    // The capture did not begin in this stream.
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,     // A forked stream was not joined again.
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,    // A captured stream would wait for uncaptured work.
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,     // The legacy stream would wait for a captured one.
  CUDA_ERROR_CAPTURED_EVENT = 907,              // The event was last recorded in a capture.
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,  // Another thread began the capture.
  CUDA_ERROR_TIMEOUT = 909,                      // The time given has passed.
  CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,    // The graphs differ too much.
  CUDA_ERROR_EXTERNAL_DEVICE = 911,
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
  CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
  CUDA_ERROR_INVALID_RESOURCE_TYPE = 914,
  CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
  CUDA_ERROR_KEY_ROTATION = 916,
  CUDA_ERROR_UNKNOWN = 999,  // Nothing more is known.
} CUresult;

// Writes the name of error, such as "CUDA_ERROR_INVALID_VALUE"; the string is static.
// CUDA_ERROR_INVALID_VALUE, and a null string, for an unknown code. Works before cuInit.
CUresult CUDAAPI cuGetErrorName(CUresult error, const char** pStr);

// Writes a sentence that describes error; the string is static. CUDA_ERROR_INVALID_VALUE, and a
// null string, for an unknown code. Works before cuInit.
CUresult CUDAAPI cuGetErrorString(CUresult error, const char** pStr);

#ifdef __cplusplus
}
#endif
