// SPDX-License-Identifier: Apache-2.0
// Kernels that leave the memory that they mean, and their repaired twins. memory.def lists them.
// Each block has 256 threads and 1024 bytes of dynamic shared memory.
#include "../twins.cuh"

// `data` are 256 ints.
#define LEAVES(name) TWINS_OF(name, (int* data), (data))

// --- Shared memory: the next variable begins right behind ---

LEAVES(writes_behind_a_shared_array) {
  __shared__ int first[256];
  __shared__ int second[256];
  first[threadIdx.x] = 1;
  second[threadIdx.x] = 2;
  __syncthreads();
  if (threadIdx.x == 0) first[data[threadIdx.x] * (repaired ? 255 : 256)] = 3;
  __syncthreads();
  data[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

LEAVES(reads_in_front_of_a_shared_array) {
  __shared__ int first[256];
  __shared__ int second[256];
  first[threadIdx.x] = data[threadIdx.x];
  second[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  const int at = static_cast<int>(threadIdx.x) - (repaired && threadIdx.x == 0 ? 0 : 1);
  data[threadIdx.x] = first[at] + second[at];
}

LEAVES(counts_in_one_bin_too_many) {
  __shared__ int bins[8];
  __shared__ int others[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = others[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[(threadIdx.x + data[threadIdx.x]) % (repaired ? 8 : 9)], 1);
  atomicAdd(&others[threadIdx.x % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) data[threadIdx.x] = bins[threadIdx.x] + others[threadIdx.x];
}

LEAVES(walks_over_the_end) {
  __shared__ float row[100];
  __shared__ float column[100];
  for (unsigned n = threadIdx.x; n < 100; n += blockDim.x) row[n] = column[n] = 1;
  __syncthreads();
  const int one = data[threadIdx.x];
  float sum = 0;
#pragma unroll 1
  for (int n = 0; n < (repaired ? 100 : 101) * one; ++n) sum += row[n] * 2;
  data[threadIdx.x] = static_cast<int>(sum + column[threadIdx.x % 100]);
}

LEAVES(reads_a_vector_across_the_end) {
  __shared__ __align__(16) int numbers[258];
  __shared__ int more[256];
  for (unsigned n = threadIdx.x; n < 258; n += blockDim.x) numbers[n] = 1;
  more[threadIdx.x] = 1;
  __syncthreads();
  const int at = (repaired ? 63 : 64) * data[threadIdx.x];
  const int4 four = reinterpret_cast<const int4*>(numbers)[at];
  data[threadIdx.x] = four.x + four.y + four.z + four.w + more[threadIdx.x];
}

LEAVES(leaves_the_dynamic_memory) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x + (repaired ? 0 : data[threadIdx.x])] = 1;
  __syncthreads();
  data[threadIdx.x] = dynamic[threadIdx.x == 0 ? 1 : threadIdx.x];
}

// --- Local memory ---

LEAVES(leaves_a_local_array) {
  int numbers[6];
#pragma unroll 1
  for (int n = 0; n < (repaired ? 6 : 7); ++n) numbers[n] = data[threadIdx.x];
  data[threadIdx.x] = numbers[data[threadIdx.x] % 6];
}

// --- Global memory ---

LEAVES(writes_behind_an_allocation) { data[threadIdx.x + (repaired ? 0 : 1)] = 1; }

LEAVES(reads_in_front_of_an_allocation) {
  if (threadIdx.x == 0) data[0] = data[repaired ? 1 : -1];
}

LEAVES(is_out_of_step) {
  const char* bytes = reinterpret_cast<const char*>(data);
  if (threadIdx.x == 0) data[0] = *reinterpret_cast<const int*>(bytes + (repaired ? 4 : 2));
}

// --- What kernels allocate themselves ---

LEAVES(writes_behind_its_own_allocation) {
  if (threadIdx.x != 0) return;
  char* const own = static_cast<char*>(malloc(1000));
  for (int n = 0; n < (repaired ? 1000 : 1001) * data[0]; ++n) own[n] = static_cast<char>(n);
  data[0] = own[999];
  free(own);
}

LEAVES(reads_what_it_has_freed) {
  if (threadIdx.x != 0) return;
  int* const own = static_cast<int*>(malloc(1024));
  own[data[0]] = 5;
  if (repaired) data[0] = own[data[0]];
  free(own);
  if (!repaired) data[0] = own[data[0]];
}

// All threads of a warp, of which whole lines are noted.
__device__ int* row_of_all;

LEAVES(goes_on_with_a_row_that_a_thread_has_freed) {
  if (threadIdx.x == 0) row_of_all = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  int* const row = row_of_all;
  row[threadIdx.x] = data[threadIdx.x];
  int sum = row[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0 && !repaired) free(row);
  __syncthreads();
  sum += row[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0 && repaired) free(row);
  data[threadIdx.x] = sum;
}
