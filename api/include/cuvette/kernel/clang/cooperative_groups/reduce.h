// SPDX-License-Identifier: Apache-2.0
// Cooperative groups' reductions: one value out of all threads', known to all.
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define CUVETTE_OPERATION(name, expression)                                      \
  template <typename T>                                                          \
  struct name {                                                                  \
    __device__ T operator()(const T& a, const T& b) const { return expression; } \
  };
CUVETTE_OPERATION(plus, a + b)
CUVETTE_OPERATION(less, b < a ? b : a)
CUVETTE_OPERATION(greater, a < b ? b : a)
CUVETTE_OPERATION(bit_and, a& b)
CUVETTE_OPERATION(bit_or, a | b)
CUVETTE_OPERATION(bit_xor, a ^ b)
#undef CUVETTE_OPERATION

template <unsigned Size, typename Parent, typename T, typename F>
static __inline__ __device__ T reduce(const thread_block_tile<Size, Parent>& group, T value,
                                      F&& operation) {
#pragma unroll
  for (unsigned distance = Size / 2; distance > 0; distance /= 2)
    value = operation(value, group.shfl_xor(value, distance));
  return value;
}

// Each thread adds what a thread further on has added up, until the first one has it all.
template <typename T, typename F>
static __inline__ __device__ T reduce(const coalesced_group& group, T value, F&& operation) {
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T other = group.shfl_down(value, distance);
    if (rank + distance < group.size() && rank % (2 * distance) == 0)
      value = operation(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups

#endif
