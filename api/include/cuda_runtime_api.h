// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime API, version 13.0: names, numbers and layouts as the ABI of libcudart.so.13 has
// them. With CUVETTE_CUDART_MAJOR defined to 12 it is the API of version 12.9 and libcudart.so.12.
//
// Include this file, from C99 or C++11 on; no CUDA toolkit is needed. The parts under
// cuvette/runtime/ are grouped by subject, as the CUDA Runtime API reference is, and say what each
// function does.
//
// Every function returns cudaSuccess or the reason why it did nothing, and keeps
// that reason as the thread's last error (cudaGetLastError), cudaErrorNotReady aside. The first
// call that needs a device starts the driver and makes the device's primary context current; a call
// after the process began to exit returns cudaErrorCudartUnloading. It may also return an error of
// work that was submitted earlier and failed since. A null pointer where a result is to be written
// is cudaErrorInvalidValue. Any thread may call any function at any time.
//
// Two macros, defined before this file is included, change what the names expand to:
// CUDA_API_PER_THREAD_DEFAULT_STREAM and __CUDA_API_VERSION_INTERNAL
// (cuvette/runtime/version_macros.h).
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "builtin_types.h"
#include "cuda_device_runtime_api.h"
#include "cuvette/runtime/array.h"
#include "cuvette/runtime/array_copy.h"
#include "cuvette/runtime/capture.h"
#include "cuvette/runtime/code.h"
#include "cuvette/runtime/device.h"
#include "cuvette/runtime/entry_point.h"
#include "cuvette/runtime/error.h"
#include "cuvette/runtime/event.h"
#include "cuvette/runtime/execution.h"
#include "cuvette/runtime/external_resource.h"
#include "cuvette/runtime/graph.h"
#include "cuvette/runtime/graph_exec.h"
#include "cuvette/runtime/graph_kernel_node.h"
#include "cuvette/runtime/graph_memory_node.h"
#include "cuvette/runtime/graph_node.h"
#include "cuvette/runtime/graphics.h"
#include "cuvette/runtime/host_memory.h"
#include "cuvette/runtime/interprocess.h"
#include "cuvette/runtime/log.h"
#include "cuvette/runtime/managed_memory.h"
#include "cuvette/runtime/memory.h"
#include "cuvette/runtime/memory_copy.h"
#include "cuvette/runtime/memory_pool.h"
#include "cuvette/runtime/memory_set.h"
#include "cuvette/runtime/occupancy.h"
#include "cuvette/runtime/peer_access.h"
#include "cuvette/runtime/stream.h"
#include "cuvette/runtime/texture_object.h"
#include "cuvette/runtime/version.h"
#include "cuvette/runtime/version_macros.h"

#endif
