// SPDX-License-Identifier: Apache-2.0
// libcu++'s semaphores and latches, tuples, spans, optionals and variants in kernels.
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>

#include "../corpus.hpp"

__global__ void limited(cuda::counting_semaphore<cuda::thread_scope_device>* semaphore, int* inside,
                        int* most, int* done) {
  if (threadIdx.x % 32) return;
  semaphore->acquire();
  atomicMax(most, atomicAdd(inside, 1) + 1);
  __nanosleep(100);
  atomicSub(inside, 1);
  semaphore->release();
  atomicAdd(done, 1);
}

__global__ void start(cuda::counting_semaphore<cuda::thread_scope_device>* semaphore) {
  new (semaphore) cuda::counting_semaphore<cuda::thread_scope_device>(3);
}

__global__ void latch(int* out) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) char place[sizeof(Latch)];
  Latch& gate = *reinterpret_cast<Latch*>(place);
  __shared__ int values[64];
  if (threadIdx.x == 0) new (&gate) Latch(blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x * threadIdx.x;
  if (threadIdx.x < 32) {
    gate.count_down();
  } else {
    gate.arrive_and_wait();
    out[threadIdx.x - 32] = values[63 - threadIdx.x] + values[threadIdx.x];
  }
}

struct Count {
  __device__ int operator()(int v) const { return v; }
  __device__ int operator()(float v) const { return static_cast<int>(v * 10); }
};

__global__ void types(int* out) {
  const int t = threadIdx.x;
  const auto tuple = cuda::std::make_tuple(t, 2.5f * t, 'a');
  cuda::std::array<int, 4> array{t, t + 1, t + 2, t + 3};
  const cuda::std::span<int> span(array.data() + 1, 3);
  cuda::std::optional<int> maybe;
  if (t % 3 == 0) maybe = t * 100;
  cuda::std::variant<int, float> either = t;
  if (t % 2) either = 0.5f * t;
  const cuda::std::complex<float> z(t, 1);
  const auto square = z * z;
  int sum = cuda::std::get<0>(tuple) + static_cast<int>(cuda::std::get<1>(tuple)) +
            cuda::std::get<2>(tuple);
  for (const int v : span) sum += v;
  out[t] = sum + maybe.value_or(7) + cuda::std::visit(Count{}, either) +
           static_cast<int>(square.real() + square.imag());
}

int main() {
  Buffer<unsigned long long> place(8);
  Buffer<int> out(64);
  auto* const semaphore =
      reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_device>*>(place.get());
  RUN(start<<<1, 1>>>(semaphore));
  RUN(limited<<<8, 64>>>(semaphore, out, out.get() + 1, out.get() + 2));
  printf("inside %d, never more than three: %d, done %d\n", out(0), out(1) <= 3, out(2));
  RUN(latch<<<1, 64>>>(out));
  corpus::show("latch", out.read());
  RUN(types<<<1, 64>>>(out));
  corpus::show("types", out.read(), 16);
  return 0;
}
