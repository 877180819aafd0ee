// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API, version 13.0: names, numbers and layouts as the ABI of libcuda.so.1 has
// them.
//
// Include this file, from C99 or C++11 on; no CUDA toolkit is needed. The parts under cuvette/ are
// grouped by subject, as the CUDA Driver API reference is, and say what each function does.
//
// Every function returns CUDA_SUCCESS or the reason why it did nothing. Before
// cuInit it returns CUDA_ERROR_NOT_INITIALIZED, after the process began to exit
// CUDA_ERROR_DEINITIALIZED; where it works in the calling thread's current context and there is
// none, CUDA_ERROR_INVALID_CONTEXT. It may also return an error of work that was submitted earlier
// and failed since. A null pointer where a result is to be written is CUDA_ERROR_INVALID_VALUE. Any
// thread may call any function at any time, unless a part says otherwise.
//
// Two macros, defined before this file is included, change what the names expand to:
// CUDA_API_PER_THREAD_DEFAULT_STREAM and __CUDA_API_VERSION_INTERNAL (cuvette/platform.h).
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include "cuvette/platform.h"

#if defined(__GNUC__) && defined(__CUDA_API_PUSH_VISIBILITY_DEFAULT)
#pragma GCC visibility push(default)
#endif

#include "cuvette/array.h"
#include "cuvette/checkpoint.h"
#include "cuvette/context.h"
#include "cuvette/coredump.h"
#include "cuvette/device.h"
#include "cuvette/entry_point.h"
#include "cuvette/error.h"
#include "cuvette/event.h"
#include "cuvette/execution.h"
#include "cuvette/external_resource.h"
#include "cuvette/graph.h"
#include "cuvette/graph_edge.h"
#include "cuvette/graphics.h"
#include "cuvette/green_context.h"
#include "cuvette/handle.h"
#include "cuvette/host_memory.h"
#include "cuvette/initialization.h"
#include "cuvette/interprocess.h"
#include "cuvette/library.h"
#include "cuvette/log.h"
#include "cuvette/memory.h"
#include "cuvette/memory_copy.h"
#include "cuvette/memory_decompress.h"
#include "cuvette/memory_pool.h"
#include "cuvette/memory_set.h"
#include "cuvette/module.h"
#include "cuvette/multicast.h"
#include "cuvette/occupancy.h"
#include "cuvette/peer_access.h"
#include "cuvette/stream.h"
#include "cuvette/stream_memory_operation.h"
#include "cuvette/tensor_map.h"
#include "cuvette/texture_object.h"
#include "cuvette/texture_reference.h"
#include "cuvette/unified_addressing.h"
#include "cuvette/virtual_memory.h"

#if defined(__GNUC__) && defined(__CUDA_API_PUSH_VISIBILITY_DEFAULT)
#pragma GCC visibility pop
#endif

#endif
