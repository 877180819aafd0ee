// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads race, and their repaired twins. threads.def lists them.
#include "../twins.cuh"

// --- Barriers of the block ---

TWINS(reads_a_neighbour) {
  __shared__ int tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  if (repaired) __syncthreads();
  work[threadIdx.x] = tile[(threadIdx.x + 32) % blockDim.x];
}

TWINS(shares_what_malloc_gives) {
  __shared__ int* row;
  if (threadIdx.x == 0) row = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  row[threadIdx.x] = data[threadIdx.x];
  if (repaired) __syncthreads();
  work[threadIdx.x] = row[(threadIdx.x + blockDim.x - 32) % blockDim.x];
  __syncthreads();
  if (threadIdx.x == 0) free(row);
}

// Reads the tile before it is filled again.
TWINS(misses_the_second_barrier) {
  __shared__ int tile[256];
  int sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    tile[threadIdx.x] = data[turn * blockDim.x + threadIdx.x];
    __syncthreads();
    sum += tile[(threadIdx.x * 7 + turn) % blockDim.x];
    if (repaired) __syncthreads();
  }
  work[threadIdx.x] = sum;
}

TWINS(reduces_without_barriers) {
  __shared__ int sums[256];
  sums[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    if (repaired) __syncthreads();
  }
  if (threadIdx.x == 0) *work = sums[0];
}

TWINS(counts_without_atomics) {
  __shared__ int counts[8];
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  __syncthreads();
  if (repaired)
    atomicAdd(&counts[threadIdx.x % 8], 1);
  else
    counts[threadIdx.x % 8] += 1;
  __syncthreads();
  if (threadIdx.x < 8) work[threadIdx.x] = counts[threadIdx.x];
}

TWINS(clears_too_late) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  if (repaired) __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  work[threadIdx.x] = count;
}

TWINS(reads_a_sum_too_early) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, data[threadIdx.x]);
  if (repaired) __syncthreads();
  work[threadIdx.x] = sum;
}

TWINS(shares_bytes) {
  __shared__ unsigned char flags[256];
  flags[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  if (repaired) __syncthreads();
  work[threadIdx.x] = flags[255 - threadIdx.x];
}

TWINS(transposes_in_place) {
  const int row = threadIdx.x / 16, column = threadIdx.x % 16;
  const int value = data[column * 16 + row];
  if (repaired) __syncthreads();
  data[row * 16 + column] = value;
}

TWINS(uses_dynamic_memory) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = data[threadIdx.x];
  if (repaired) __syncthreads();
  work[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

// Two halves of a block, each with its own barrier.
TWINS(names_another_barrier) {
  __shared__ int tile[256];
  const unsigned half = threadIdx.x / 128, other = threadIdx.x % 128;
  tile[threadIdx.x] = data[threadIdx.x];
  const unsigned wanted = repaired ? half : threadIdx.x / 64 % 2;
  asm volatile("bar.sync %0, 128;" ::"r"(wanted + 1) : "memory");
  work[threadIdx.x] = tile[half * 128 + (other + 64) % 128];
}

// Producers only arrive; consumers wait.
TWINS(consumes_without_waiting) {
  __shared__ int tile[128];
  if (threadIdx.x < 128) {
    tile[threadIdx.x] = data[threadIdx.x];
    asm volatile("bar.arrive 1, 256;" ::: "memory");
  } else {
    if (repaired) asm volatile("bar.sync 1, 256;" ::: "memory");
    work[threadIdx.x] = tile[threadIdx.x - 128];
  }
}

// --- Warps ---

TWINS(relies_on_lockstep) {
  __shared__ int tile[32];
  if (threadIdx.x >= 32) return;
  tile[threadIdx.x] = data[threadIdx.x];
  if (repaired) __syncwarp();
  work[threadIdx.x] = tile[31 - threadIdx.x];
}

TWINS(reduces_in_step) {
  __shared__ int sums[64];
  volatile int* const s = sums;
  if (threadIdx.x < 64) sums[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 32) return;
  for (int half = 32; half > 0; half /= 2) {
    const int other = s[threadIdx.x + half > 63 ? 63 : threadIdx.x + half];
    if (repaired) __syncwarp();
    s[threadIdx.x] += other;
    if (repaired) __syncwarp();
  }
  work[threadIdx.x] = s[threadIdx.x];
}

TWINS(syncs_other_lanes) {
  __shared__ int tile[32];
  if (threadIdx.x >= 32) return;
  tile[threadIdx.x] = data[threadIdx.x];
  if (threadIdx.x < 16) {
    __syncwarp(0xffff);
    work[threadIdx.x] = tile[(threadIdx.x + 1) % 16];
  } else {
    __syncwarp(0xffff0000);
    work[threadIdx.x] = tile[repaired ? 16 + (threadIdx.x + 1) % 16 : 15];
  }
}

TWINS(writes_from_all_lanes) {
  __shared__ int winner, others[5];
  const int own = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 32) {
    if (repaired) {
      atomicExch(&winner, own);
      for (int n = 0; n < 5; ++n) atomicExch(&others[n], own + n);
    } else {
      winner = own;
      for (int n = 0; n < 5; ++n) others[n] = own + n;
    }
  }
  __syncthreads();
  work[threadIdx.x] = winner + others[own % 5];
}

// A shuffle orders nothing in memory.
TWINS(relies_on_a_shuffle) {
  __shared__ int tile[32];
  if (threadIdx.x >= 32) return;
  tile[threadIdx.x] = data[threadIdx.x];
  const int sum = __shfl_xor_sync(~0u, data[threadIdx.x], 1);
  if (repaired) __syncwarp();
  work[threadIdx.x] = sum + tile[threadIdx.x ^ 1];
}

// --- Blocks ---

TWINS(adds_up_across_blocks) {
  if (repaired)
    atomicAdd(work, data[threadIdx.x]);
  else if (threadIdx.x == 0)
    *work += data[blockIdx.x];
}

TWINS(overlaps_other_blocks) {
  const int at = blockIdx.x * (repaired ? blockDim.x : blockDim.x - 1) + threadIdx.x;
  work[at] = data[at];
}

TWINS(updates_a_stencil_in_place) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  if (i == 0 || i + 1 >= all) return;
  (repaired ? work : data)[i] = data[i - 1] + data[i] + data[i + 1];
}

TWINS(reads_what_others_count) {
  atomicAdd(work, 1);
  if (repaired)
    data[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(work, 0);
  else
    data[blockIdx.x * blockDim.x + threadIdx.x] = *work;
}

TWINS(counts_in_its_block_only) {
  if (repaired)
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(work) : "memory");
  else
    asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" ::"l"(work) : "memory");
}

// --- Flags ---

TWINS(publishes_without_a_fence) {
  volatile int* const flag = work;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 17;
    if (repaired) __threadfence();
    *flag = 1;
  } else if (blockIdx.x == 1) {
    while (*flag == 0) {
    }
    __threadfence();
    work[1] = data[0];
  }
}

TWINS(reads_without_a_fence) {
  volatile int* const flag = work;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 17;
    __threadfence();
    *flag = 1;
  } else if (blockIdx.x == 1) {
    while (*flag == 0) {
    }
    if (repaired) __threadfence();
    work[1] = data[0];
  }
}

TWINS(fences_its_block_only) {
  volatile int* const flag = work;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 17;
    if (repaired)
      __threadfence();
    else
      __threadfence_block();
    *flag = 1;
  } else if (blockIdx.x == 1) {
    while (*flag == 0) {
    }
    __threadfence();
    work[1] = data[0];
  }
}

TWINS(fences_too_late) {
  volatile int* const flag = work;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    if (repaired) data[0] = 17;
    __threadfence();
    if (!repaired) data[0] = 17;
    *flag = 1;
  } else if (blockIdx.x == 1) {
    while (*flag == 0) {
    }
    __threadfence();
    work[1] = data[0];
  }
}

TWINS(releases_nothing) {
  if (threadIdx.x != 0) return;
  int seen = 0;
  if (blockIdx.x == 0) {
    data[0] = 17;
    if (repaired)
      asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(work) : "memory");
    else
      asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(work) : "memory");
  } else if (blockIdx.x == 1) {
    while (seen == 0)
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(work) : "memory");
    work[1] = data[0];
  }
}

TWINS(acquires_nothing) {
  if (threadIdx.x != 0) return;
  int seen = 0;
  if (blockIdx.x == 0) {
    data[0] = 17;
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(work) : "memory");
  } else if (blockIdx.x == 1) {
    while (seen == 0) {
      if (repaired)
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(work) : "memory");
      else
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(work) : "memory");
    }
    work[1] = data[0];
  }
}

TWINS(spins_on_a_plain_flag) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (repaired)
      atomicExch(&flag, 1);
    else
      flag = 1;
  } else if (threadIdx.x == 64) {
    while (atomicAdd(&flag, 0) == 0) {
    }
  }
}

TWINS(leaves_a_lock_open) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(work, 0, 1) != 0) {
  }
  if (repaired) __threadfence();
  data[0] += 1;
  if (repaired) __threadfence();
  atomicExch(work, 0);
}

// The last block adds up what the others have left.
TWINS(last_block_adds_up) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    data[blockIdx.x] = static_cast<int>(blockIdx.x);
    if (repaired) __threadfence();
    last = atomicAdd(work, 1) == static_cast<int>(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) work[1 + threadIdx.x] = data[threadIdx.x];
}

// --- Grids ---

TWINS(misses_the_barrier_of_the_grid) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  data[i] = static_cast<int>(i);
  __syncthreads();
  if (repaired) {
    // Each block has arrived once all have: as many as the grid has, beyond the array.
    int* const arrived = work + all;
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1);
      while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  work[i] = data[all - 1 - i];
}

// --- Copies under way ---

__device__ void copy_async(int* to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

TWINS(uses_a_copy_too_early) {
  __shared__ int tile[256];
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  commit();
  if (repaired) wait<0>();
  work[threadIdx.x] = tile[threadIdx.x];
}

TWINS(waits_for_its_own_copy_only) {
  __shared__ int tile[256];
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  commit();
  wait<0>();
  if (repaired) __syncthreads();
  work[threadIdx.x] = tile[255 - threadIdx.x];
}

TWINS(waits_for_the_group_before) {
  __shared__ int tile[512];
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  commit();
  copy_async(&tile[256 + threadIdx.x], &data[256 + threadIdx.x]);
  commit();
  wait<repaired ? 0 : 1>();
  work[threadIdx.x] = tile[threadIdx.x] + tile[256 + threadIdx.x];
}
