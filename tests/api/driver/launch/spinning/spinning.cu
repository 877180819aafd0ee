// SPDX-License-Identifier: Apache-2.0
// Kernels in which threads wait for each other, as programs do: locks, tickets, queues, flags, grid
// barriers. Each gets zeroed memory and leaves its results in the first words. `shapes.def` has the
// launches and an H200's results. spinning.ptx is this file compiled by:
//   nvcc -std=c++17 -arch=compute_90 -ptx spinning.cu
#define KERNEL extern "C" __global__ void

// Words that threads wait for, each in its own cache line.
#define PLACE(n) (m + 32 * (n))

namespace {

__device__ int lane() { return threadIdx.x % 32; }
__device__ int warp() { return threadIdx.x / 32; }
__device__ int total() { return gridDim.x * blockDim.x; }
__device__ int self() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- Ways to read a word ---

struct Volatile {
  static __device__ int ask(int* p) { return *(volatile int*)p; }
};
struct Cas {
  static __device__ int ask(int* p) { return atomicCAS(p, -1, -1); }
};
struct Add {
  static __device__ int ask(int* p) { return atomicAdd(p, 0); }
};
struct Or {
  static __device__ int ask(int* p) { return atomicOr(p, 0); }
};
struct And {
  static __device__ int ask(int* p) { return atomicAnd(p, -1); }
};
struct Xor {
  static __device__ int ask(int* p) { return atomicXor(p, 0); }
};
struct Max {
  static __device__ int ask(int* p) { return atomicMax(p, -2147483647 - 1); }
};
struct Min {
  static __device__ int ask(int* p) { return atomicMin(p, 2147483647); }
};
struct Sub {
  static __device__ int ask(int* p) { return atomicSub(p, 0); }
};
struct LoadCg {
  static __device__ int ask(int* p) { return __ldcg(p); }
};
struct LoadCv {
  static __device__ int ask(int* p) { return __ldcv(p); }
};
struct Inline {
  static __device__ int ask(int* p) {
    int v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
  }
};
struct Relaxed {
  static __device__ int ask(int* p) {
    int v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
  }
};
struct Acquire {
  static __device__ int ask(int* p) {
    int v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
  }
};
struct AcquireAdd {
  static __device__ int ask(int* p) {
    int v;
    asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(p) : "memory");
    return v;
  }
};
struct Fenced {  // a plain load, which the fence keeps in the loop
  static __device__ int ask(int* p) {
    __threadfence();
    return *p;
  }
};
struct Wide {
  static __device__ int ask(int* p) { return (int)atomicAdd((unsigned long long*)p, 0ull); }
};

struct Awake {
  static __device__ void rest() {}
};
struct Asleep {
  static __device__ void rest() { __nanosleep(100); }
};
struct Backoff {
  unsigned ns = 8;
  __device__ void rest() {
    __nanosleep(ns);
    if (ns < 256) ns *= 2;
  }
};

// --- Locks ---

struct LockCas {
  static __device__ bool take(int* p) { return atomicCAS(p, 0, 1) == 0; }
  static __device__ void give(int* p) { atomicExch(p, 0); }
};
struct LockExch {
  static __device__ bool take(int* p) { return atomicExch(p, 1) == 0; }
  static __device__ void give(int* p) { atomicExch(p, 0); }
};
struct LockOr {
  static __device__ bool take(int* p) { return (atomicOr(p, 4) & 4) == 0; }
  static __device__ void give(int* p) { atomicAnd(p, ~4); }
};
struct LockMax {
  static __device__ bool take(int* p) { return atomicMax(p, 1) == 0; }
  static __device__ void give(int* p) { atomicMin(p, 0); }
};
struct LockAdd {
  static __device__ bool take(int* p) {
    if (atomicAdd(p, 1) == 0) return true;
    atomicSub(p, 1);
    return false;
  }
  static __device__ void give(int* p) { atomicSub(p, 1); }
};
struct LockInc {
  static __device__ bool take(int* p) { return atomicInc((unsigned*)p, 1000000000u) == 0; }
  static __device__ void give(int* p) { atomicExch(p, 0); }
};
struct LockStore {
  static __device__ bool take(int* p) { return atomicCAS(p, 0, 1) == 0; }
  static __device__ void give(int* p) { *(volatile int*)p = 0; }
};
struct LockWide {
  static __device__ bool take(int* p) { return atomicOr((unsigned long long*)p, 1ull << 40) == 0; }
  static __device__ void give(int* p) { atomicExch((unsigned long long*)p, 0ull); }
};

template <class Lock, class Rest>
__device__ void count_under_lock(int* m) {
  Rest rest;
  while (!Lock::take(PLACE(1))) rest.rest();
  __threadfence();
  *(volatile int*)m += 1;
  __threadfence();
  Lock::give(PLACE(1));
}

// The same as a loop with a flag, which is common in programs.
template <class Lock, class Rest>
__device__ void count_with_flag(int* m) {
  Rest rest;
  bool done = false;
  while (!done) {
    if (Lock::take(PLACE(1))) {
      __threadfence();
      *(volatile int*)m += 1;
      __threadfence();
      Lock::give(PLACE(1));
      done = true;
    } else {
      rest.rest();
    }
  }
}

// --- Flags ---

// All lanes but one wait for what that one does after the loop.
template <class Ask, class Rest>
__device__ void set_behind(int* m, int setter) {
  Rest rest;
  if (lane() != setter)
    while (Ask::ask(PLACE(1)) == 0) rest.rest();
  if (lane() == setter) {
    *(volatile int*)m = 7;
    __threadfence();
    atomicExch(PLACE(1), 1);
  }
  atomicAdd(m + 1, *(volatile int*)m);
}

// One thread after the other, in ascending or descending order.
template <class Ask, class Rest>
__device__ void in_turn(int* m, bool backwards) {
  Rest rest;
  const int mine = backwards ? total() - 1 - self() : self();
  while (Ask::ask(PLACE(1)) != mine) rest.rest();
  *(volatile int*)m = *(volatile int*)m * 3 + self();
  __threadfence();
  atomicAdd(PLACE(1), 1);
}

template <class Ask, class Rest>
__device__ void tickets(int* m) {
  Rest rest;
  for (int i = 0; i < 3; ++i) {
    const int mine = atomicAdd(PLACE(1), 1);
    while (Ask::ask(PLACE(2)) != mine) rest.rest();
    *(volatile int*)m += 1;
    __threadfence();
    atomicAdd(PLACE(2), 1);
  }
}

// The first thread of each block waits for all blocks.
template <class Ask, class Rest>
__device__ void barrier_of_grid(int* m, int round) {
  Rest rest;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(PLACE(1), 1);
    while (Ask::ask(PLACE(1)) < (round + 1) * (int)gridDim.x) rest.rest();
    __threadfence();
  }
  __syncthreads();
}

template <class Ask, class Rest>
__device__ void rounds(int* m) {
  for (int i = 0; i < 6; ++i) {
    volatile int* const words = PLACE(8) + (i % 2) * 64;
    const int left =
        i == 0 ? blockIdx.x : PLACE(8)[((i + 1) % 2) * 64 + (blockIdx.x + 1) % gridDim.x];
    if (threadIdx.x == 0) words[blockIdx.x] = left + 1;
    barrier_of_grid<Ask, Rest>(m, i);
  }
  if (threadIdx.x == 0) atomicAdd(m, ((volatile int*)PLACE(8))[64 + blockIdx.x]);
}

// A producer and a consumer share one place.
template <class Ask, class Rest>
__device__ void hand_over(int* m, bool produces, int pair) {
  Rest rest;
  int* const full = PLACE(1 + 2 * pair);
  volatile int* const value = PLACE(2 + 2 * pair);
  int sum = 0;
  for (int i = 1; i <= 5; ++i) {
    while (Ask::ask(full) != (produces ? 0 : 1)) rest.rest();
    __threadfence();
    if (produces)
      *value = i * i + pair;
    else
      sum += *value;
    __threadfence();
    atomicExch(full, produces ? 1 : 0);
  }
  if (!produces) atomicAdd(m, sum);
}

__device__ __noinline__ bool is_set(int* p) { return atomicAdd(p, 0) != 0; }
__device__ __noinline__ void lock_it(int* p) {
  unsigned ns = 8;
  while (atomicCAS(p, 0, 1) != 0) {
    __nanosleep(ns);
    if (ns < 256) ns *= 2;
  }
}
__device__ __noinline__ void unlock_it(int* p) { atomicExch(p, 0); }
__device__ __noinline__ void wait_until(int* p, int value) {
  while (__ldcg(p) < value) {
  }
}

}  // namespace

// All threads take one lock.
#define LOCK(name, Lock, Rest) \
  KERNEL lock_##name(int* m) { count_under_lock<Lock, Rest>(m); }
LOCK(cas, LockCas, Awake)
LOCK(cas_asleep, LockCas, Asleep)
LOCK(cas_backoff, LockCas, Backoff)
LOCK(exch, LockExch, Awake)
LOCK(exch_backoff, LockExch, Backoff)
LOCK(or, LockOr, Awake)
LOCK(or_asleep, LockOr, Asleep)
LOCK(max, LockMax, Awake)
LOCK(max_backoff, LockMax, Backoff)
LOCK(add, LockAdd, Awake)
LOCK(add_asleep, LockAdd, Asleep)
LOCK(inc, LockInc, Awake)
LOCK(store, LockStore, Awake)
LOCK(wide, LockWide, Awake)
#define FLAG_LOCK(name, Lock, Rest) \
  KERNEL try_##name(int* m) { count_with_flag<Lock, Rest>(m); }
FLAG_LOCK(cas, LockCas, Awake)
FLAG_LOCK(or, LockOr, Awake)
FLAG_LOCK(add_asleep, LockAdd, Asleep)
FLAG_LOCK(exch_backoff, LockExch, Backoff)

#define BEHIND(name, Ask, Rest, setter) \
  KERNEL behind_##name(int* m) { set_behind<Ask, Rest>(m, setter); }
BEHIND(volatile, Volatile, Awake, 0)
BEHIND(volatile_last, Volatile, Awake, 31)
BEHIND(volatile_asleep, Volatile, Asleep, 0)
BEHIND(cas, Cas, Awake, 0)
BEHIND(add, Add, Awake, 0)
BEHIND(add_asleep, Add, Asleep, 13)
BEHIND(or, Or, Awake, 0)
BEHIND(and, And, Awake, 17)
BEHIND(xor, Xor, Backoff, 0)
BEHIND(max, Max, Awake, 0)
BEHIND(min, Min, Awake, 0)
BEHIND(sub, Sub, Awake, 31)
BEHIND(cg, LoadCg, Awake, 0)
BEHIND(cg_asleep, LoadCg, Asleep, 0)
BEHIND(cv, LoadCv, Awake, 0)
BEHIND(inline, Inline, Awake, 0)
BEHIND(relaxed, Relaxed, Awake, 5)
BEHIND(acquire, Acquire, Awake, 0)
BEHIND(acquire_add, AcquireAdd, Awake, 0)
BEHIND(fenced, Fenced, Awake, 0)
BEHIND(wide, Wide, Awake, 0)

#define TURN(name, Ask, Rest, backwards) \
  KERNEL turn_##name(int* m) { in_turn<Ask, Rest>(m, backwards); }
TURN(volatile, Volatile, Awake, false)
TURN(volatile_back, Volatile, Awake, true)
TURN(add_back, Add, Awake, true)
TURN(cg_back, LoadCg, Awake, true)
TURN(or_asleep, Or, Asleep, false)
TURN(fenced_back, Fenced, Awake, true)
TURN(inline_backoff, Inline, Backoff, true)

#define TICKETS(name, Ask, Rest) \
  KERNEL tickets_##name(int* m) { tickets<Ask, Rest>(m); }
TICKETS(add, Add, Awake)
TICKETS(add_asleep, Add, Asleep)
TICKETS(cg, LoadCg, Awake)
TICKETS(volatile, Volatile, Backoff)
TICKETS(max, Max, Awake)

#define GRID(name, Ask, Rest) \
  KERNEL grid_##name(int* m) { rounds<Ask, Rest>(m); }
GRID(volatile, Volatile, Awake)
GRID(add, Add, Awake)
GRID(or_asleep, Or, Asleep)
GRID(cg, LoadCg, Awake)
GRID(cv_backoff, LoadCv, Backoff)
GRID(acquire, Acquire, Awake)
GRID(fenced, Fenced, Awake)

// The pairs are lanes, warps or blocks.
#define PAIRS(name, Ask, Rest, produces, pair) \
  KERNEL pairs_##name(int* m) { hand_over<Ask, Rest>(m, produces, pair); }
PAIRS(lanes_add, Add, Awake, lane() % 2 == 0, lane() / 2)
PAIRS(lanes_cg, LoadCg, Awake, lane() < 16, lane() % 16)
PAIRS(lanes_volatile, Volatile, Asleep, lane() >= 16, lane() % 16)
PAIRS(warps_or, Or, Awake, warp() % 2 == 0, lane())
PAIRS(warps_inline, Inline, Backoff, warp() % 2 == 1, lane())
PAIRS(blocks_max, Max, Awake, blockIdx.x % 2 == 0, blockIdx.x / 2 * 32 + lane())
PAIRS(blocks_cg, LoadCg, Asleep, blockIdx.x % 2 == 1, blockIdx.x / 2 * 32 + lane())

// --- Others ---

// The other warps wait for a word that one warp sets in shared memory.
KERNEL shared_flag(int* m) {
  __shared__ volatile int ready, value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    value = 5;
    __threadfence_block();
    ready = 1;
  }
  while (!ready) {
  }
  atomicAdd(m, value);
}
KERNEL shared_add(int* m) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  while (atomicAdd(&count, 0) < (int)blockDim.x) {
  }
  atomicAdd(m, count);
}
KERNEL shared_lock(int* m) {
  __shared__ int lock;
  __shared__ volatile int sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    while (atomicOr(&lock, 1)) __nanosleep(20);
    sum += threadIdx.x;
    __threadfence_block();
    atomicAnd(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) m[0] = sum;
}
KERNEL shared_fenced(int* m) {
  __shared__ int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  for (;;) {
    __threadfence_block();
    if (turn == (int)(blockDim.x - 1 - threadIdx.x)) break;
  }
  m[0] = m[0] * 5 + threadIdx.x;
  __threadfence();
  turn = turn + 1;
}

// Polling inside functions.
KERNEL function_polls(int* m) {
  if (lane())
    while (!is_set(PLACE(1))) {
    }
  else
    atomicExch(PLACE(1), 1);
  atomicAdd(m, 1);
}
KERNEL function_behind(int* m) {
  if (lane())
    while (!is_set(PLACE(1))) {
    }
  atomicAdd(m, 1);
  if (lane() == 0) atomicExch(PLACE(1), 1);
}
KERNEL function_locks(int* m) {
  lock_it(PLACE(1));
  *(volatile int*)m += 2;
  __threadfence();
  unlock_it(PLACE(1));
}
KERNEL function_waits(int* m) {
  wait_until(PLACE(1), total() - 1 - self());
  m[1] = self();
  __threadfence();
  atomicAdd(PLACE(1), 1);
  atomicAdd(m, 1);
}

// Nested loops.
KERNEL two_locks(int* m) {
  for (int i = 0; i < 2; ++i) {
    while (atomicCAS(PLACE(1), 0, 1)) __nanosleep(10);
    while (atomicOr(PLACE(2), 1)) {
    }
    *(volatile int*)m += 1;
    __threadfence();
    atomicAnd(PLACE(2), 0);
    atomicExch(PLACE(1), 0);
  }
}
KERNEL nested_flags(int* m) {
  int seen = 0;
  for (int i = 0; i < 4; ++i) {
    if (lane() == i) {
      while (atomicAdd(PLACE(1), 0) != i) {
      }
      *(volatile int*)m += i + 1;
      __threadfence();
      atomicAdd(PLACE(1), 1);
    }
    while (__ldcg(PLACE(1)) <= i) {
    }
    seen += *(volatile int*)m != 0;
  }
  atomicAdd(m + 1, seen);
}
KERNEL locks_of_bins(int* m) {
  for (int i = 0; i < 4; ++i) {
    int* const lock = PLACE(1 + (self() * 7 + i) % 5);
    while (atomicMax(lock, 1)) {
    }
    volatile int* const bin = m + (self() * 7 + i) % 5;
    *bin += 1;
    __threadfence();
    atomicMin(lock, 0);
  }
}
KERNEL permits(int* m) {  // three may be inside
  while (atomicAdd(PLACE(1), 1) >= 3) atomicSub(PLACE(1), 1);
  atomicAdd(m, 1);
  const int inside = atomicAdd(PLACE(2), 1) + 1;
  if (inside > 3) atomicAdd(m + 1, 1);
  atomicSub(PLACE(2), 1);
  __threadfence();
  atomicSub(PLACE(1), 1);
}
KERNEL take_some(int* m) {  // out of those that one thread adds
  if (self() == 0) {
    for (int i = 1; i < total(); ++i) {
      __threadfence();
      atomicAdd(PLACE(1), 1);
    }
  } else {
    int have;
    for (;;) {
      have = atomicAdd(PLACE(1), 0);
      if (have > 0 && atomicCAS(PLACE(1), have, have - 1) == have) break;
    }
    atomicAdd(m, 1);
  }
}
KERNEL readers_writers(int* m) {
  if (self() % 4 == 0) {
    while (atomicCAS(PLACE(1), 0, -1000) != 0) __nanosleep(10);
    *(volatile int*)m += 1;
    *(volatile int*)(m + 1) += 1;
    __threadfence();
    atomicAdd(PLACE(1), 1000);
  } else {
    while (atomicAdd(PLACE(1), 1) < 0) atomicSub(PLACE(1), 1);
    if (*(volatile int*)m != *(volatile int*)(m + 1)) atomicAdd(m + 2, 1);
    __threadfence();
    atomicSub(PLACE(1), 1);
  }
}

// A single loop that advances whenever a word has arrived.
KERNEL one_loop_cg(int* m) {
  const int words = 8;
  if (lane() == 31) {
    for (int i = 0; i < words; ++i) {
      __threadfence();
      atomicExch(PLACE(8) + i, i + 1);
    }
  } else {
    int have = 0, sum = 0;
    while (have < words) {
      const int one = __ldcg(PLACE(8) + have);
      if (one) {
        sum += one;
        ++have;
      }
    }
    atomicAdd(m, sum);
  }
}
KERNEL one_loop_fenced(int* m) {
  const int words = 8;
  int have = 0, sum = 0;
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0)
      for (int i = 0; i < words; ++i) {
        __threadfence();
        atomicExch(PLACE(8) + i, i + 1);
      }
    return;
  }
  while (have < words) {
    __threadfence();
    const int one = PLACE(8)[have];
    have += one != 0;
    sum += one;
  }
  atomicAdd(m, sum);
}
KERNEL round_robin(int* m) {  // whichever comes first
  if (lane() == 0) {
    int at = 0;
    while (__ldcv(PLACE(8) + at) == 0) at = (at + 1) % 7;
    m[0] = at;
  } else if (lane() == 9) {
    atomicExch(PLACE(8) + 4, 1);
  }
}

// Barriers of the block inside and after the loop.
KERNEL votes_of_block(int* m) {
  int turns = 0;
  if (blockIdx.x == gridDim.x - 1) {
    if (threadIdx.x == 0) atomicExch(PLACE(1), 1);
    return;
  }
  while (__syncthreads_or(threadIdx.x == 3 && __ldcg(PLACE(1)) == 0)) ++turns;
  atomicAdd(m, turns >= 0);
}
KERNEL barrier_inside(int* m) {
  __shared__ int seen;
  if (blockIdx.x == gridDim.x - 1) {
    if (threadIdx.x == 0) atomicExch(PLACE(1), 1);
    return;
  }
  do {
    __syncthreads();
    if (threadIdx.x == 0) seen = atomicAdd(PLACE(1), 0);
    __syncthreads();
  } while (!seen);
  atomicAdd(m, 1);
}
KERNEL barrier_behind(int* m) {
  if (warp() == 0) {
    while (atomicAdd(PLACE(1), 0) < (int)blockDim.x - 32) {
    }
  } else {
    atomicAdd(PLACE(1), 1);
  }
  __syncthreads();
  atomicAdd(m, 1);
}
KERNEL warp_behind(int* m) {
  if (lane() % 2)
    while (atomicOr(PLACE(1), 0) < 16) {
    }
  else
    atomicAdd(PLACE(1), 1);
  __syncwarp();
  atomicAdd(m, __shfl_sync(~0u, lane(), 31 - lane()) + lane());
}
KERNEL leader_locks(int* m) {
  for (int i = 0; i < 3; ++i) {
    if (lane() == 0)
      while (atomicOr(PLACE(1), 1)) {
      }
    __syncwarp();
    if (lane() < 4) m[lane()] = ((volatile int*)m)[lane()] + 1;
    __threadfence();
    __syncwarp();
    if (lane() == 0) atomicAnd(PLACE(1), 0);
  }
}
KERNEL votes_of_warp(int* m) {
  if (warp() == 1) {
    __threadfence();
    if (lane() == 0) atomicExch(PLACE(1), 1);
    return;
  }
  int turns = 0;
  while (!__any_sync(~0u, lane() == 7 && __ldcg(PLACE(1)) != 0)) ++turns;
  atomicAdd(m, turns >= 0);
}
KERNEL leader_asks(int* m) {
  if (warp() == 1) {
    if (lane() == 0) atomicExch(PLACE(1), 3);
    return;
  }
  int have;
  do {
    have = lane() == 0 ? atomicAdd(PLACE(1), 0) : 0;
    have = __shfl_sync(~0u, have, 0);
  } while (have == 0);
  atomicAdd(m, have);
}
KERNEL mask_of_some(int* m) {
  if (lane() < 8) {
    while (__ldcg(PLACE(1)) == 0) {
    }
    __syncwarp(0xff);
    atomicAdd(m, __shfl_sync(0xff, lane(), 3));
  } else if (lane() == 20) {
    atomicExch(PLACE(1), 1);
  }
}

// With a limit on the turns, which is not reached.
KERNEL limited(int* m) {
  int left = 1 << 30;
  if (lane()) {
    while (atomicAdd(PLACE(1), 0) == 0 && --left) {
    }
  }
  if (lane() == 0) atomicExch(PLACE(1), 1);
  if (left == 0) atomicAdd(m + 1, 1);
  atomicAdd(m, 1);
}
KERNEL limited_for(int* m) {
  int i = 0;
  if (lane() != 4)
    for (; i < 1 << 30; ++i)
      if (__ldcg(PLACE(1))) break;
  if (lane() == 4) atomicExch(PLACE(1), 1);
  if (i == 1 << 30) atomicAdd(m + 1, 1);
  atomicAdd(m, 1);
}
KERNEL by_clock(int* m) {
  const long long begun = clock64();
  bool late = false;
  if (lane())
    while (atomicOr(PLACE(1), 0) == 0) {
      __nanosleep(50);
      if (clock64() - begun > 1ll << 40) {
        late = true;
        break;
      }
    }
  if (lane() == 0) atomicExch(PLACE(1), 1);
  atomicAdd(m + late, 1);
}

// A list to which all threads push and from which they pop.
KERNEL stack(int* m) {
  int* const next = PLACE(8);
  const int own = self() + 1;
  int head;
  do {
    head = atomicAdd(PLACE(1), 0);
    next[own] = head & 0xffff;
    __threadfence();
  } while (atomicCAS(PLACE(1), head, ((head >> 16) + 1) << 16 | own) != head);
  int top;
  do {
    while (((top = __ldcg(PLACE(1))) & 0xffff) == 0) {
    }
    head = ((volatile int*)next)[top & 0xffff];
  } while (atomicCAS(PLACE(1), top, ((top >> 16) + 1) << 16 | head) != top);
  atomicAdd(m, top & 0xffff);
}
// Each link appears after the previous one.
KERNEL links(int* m) {
  volatile int* const next = PLACE(8);
  if (lane() == 30) {
    int at = 0;
    for (int i = 1; i <= 6; ++i) {
      __threadfence();
      next[at] = i * 3;
      at = i * 3;
    }
    next[at] = -1;
  } else {
    int at = 0, sum = 0;
    for (;;) {
      int to;
      while ((to = __ldcg((int*)next + at)) == 0) {
      }
      if (to < 0) break;
      sum += to;
      at = to;
    }
    atomicAdd(m, sum);
  }
}
// The last block to arrive does the rest, and the others wait for it.
KERNEL last_block(int* m) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    PLACE(8)[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    last = atomicAdd(PLACE(1), 1) == (int)gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < (int)gridDim.x; ++i) sum += ((volatile int*)PLACE(8))[i];
    atomicExch(PLACE(2), sum);
  }
  while (atomicAdd(PLACE(2), 0) == 0) {
  }
  atomicAdd(m, __ldcg(PLACE(2)));
}
// Earlier blocks wait for later ones.
KERNEL blocks_backwards(int* m) {
  if (threadIdx.x == 0) {
    while (__ldcg(PLACE(1)) != (int)(gridDim.x - 1 - blockIdx.x)) {
    }
    *(volatile int*)m = *(volatile int*)m * 3 + blockIdx.x;
    __threadfence();
    atomicAdd(PLACE(1), 1);
  }
}
// Threads take work by number; they wait only for the end.
KERNEL queue_of_work(int* m) {
  int sum = 0;
  for (int i; (i = atomicAdd(PLACE(1), 1)) < 100;) sum += i;
  atomicAdd(m, sum);
  __threadfence();
  atomicAdd(PLACE(2), 1);
  while (atomicAdd(PLACE(2), 0) != total()) {
  }
}
// A switch over states inside one loop.
KERNEL states(int* m) {
  int state = 0, left = 2;
  while (state != 4) {
    switch (state) {
      case 0:
        if (atomicOr(PLACE(1), 1) == 0) state = 1;
        break;
      case 1:
        *(volatile int*)m += 1;
        __threadfence();
        state = 2;
        break;
      case 2:
        atomicAnd(PLACE(1), 0);
        state = --left ? 0 : 3;
        break;
      default:
        atomicAdd(m + 1, 1);
        state = 4;
    }
  }
}
