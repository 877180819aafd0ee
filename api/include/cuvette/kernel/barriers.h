// SPDX-License-Identifier: Apache-2.0
// Barriers and fences. clang has functions of these names, but it assumes that the calls do not
// change variables whose address is never taken, and moves loads of __shared__ variables across
// them. Assembly that says "memory" stays where it is.
#ifndef CUVETTE_KERNEL_BARRIERS_H
#define CUVETTE_KERNEL_BARRIERS_H

static __inline__ __device__ void __cuvette_syncthreads() {
  __asm__ volatile("bar.sync 0;" ::: "memory");
}
static __inline__ __device__ int __cuvette_syncthreads_count(int condition) {
  int count;
  __asm__ volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p;}"
                   : "=r"(count)
                   : "r"(condition)
                   : "memory");
  return count;
}
#define CUVETTE_BARRIER_VOTE(name, instruction)                             \
  static __inline__ __device__ int name(int condition) {                    \
    int result;                                                             \
    __asm__ volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; " instruction \
                     " q, 0, p; selp.s32 %0, 1, 0, q;}"                     \
                     : "=r"(result)                                         \
                     : "r"(condition)                                       \
                     : "memory");                                           \
    return result;                                                          \
  }
CUVETTE_BARRIER_VOTE(__cuvette_syncthreads_and, "bar.red.and.pred")
CUVETTE_BARRIER_VOTE(__cuvette_syncthreads_or, "bar.red.or.pred")
#undef CUVETTE_BARRIER_VOTE

static __inline__ __device__ void __cuvette_syncwarp(unsigned mask = 0xffffffff) {
  __asm__ volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
static __inline__ __device__ void __cuvette_barrier_sync(unsigned barrier) {
  __asm__ volatile("barrier.sync %0;" ::"r"(barrier) : "memory");
}
static __inline__ __device__ void __cuvette_barrier_sync_count(unsigned barrier, unsigned threads) {
  __asm__ volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

static __inline__ __device__ void __cuvette_threadfence() {
  __asm__ volatile("membar.gl;" ::: "memory");
}
static __inline__ __device__ void __cuvette_threadfence_block() {
  __asm__ volatile("membar.cta;" ::: "memory");
}
static __inline__ __device__ void __cuvette_threadfence_system() {
  __asm__ volatile("membar.sys;" ::: "memory");
}

#define __syncthreads __cuvette_syncthreads
#define __syncthreads_count __cuvette_syncthreads_count
#define __syncthreads_and __cuvette_syncthreads_and
#define __syncthreads_or __cuvette_syncthreads_or
#define __syncwarp __cuvette_syncwarp
#define __barrier_sync __cuvette_barrier_sync
#define __barrier_sync_count __cuvette_barrier_sync_count
#define __threadfence __cuvette_threadfence
#define __threadfence_block __cuvette_threadfence_block
#define __threadfence_system __cuvette_threadfence_system

#endif
