// SPDX-License-Identifier: Apache-2.0
// Every atomic function for integers, in global and shared memory, with and without the old value.
#include "../corpus.hpp"

template <typename T>
__global__ void all(T* out, T* olds) {
  __shared__ T mine[16];
  const T t = static_cast<T>(threadIdx.x + blockIdx.x * blockDim.x);
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[threadIdx.x % 4], t);
  atomicMax(&mine[4 + threadIdx.x % 4], t);
  atomicXor(&mine[8 + threadIdx.x % 3], t);
  atomicOr(&mine[12], T(1) << threadIdx.x % 31);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], mine[threadIdx.x]);
  atomicAdd(&out[16], t);
  atomicMin(&out[17], t - 100);
  atomicMax(&out[18], t * 3);
  atomicAnd(&out[19], ~(T(1) << threadIdx.x % 13));
  atomicOr(&out[20], T(1) << threadIdx.x % 17);
  atomicXor(&out[21], t);
  if (t == 77)
    olds[0] = atomicExch(&out[22], t), olds[1] = atomicCAS(&out[23], T(0), T(5)),
    olds[2] = atomicCAS(&out[23], T(4), T(6));
  const T ticket = atomicAdd(&out[24], T(1));
  atomicAdd(&olds[8 + ticket % 8], T(1));
}

__global__ void wrapping(unsigned* out) {
  atomicInc(&out[0], 41);
  atomicDec(&out[1], 17);
  atomicSub(&out[2], threadIdx.x);
  atomicSub(reinterpret_cast<int*>(&out[3]), static_cast<int>(threadIdx.x));
}

template <typename T>
void run(const char* name) {
  std::vector<T> begin(32);
  begin[19] = static_cast<T>(-1);
  Buffer<T> out(begin), olds(16);
  RUN(all<<<4, 100>>>(out.get(), olds.get()));
  corpus::show(name, out.read(), 32);
  corpus::show("olds", olds.read(), 16);
}

int main() {
  run<int>("int");
  run<unsigned>("unsigned");
  run<unsigned long long>("unsigned long long");
  Buffer<unsigned> out(4);
  RUN(wrapping<<<3, 50>>>(out));
  corpus::show("wrapping", out.read());
  return 0;
}
