// SPDX-License-Identifier: Apache-2.0
// half2: two numbers at once, and the functions of half; a dot product.
#include <cuda_fp16.h>

#include "../corpus.hpp"

__global__ void pairs(const float* in, float2* out) {
  const int t = threadIdx.x;
  const __half2 a = __floats2half2_rn(in[t], in[t + 32]),
                b = __floats2half2_rn(in[t + 64] + 2, in[t + 96] - 2);
  float2* to = out + t;
  const auto put = [&](__half2 h) { *to = __half22float2(h), to += 32; };
  put(__hadd2(a, b)), put(__hmul2(a, b)), put(__hfma2(a, b, b)), put(__h2div(a, b)),
      put(__hneg2(a)), put(__habs2(a));
  put(__hmax2(a, b)), put(__hmin2(a, b)), put(__hgt2(a, b)), put(__lows2half2(a, b)),
      put(__highs2half2(a, b)), put(__lowhigh2highlow(a));
  put(__hcmadd(a, b, a)), put(__half2half2(__low2half(b))), put(h2rint(__hmul2(b, b))),
      put(__hsub2_sat(b, a));
  *to = make_float2(__hbgt2(a, b) + 2 * __hble2(a, b), __heq2_mask(a, a));
}

// Approximate results are rounded to a few digits.
__global__ void functions(const float* in, float* out) {
  const int t = threadIdx.x;
  const __half h = __float2half(fabsf(in[t]) * 4 + 0.25f);
  const __half r[8] = {hsqrt(h), hexp(h), hlog(h), hsin(h), hcos(h), hrcp(h), hrsqrt(h), hexp2(h)};
  for (int i = 0; i < 8; ++i) out[t * 8 + i] = rintf(__half2float(r[i]) * 64) / 64;
}

__global__ void dot(const __half2* a, const __half2* b, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float2 p = __half22float2(__hmul2(a[i], b[i]));
    sum += p.x + p.y;
  }
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const __half2 other = __shfl_down_sync(~0u, a[threadIdx.x], 3);
  out[threadIdx.x] = sum + __low2float(other);
}

int main() {
  Buffer<float> in(corpus::floats(128)), out(256);
  Buffer<float2> both(32 * 17);
  RUN(pairs<<<1, 32>>>(in, both));
  const auto all = both.read();
  for (int i = 0; i < 17; ++i)
    printf("%g %g | %g %g\n", all[i * 32].x, all[i * 32].y, all[i * 32 + 17].x, all[i * 32 + 17].y);
  RUN(functions<<<1, 32>>>(in, out));
  corpus::show("functions", out.read(), 16);
  std::vector<__half2> x(100);
  for (int i = 0; i < 100; ++i) x[i] = __floats2half2_rn(i % 10, 0.5f * (i % 7));
  Buffer<__half2> a(x);
  RUN(dot<<<1, 32>>>(a, a, out, 100));
  corpus::show("dot", out.read());
  return 0;
}
