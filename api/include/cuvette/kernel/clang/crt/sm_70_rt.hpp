// SPDX-License-Identifier: Apache-2.0
// A name under which clang's headers expect a part of the toolkit: what compute capability 7.0
// brought, and clang has no function for.
#ifndef CUVETTE_KERNEL_SM_70_RT_HPP
#define CUVETTE_KERNEL_SM_70_RT_HPP

// Lets the thread sleep for about that long.
static __inline__ __device__ void __nanosleep(unsigned nanoseconds) {
  __asm__ volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

#endif
