// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API, version 13.0: names, numbers and layouts as the ABI of libcuda.so.1 has
// them.
// Include this file; the parts in cuvette/ are grouped by subject and each says what its functions
// do. It can be used from C99 and C++11 on, and needs no CUDA toolkit.
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
