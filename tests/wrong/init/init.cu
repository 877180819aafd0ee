// SPDX-License-Identifier: Apache-2.0
// Kernels that let memory decide something that nobody has written, and their repaired twins.
// init.def lists them.
#include <cuda_pipeline.h>

#include "../twins.cuh"

// --- Global memory: the host fills `work` for the repaired twin alone ---

TWINS(adds_to_nothing) { work[threadIdx.x] += data[threadIdx.x]; }

TWINS(branches_on_nothing) {
  if (work[threadIdx.x] == 0) data[threadIdx.x] = 2;
}

TWINS(indexes_by_nothing) { data[work[threadIdx.x] & 255] = 2; }

TWINS(counts_from_nothing) { atomicAdd(work, data[threadIdx.x]); }

TWINS(looks_for_a_maximum_in_nothing) { atomicMax(work + threadIdx.x % 4, data[threadIdx.x]); }

TWINS(locks_nothing) {
  if (threadIdx.x == 0 && atomicExch(work, 1) == 0) data[0] = 2;
}

TWINS(tests_bytes_of_nothing) {
  const auto* flags = reinterpret_cast<const bool*>(work);
  if (flags[threadIdx.x]) data[threadIdx.x] = 2;
}

TWINS(converts_nothing) {
  const auto* numbers = reinterpret_cast<const short*>(work);
  data[threadIdx.x] = static_cast<int>(2.5f * static_cast<float>(numbers[threadIdx.x]));
}

TWINS(reads_vectors_of_nothing) {
  const int4 four = reinterpret_cast<const int4*>(work)[threadIdx.x];
  data[threadIdx.x] = four.x + four.w;
}

TWINS(copies_nothing_to_its_tile) {
  __shared__ int tile[256];
  __pipeline_memcpy_async(&tile[threadIdx.x], &work[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[threadIdx.x] = tile[255 - threadIdx.x] * 2;
}

TWINS(moves_nothing_about) {
  work[256 + threadIdx.x] = work[threadIdx.x];  // no mistake yet
  __syncthreads();
  data[threadIdx.x] = work[256 + (threadIdx.x + 1) % 256] + 1;
}

// --- Global memory: what the kernel itself writes; the host fills no `work` at all ---

TWINS(covers_too_little) {
  if (threadIdx.x < (repaired ? 256 : 250)) work[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = work[255 - threadIdx.x] * 3;
}

struct Record {
  char kind;
  int number;
  short more;
};

// Padding is copied along with what it lies between.
TWINS(copies_records) {
  auto* records = reinterpret_cast<Record*>(work);
  Record& mine = records[threadIdx.x];
  mine.kind = 'r';
  mine.number = data[threadIdx.x];
  if (repaired) mine.more = 1;
  __syncthreads();
  const Record other = records[255 - threadIdx.x];
  records[256 + threadIdx.x] = other;
  __syncthreads();
  const Record& copy = records[256 + (threadIdx.x + 7) % 256];
  data[threadIdx.x] = copy.kind + copy.number + copy.more;
}

struct Flags {
  unsigned low : 3, high : 5, rest : 24;
};

TWINS(sets_a_field_of_bits) {
  auto* flags = reinterpret_cast<Flags*>(work);
  flags[threadIdx.x].low = data[threadIdx.x];
  if (repaired) flags[threadIdx.x].rest = 4;
  data[threadIdx.x] =
      flags[threadIdx.x].low + (repaired ? flags[threadIdx.x].rest : flags[threadIdx.x + 1].rest);
}

// --- Shared memory ---

TWINS(loads_part_of_its_tile) {
  __shared__ int tile[258];
  tile[threadIdx.x + 1] = data[threadIdx.x];
  if (repaired && threadIdx.x < 2) tile[257 * threadIdx.x] = 0;
  __syncthreads();
  work[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

TWINS(counts_in_unset_bins) {
  __shared__ int bins[16];
  if (repaired && threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[data[threadIdx.x] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) work[threadIdx.x] = bins[threadIdx.x];
}

TWINS(waits_for_an_unset_flag) {
  __shared__ volatile bool done;
  if (threadIdx.x == 0 && (repaired || data[0] == 2)) done = false;
  __syncthreads();
  if (!done) work[threadIdx.x] = 1;
}

TWINS(reduces_more_than_it_has) {
  extern __shared__ int sums[];
  const int count = 100;
  if (threadIdx.x < count) sums[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half && (!repaired || threadIdx.x + half < count))
      sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *work = sums[0];
}

TWINS(keeps_the_last_block) {
  __shared__ int total;
  if (threadIdx.x == 0 && (repaired || blockIdx.x == 0)) total = data[0];
  __syncthreads();
  work[blockIdx.x * blockDim.x + threadIdx.x] = total + 1;
}

TWINS(shuffles_what_is_unset) {
  __shared__ int values[32];
  if (threadIdx.x < (repaired ? 32 : 31)) values[threadIdx.x] = data[threadIdx.x];
  __syncwarp();
  int sum = values[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) *work = sum;
}

// The compiler may read in front of the branch; what it does not need decides nothing.
TWINS(reads_ahead) {
  __shared__ volatile int value;
  if (threadIdx.x == 0 && data[0] == 2) value = 7;
  __syncthreads();
  const int ahead = value * 2;
  work[threadIdx.x] = data[threadIdx.x] == (repaired ? 2 : 1) ? ahead : 1;
}

// --- Local memory ---

TWINS(fills_part_of_an_array) {
  int numbers[8];
#pragma unroll 1
  for (int n = 0; n < (repaired ? 8 : 7); ++n) numbers[n] = data[threadIdx.x + n];
  work[threadIdx.x] = numbers[data[threadIdx.x] * 7 & 7] + 1;
}

TWINS(asks_a_function_that_says_nothing) {
  int answers[4];
#pragma unroll 1
  for (int n = 0; n < 4; ++n)
    if (repaired || data[n] != 1) answers[n] = n;
#pragma unroll 1
  for (int n = 0; n < 4; ++n)
    if (answers[n] > 1) work[threadIdx.x * 4 + n] = answers[n];
}

// --- The heap of kernels ---

// The memory has been another thread's, which has written it.
TWINS(takes_up_what_malloc_gives_again) {
  if (threadIdx.x != 0) return;
  int* const first = static_cast<int*>(malloc(64));
  for (int n = 0; n < 16; ++n) first[n] = data[n];
  work[0] = first[data[0]];
  free(first);
  int* const second = static_cast<int*>(malloc(64));
  for (int n = 0; n < (repaired ? 16 : 8); ++n) second[n] = data[n];
  if (second[8] > 0) work[1] = 1;
  free(second);
}

// --- For programs whose mistake is on the host ---

extern "C" __global__ void doubles(int* data, int* work) {
  data[threadIdx.x] = 2 * work[threadIdx.x];
}

extern "C" __global__ void fills(int* data, int* work) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < 612) work[at] = data[at];
}

extern "C" __global__ void finds(int* data, int* work) {
  if (threadIdx.x < 100 * data[0]) work[threadIdx.x] = data[threadIdx.x];
}
