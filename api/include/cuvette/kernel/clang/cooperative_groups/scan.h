// SPDX-License-Identifier: Apache-2.0
// Cooperative groups' scans: for each thread what those up to it, or before it, give together.
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups {

template <typename Group, typename T, typename F>
static __inline__ __device__ T inclusive_scan(const Group& group, T value, F&& operation) {
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (rank >= distance) value = operation(before, value);
  }
  return value;
}
template <typename Group, typename T>
static __inline__ __device__ T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

// The first thread gets T().
template <typename Group, typename T, typename F>
static __inline__ __device__ T exclusive_scan(const Group& group, T value, F&& operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
static __inline__ __device__ T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#endif
