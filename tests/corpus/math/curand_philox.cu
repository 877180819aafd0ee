// SPDX-License-Identifier: Apache-2.0
// cuRAND's generators in kernels: Philox with each distribution.
#include <curand_kernel.h>

#include "../corpus.hpp"

__global__ void numbers(unsigned* bits, float* reals) {
  const int t = threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(1234, t, 10, &state);
  const uint4 four = curand4(&state);
  bits[t] = curand(&state) ^ four.x ^ four.w;
  float* to = reals + t;
  const auto put = [&](float v) { *to = v, to += 64; };
  put(curand_uniform(&state)), put(static_cast<float>(curand_uniform_double(&state))),
      put(rintf(curand_normal(&state) * 1000));
  const float2 two = curand_normal2(&state);
  put(rintf(two.x * 1000)), put(rintf(curand_log_normal(&state, 0, 1) * 100)),
      put(curand_poisson(&state, 4.0));
  const float4 uniform = curand_uniform4(&state);
  put(uniform.x + uniform.w);
  skipahead(1000ull, &state);
  put(curand_uniform(&state));
}

__global__ void inside(unsigned* count, int n) {
  curandStatePhilox4_32_10_t state;
  curand_init(99, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
  int mine = 0;
  for (int i = 0; i < n; ++i) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);
    mine += x * x + y * y <= 1;
  }
  for (int d = 16; d; d /= 2) mine += __shfl_xor_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}

int main() {
  Buffer<unsigned> bits(64), count(1);
  Buffer<float> reals(64 * 8);
  RUN(numbers<<<1, 64>>>(bits, reals));
  corpus::show("bits", bits.read());
  const auto all = reals.read();
  for (int i = 0; i < 8; ++i)
    corpus::show("reals", std::vector<float>(all.begin() + i * 64, all.begin() + i * 64 + 64), 5);
  RUN(inside<<<8, 128>>>(count, 100));
  printf("pi is about %.4f\n", 4.0 * count(0) / (8 * 128 * 100));
  return 0;
}
