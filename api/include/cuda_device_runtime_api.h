// SPDX-License-Identifier: Apache-2.0
// Names for kernels that launch kernels: streams that exist for one grid or one graph.
//
// Host code sees the names of none of them; the functions that a kernel may call are in
// cuda_runtime_api.h.
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "crt/host_defines.h"

#if defined(__CUDACC__) || defined(__CUDA__)

// Streams of one grid: what is launched there begins when the grid is done, or at once and without
// an order.
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

// Streams of one graph that a kernel launches: after the launching graph, beside it, and beside it
// as a part of what that graph's launcher waits for.
#define cudaStreamGraphTailLaunch (cudaStream_t)0x0100000000000000
#define cudaStreamGraphFireAndForget (cudaStream_t)0x0200000000000000
#define cudaStreamGraphFireAndForgetAsSibling (cudaStream_t)0x0300000000000000

#endif

#endif
