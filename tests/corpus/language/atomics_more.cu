// SPDX-License-Identifier: Apache-2.0
// Atomics of every width and scope, as functions and as references with each memory order, and
// those of 16 and 128 bits.
#include <cuda/atomic>

#include "../corpus.hpp"

using U64 = unsigned long long;

// One block: some are atomic for their own block only.
__global__ void functions(int* i, unsigned* u, U64* w, float* f, double* d) {
  const int t = threadIdx.x % 96;
  atomicAdd(&i[0], t), atomicSub(&i[1], t), atomicMin(&i[2], -t), atomicMax(&i[3], t),
      atomicAnd(&i[4], ~(1 << t % 20));
  atomicOr(&i[5], 1 << t % 31), atomicXor(&i[6], t * 77);
  atomicInc(&u[0], 37), atomicDec(&u[1], 50), atomicMin(&u[2], 1000u - t), atomicMax(&u[3], 5u * t),
      atomicAdd(&u[4], 7u * t);
  atomicAdd(&w[0], 1ull << t % 40), atomicMin(&w[1], 1ull << 60 >> t % 50),
      atomicMax(&w[2], static_cast<U64>(t) << 33);
  atomicAnd(&w[3], ~(1ull << t)), atomicOr(&w[4], 1ull << t), atomicXor(&w[5], 0x100000001ull * t);
  atomicMax(reinterpret_cast<long long*>(&w[6]), static_cast<long long>(-t) << 35),
      atomicMin(reinterpret_cast<long long*>(&w[7]), -5ll * t);
  atomicAdd_block(&i[7], 3), atomicAdd_system(&i[8], 5), atomicMax_block(&u[5], 9u + t),
      atomicCAS_system(&u[6], 0u, 77u);
  atomicAdd_block(&f[0], 0.25f), atomicAdd_system(&d[0], 0.5), atomicExch_block(&u[7], 123u),
      atomicAnd_system(&u[8], 0xff00u);
  // A maximum of floats by compare-and-swap, and a running sum.
  int old = __float_as_int(f[1]), seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= t * 0.5f) break;
    old = atomicCAS(reinterpret_cast<int*>(&f[1]), seen, __float_as_int(t * 0.5f));
  } while (old != seen);
  U64 before = __double_as_longlong(d[1]), was;
  do {
    was = before;
    before = atomicCAS(reinterpret_cast<U64*>(&d[1]), was,
                       static_cast<U64>(__double_as_longlong(__longlong_as_double(was) + 1.5)));
  } while (before != was);
  // The old values, which all differ.
  const int place = atomicAdd(&i[9], 1);
  atomicAdd(&i[10], place * place);
  const float taken = atomicExch(&f[2], static_cast<float>(t));
  atomicAdd(&f[3], taken);
}

__global__ void narrow(unsigned short* s, int* out) {
  const int t = threadIdx.x % 64;
  unsigned short old = s[t % 3], seen;
  do {
    seen = old;
    old = atomicCAS(&s[t % 3], seen, static_cast<unsigned short>(seen * 3 + 1));
  } while (old != seen);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device> byte(
      reinterpret_cast<unsigned char*>(s)[10 + t % 4]);
  byte.fetch_add(3);
  cuda::atomic_ref<short, cuda::thread_scope_block> half(reinterpret_cast<short*>(s)[10 + t % 2]);
  half.fetch_max(static_cast<short>(t - 20), cuda::memory_order_relaxed);
  out[threadIdx.x] = byte.load() >= 0;
}

struct alignas(16) Pair {
  U64 a, b;
};
__global__ void wide(Pair* pairs, U64* out) {
  const U64 t = threadIdx.x;
#if __CUDA_ARCH__ >= 900
  Pair old = pairs[t % 2], seen;
  do {
    seen = old;
    Pair next{seen.a + 1, seen.b + t};
    old = atomicCAS(&pairs[t % 2], seen, next);
  } while (old.a != seen.a || old.b != seen.b);
  const Pair mine{t * 3, t * 5};
  const Pair given = atomicExch(&pairs[2], mine);
  if (blockIdx.x == 0) out[t] = given.a * 5 == given.b * 3;
#endif
}

template <cuda::thread_scope scope>
__global__ void references(int* i, U64* w, float* f, double* d) {
  const int t = threadIdx.x;
  cuda::atomic_ref<int, scope> a(i[0]), b(i[1]), c(i[2]);
  a.fetch_add(t, cuda::memory_order_relaxed), a.fetch_sub(2, cuda::memory_order_acquire),
      a.fetch_add(1, cuda::memory_order_release);
  b.fetch_max(t, cuda::memory_order_acq_rel), b.fetch_min(40, cuda::memory_order_seq_cst);
  c.fetch_or(1 << t % 30), c.fetch_and(~8), c ^= 16 * (t % 2);
  cuda::atomic_ref<U64, scope> e(w[0]);
  U64 old = e.load(cuda::memory_order_acquire);
  while (!e.compare_exchange_weak(old, old * 3 + 1, cuda::memory_order_acq_rel,
                                  cuda::memory_order_relaxed)) {
  }
  old = 12345;
  if (e.compare_exchange_strong(old, 7)) e.store(1);
  cuda::atomic_ref<float, scope> g(f[0]);
  cuda::atomic_ref<double, scope> h(d[0]);
  g.fetch_add(0.5f), g.fetch_sub(0.25f, cuda::memory_order_relaxed),
      h.fetch_add(1.5, cuda::memory_order_release);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, scope);
  cuda::atomic_ref<int, scope> flag(i[3]);
  if (t == 0) flag.store(5, cuda::memory_order_release), flag.notify_all();
  while (flag.load(cuda::memory_order_acquire) != 5) {
  }
  flag.wait(4);
  __threadfence_block(), __threadfence(), __threadfence_system();
}

// Atomics on shared memory in each scope, of every type.
__global__ void shared(U64* out) {
  __shared__ int i[4];
  __shared__ U64 w[4];
  __shared__ double d;
  __shared__ unsigned short s[2];
  const int t = threadIdx.x;
  if (t < 4) i[t] = 0, w[t] = 0, s[t % 2] = 0, d = 0;
  __syncthreads();
  atomicAdd(&i[t % 4], t), atomicMax(&w[0], static_cast<U64>(t) << 20),
      atomicXor(&w[1], 1ull << t % 64), atomicAdd(&d, 0.5);
  atomicInc(reinterpret_cast<unsigned*>(&w[2]), 30), atomicExch(&w[3], 99ull),
      atomicCAS(&s[0], static_cast<unsigned short>(0), static_cast<unsigned short>(9));
  __syncthreads();
  if (t == 0)
    out[0] = i[0] + i[1] * 3 + i[2] * 5 + i[3] * 7, out[1] = w[0] + w[1] + w[2] + w[3],
    out[2] = static_cast<U64>(d * 2) + s[0];
}

int main() {
  std::vector<int> begin(64, 0);
  begin[4] = -1;
  Buffer<int> i(begin), out(512);
  Buffer<unsigned> u(std::vector<unsigned>{0, 0, 5000, 0, 0, 0, 0, 0, 0xffffu});
  Buffer<U64> w(std::vector<U64>{0, ~0ull, 0, ~0ull, 0, 0, 1ull << 63, 0});
  Buffer<float> f(8);
  Buffer<double> d(8);
  RUN(functions<<<1, 288>>>(i, u, w, f, d));
  auto floats = f.read();
  floats[3] += floats[2], floats[2] = 0;
  corpus::show("int", i.read(), 12), corpus::show("unsigned", u.read(), 9),
      corpus::show("wide", w.read());
  corpus::show("float", floats), corpus::show("double", d.read());
  Buffer<unsigned short> s(16);
  RUN(narrow<<<1, 128>>>(s, out));
  corpus::show("narrow", s.read(), 16);
  Buffer<Pair> pairs(3);
  Buffer<U64> told(64);
  RUN(wide<<<2, 64>>>(pairs, told));
  const auto p = pairs.read();
  printf("pairs %llu %llu %llu %llu\n", p[0].a, p[0].b, p[1].a, p[1].b);
  corpus::show("whole", told.read());
  RUN(references<cuda::thread_scope_block><<<1, 64>>>(i, w, f, d));
  RUN(references<cuda::thread_scope_device>
      <<<1, 64>>>(i.get() + 4, w.get() + 1, f.get() + 1, d.get() + 1));
  RUN(references<cuda::thread_scope_system>
      <<<1, 64>>>(i.get() + 8, w.get() + 2, f.get() + 4, d.get() + 2));
  floats = f.read();
  floats[2] = floats[3] = 0;
  corpus::show("references", i.read(), 12), corpus::show("", w.read()), corpus::show("", floats),
      corpus::show("", d.read());
  RUN(shared<<<1, 128>>>(told));
  corpus::show("shared", told.read(), 3);
  return 0;
}
