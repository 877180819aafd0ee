// SPDX-License-Identifier: Apache-2.0
// The meaning of kernel<<<...>>> without a stream with --default-stream per-thread.
#ifndef CUVETTE_KERNEL_DEFAULT_STREAM_H
#define CUVETTE_KERNEL_DEFAULT_STREAM_H

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
// The runtime's function under another name.
extern "C" unsigned __cuvette_push(dim3 grid, dim3 block, size_t shared,
                                   cudaStream_t stream) __asm__("__cudaPushCallConfiguration");

// clang calls this for what stands between <<< and >>>, by the name and the latest declaration.
static __inline__ unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                       cudaStream_t stream = nullptr) {
  return __cuvette_push(grid, block, shared, stream ? stream : cudaStreamPerThread);
}
#endif

#endif
