// SPDX-License-Identifier: Apache-2.0
// Kernels that access memory by two addresses, `data` and `work`, and their repaired twins.
// aliases.def lists them. Each adds to data[4096] what it has seen of its writes, so that a result
// of 256 is right.
#include "../twins.cuh"

namespace {

constexpr int seen = 4096;

__device__ int read(int* from, bool as_volatile) {
  if (as_volatile) return *static_cast<volatile int*>(from);
  return *from;
}
__device__ void write(int* to, int value, bool as_volatile) {
  if (as_volatile)
    *static_cast<volatile int*>(to) = value;
  else
    *to = value;
}

}  // namespace

TWINS(reads_by_the_other_address) {
  write(&data[threadIdx.x], 7, repaired);
  if (read(&work[threadIdx.x], repaired) == 7) atomicAdd(&data[seen], 1);
}

TWINS(writes_plainly) {
  write(&data[threadIdx.x], 7, repaired);
  if (read(&work[threadIdx.x], true) == 7) atomicAdd(&data[seen], 1);
}

TWINS(reads_plainly) {
  write(&data[threadIdx.x], 7, true);
  if (read(&work[threadIdx.x], repaired) == 7) atomicAdd(&data[seen], 1);
}

TWINS(believes_in_a_barrier) {
  data[threadIdx.x] = 7;
  __syncthreads();
  const int there = repaired ? data[255 - threadIdx.x] : work[255 - threadIdx.x];
  if (there == 7) atomicAdd(&data[seen], 1);
}

TWINS(believes_in_a_fence) {
  data[threadIdx.x] = 7;
  if (repaired)
    asm volatile("fence.proxy.alias;" ::: "memory");
  else
    __threadfence();
  if (work[threadIdx.x] == 7) atomicAdd(&data[seen], 1);
}

TWINS(reads_bytes_of_words) {
  data[threadIdx.x] = 0x07070707;
  const unsigned char* const bytes = reinterpret_cast<unsigned char*>(repaired ? data : work);
  if (bytes[4 * threadIdx.x + 3] == 7) atomicAdd(&data[seen], 1);
}
