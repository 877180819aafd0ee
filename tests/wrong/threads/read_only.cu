// SPDX-License-Identifier: Apache-2.0
// Kernels that read memory as read-only and write it, and their repaired twins. read_only.def lists
// them. `texture` is over `data`, whose elements are 1 at first. Each adds to work[4096] where it
// has seen what it expects, so that a result of 256 is right.
#include "../twins.cuh"

#define READS_ONLY(name) \
  TWINS_OF(name, (int* data, int* work, cudaTextureObject_t texture), (data, work, texture))

namespace {

constexpr int seen = 4096;

__device__ int read(const int* from, bool plainly) {
  return plainly ? *static_cast<const volatile int*>(from) : __ldg(from);
}

}  // namespace

READS_ONLY(reads_what_it_has_written) {
  data[threadIdx.x] = 7;
  if (read(&data[threadIdx.x], repaired) == 7) atomicAdd(&work[seen], 1);
}

READS_ONLY(reads_what_others_have_written) {
  data[threadIdx.x] = 7;
  __syncthreads();
  if (read(&data[255 - threadIdx.x], repaired) == 7) atomicAdd(&work[seen], 1);
}

// The read comes first, and the barrier orders the two; the cache may be filled later.
READS_ONLY(writes_what_others_have_read) {
  const int value = read(&data[threadIdx.x], repaired);
  __syncthreads();
  data[255 - threadIdx.x] = 7;
  if (value == 1) atomicAdd(&work[seen], 1);
}

READS_ONLY(reads_what_is_counted) {
  atomicAdd(&data[threadIdx.x % 8], 1);
  __syncthreads();
  if (read(&data[threadIdx.x % 8], repaired) == 33) atomicAdd(&work[seen], 1);
}

READS_ONLY(reads_four_at_once) {
  data[threadIdx.x] = 7;
  __syncthreads();
  const int4* const fours = reinterpret_cast<const int4*>(data) + (threadIdx.x + 1) % 64;
  const int value = repaired ? read(&fours->w, true) : __ldg(fours).w;
  if (value == 7) atomicAdd(&work[seen], 1);
}

// The repaired twin reads the bytes beside those that are written.
READS_ONLY(reads_single_bytes) {
  auto* const bytes = reinterpret_cast<unsigned char*>(&data[threadIdx.x]);
  bytes[0] = 7;
  __syncthreads();
  const unsigned char expected = repaired ? 0 : 7;
  if (__ldg(&bytes[repaired ? 1 : 0]) == expected) atomicAdd(&work[seen], 1);
}

// Of one place for all lanes.
READS_ONLY(reads_a_word_together) {
  data[threadIdx.x] = 7;
  __syncthreads();
  int value = read(&data[100], true);
  if (!repaired) asm volatile("ldu.global.s32 %0, [%1];" : "=r"(value) : "l"(&data[100]));
  if (value == 7) atomicAdd(&work[seen], 1);
}

READS_ONLY(looks_up_what_it_has_written) {
  data[threadIdx.x] = 7;
  __syncthreads();
  const int place = 255 - static_cast<int>(threadIdx.x);
  // The repaired twin looks up what no thread of it writes.
  const int value = tex1Dfetch<int>(texture, repaired ? place + 256 : place);
  if (value == (repaired ? 1 : 7)) atomicAdd(&work[seen], 1);
}
