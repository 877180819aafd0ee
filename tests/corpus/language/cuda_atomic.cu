// SPDX-License-Identifier: Apache-2.0
// libcu++'s atomics: every scope and order, waiting and notifying, references, small and large
// types.
#include <cuda/atomic>

#include "../corpus.hpp"

struct Point {
  short x, y;
};

__global__ void counters(cuda::atomic<int>* a, cuda::atomic<unsigned, cuda::thread_scope_device>* b,
                         cuda::atomic<unsigned long long, cuda::thread_scope_block>* c,
                         cuda::atomic<float, cuda::thread_scope_device>* f,
                         cuda::atomic<double, cuda::thread_scope_system>* d,
                         cuda::atomic<short, cuda::thread_scope_device>* s, cuda::atomic<char>* ch,
                         cuda::atomic<Point, cuda::thread_scope_device>* p) {
  const int t = threadIdx.x;
  a->fetch_add(t);
  ++*a;
  b->fetch_max(t * 3, cuda::memory_order_relaxed);
  c->fetch_xor(1ull << t % 50, cuda::memory_order_release);
  f->fetch_add(0.5f, cuda::memory_order_acq_rel);
  d->fetch_add(1.25);
  s->fetch_sub(2, cuda::memory_order_relaxed);
  ch->fetch_or(static_cast<char>(t));
  Point old = p->load(cuda::memory_order_acquire);
  while (!p->compare_exchange_weak(
      old, Point{static_cast<short>(old.x + 1), static_cast<short>(old.y + t)})) {
  }
}

__global__ void references(int* values, double* most) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(values[0]);
  count.fetch_add(1);
  cuda::atomic_ref<int, cuda::thread_scope_block>(values[1 + blockIdx.x])
      .fetch_min(-static_cast<int>(threadIdx.x), cuda::std::memory_order_relaxed);
  cuda::atomic_ref<double, cuda::thread_scope_device>(*most).fetch_max(threadIdx.x * 1.5);
}

__global__ void relay(cuda::atomic<int, cuda::thread_scope_device>* turn, int* order) {
  if (threadIdx.x) return;
  int seen = turn->load();
  while (seen != static_cast<int>(blockIdx.x)) {
    turn->wait(seen);
    seen = turn->load(cuda::memory_order_acquire);
  }
  order[blockIdx.x] = seen * seen;
  turn->store(seen + 1, cuda::memory_order_release);
  turn->notify_all();
}

__global__ void flags(cuda::std::atomic_flag* flag, int* first, int* sum) {
  if (!flag->test_and_set()) atomicAdd(first, 1);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> shared;
  if (threadIdx.x == 0) new (&shared) cuda::atomic<int, cuda::thread_scope_block>(5);
  __syncthreads();
  shared.fetch_add(1);
  __syncthreads();
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  if (threadIdx.x == 0) atomicAdd(sum, shared.load());
}

int main() {
  Buffer<unsigned long long> place(8);
  unsigned long long* m = place;
  RUN(counters<<<1, 100>>>(
      reinterpret_cast<cuda::atomic<int>*>(m),
      reinterpret_cast<cuda::atomic<unsigned, cuda::thread_scope_device>*>(m + 1),
      reinterpret_cast<cuda::atomic<unsigned long long, cuda::thread_scope_block>*>(m + 2),
      reinterpret_cast<cuda::atomic<float, cuda::thread_scope_device>*>(m + 3),
      reinterpret_cast<cuda::atomic<double, cuda::thread_scope_system>*>(m + 4),
      reinterpret_cast<cuda::atomic<short, cuda::thread_scope_device>*>(m + 5),
      reinterpret_cast<cuda::atomic<char>*>(m + 6),
      reinterpret_cast<cuda::atomic<Point, cuda::thread_scope_device>*>(m + 7)));
  for (auto x : place.read()) printf("%llx ", x);
  printf("\n");
  Buffer<int> values(8), order(16), more(4);
  Buffer<double> most(1);
  RUN(references<<<4, 50>>>(values, most));
  corpus::show("values", values.read());
  printf("most %g\n", most(0));
  Buffer<int> turn(1);
  RUN(relay<<<16, 32>>>(reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(turn.get()),
                        order));
  corpus::show("order", order.read(), 16);
  RUN(flags<<<2, 64>>>(reinterpret_cast<cuda::std::atomic_flag*>(more.get() + 2), more,
                       more.get() + 1));
  printf("first %d sum %d\n", more(0), more(1));
  return 0;
}
