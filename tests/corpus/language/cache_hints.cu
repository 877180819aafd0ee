// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints, read-only data, assumptions, unaligned structures, volatile
// shared memory.
#include "../corpus.hpp"

struct __attribute__((packed)) Odd {
  char c;
  int i;
  short s;
};

__global__ void hints(const int* __restrict__ in, int* __restrict__ out,
                      const float4* __restrict__ wide, double2* two, const Odd* odd) {
  const int t = threadIdx.x;
  __builtin_assume(blockDim.x == 64);
  int v = __ldg(in + t) + __ldcg(in + 63 - t) * 3 + __ldca(in + t) + __ldcs(in + (t ^ 1)) +
          __ldlu(in + t) + __ldcv(in + (t ^ 2));
  const float4 f = __ldg(wide + t % 8);
  const short2 s = __ldg(reinterpret_cast<const short2*>(in) + t);
  v += static_cast<int>(f.x + f.y * f.z - f.w) + s.x +
       __ldg(reinterpret_cast<const signed char*>(in) + t) + odd[t].i + odd[t].s + odd[t].c;
  __stcg(out + t, v);
  __stcs(out + 64 + t, v * 2);
  __stwb(out + 128 + t, v - 1);
  __stwt(out + 192 + t, v ^ 5);
  double2 d = two[t];
  d.x += d.y;
  __stcg(two + t, d);
}

__global__ void old_style(const int* in, int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + in[t + 32];
  if (t < 16) {
    s[t] = s[t] + s[t + 16];
    __syncwarp(0xffff);
    s[t] = s[t] + s[(t + 8) % 16];
  }
  __syncwarp();
  out[t] = s[t];
}

int main() {
  std::vector<Odd> odds(64);
  for (int i = 0; i < 64; ++i) odds[i] = {static_cast<char>(i), i * 100000, static_cast<short>(-i)};
  std::vector<double2> pairs(64, make_double2(1.5, 2.25));
  Buffer<int> in(corpus::numbers(64, 1000)), out(256);
  Buffer<float4> wide(std::vector<float4>(8, make_float4(10, 20, 3, 4)));
  Buffer<double2> two(pairs);
  Buffer<char> odd(64 * sizeof(Odd) + 16);
  CHECK(cudaMemcpy(odd.get(), odds.data(), 64 * sizeof(Odd), cudaMemcpyHostToDevice));
  // The compiler may read a packed structure byte by byte.
  RUN(hints<<<1, 64>>>(in, out, wide, two, reinterpret_cast<const Odd*>(odd.get())));
  corpus::show("hints", out.read());
  printf("%g %g\n", two(5).x, two(5).y);
  RUN(old_style<<<1, 32>>>(in, out));
  corpus::show("old style", std::vector<int>(out.read()), 8);
  return 0;
}
