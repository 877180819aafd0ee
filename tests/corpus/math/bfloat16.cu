// SPDX-License-Identifier: Apache-2.0
// bfloat16: arithmetic, pairs, conversions, functions.
#include <cuda_bf16.h>

#include "../corpus.hpp"

__global__ void arithmetic(const float* in, float* out) {
  const int t = threadIdx.x;
  using B = __nv_bfloat16;
  const B a = __float2bfloat16(in[t] * 10), b = __float2bfloat16(in[t + 32] + 1.5f);
  const __nv_bfloat162 p = __halves2bfloat162(a, b), q = __floats2bfloat162_rn(in[t], 2);
  float* to = out + t;
  const auto put = [&](B v) { *to = __bfloat162float(v), to += 32; };
  put(a + b), put(a - b), put(a * b), put(a / b), put(__hfma(a, b, b)), put(__hmax(a, b)),
      put(__hmin(a, b)), put(__habs(a)), put(-b);
  put(hfloor(a)), put(hrint(a)), put(__int2bfloat16_rn(t * 333)),
      put(__float2bfloat16_rz(in[t] / 3)), put(__float2bfloat16_ru(in[t] / 3)),
      put(__double2bfloat16(in[t] / 7.0));
  put(__low2bfloat16(__hadd2(p, q))), put(__high2bfloat16(__hmul2(p, q))),
      put(__high2bfloat16(__hfma2(p, q, p))), put(__low2bfloat16(__hmax2(p, q)));
  put(hsqrt(__habs(a)));
  *to = __bfloat162int_rn(a) + (a < b) * 1000 + (a == b) * 2000 +
        __bfloat162ushort_rz(__habs(b)) * 10000 + __hbeq2(p, p) * 100000;
}

__global__ void sum(const __nv_bfloat162* in, __nv_bfloat162* out, int n) {
  __nv_bfloat162 s = __float2bfloat162_rn(0);
  for (int i = threadIdx.x; i < n; i += blockDim.x) s = __hadd2(s, in[i]);
  for (int d = 16; d; d /= 2) s = __hadd2(s, __shfl_xor_sync(~0u, s, d));
  if (threadIdx.x == 0) *out = s;
}

int main() {
  Buffer<float> in(corpus::floats(64)), out(32 * 21);
  RUN(arithmetic<<<1, 32>>>(in, out));
  const auto all = out.read();
  for (int i = 0; i < 21; ++i)
    corpus::show("bf16", std::vector<float>(all.begin() + i * 32, all.begin() + i * 32 + 32), 6);
  std::vector<__nv_bfloat162> x(64);
  for (int i = 0; i < 64; ++i) x[i] = __floats2bfloat162_rn(i % 4, 1);
  Buffer<__nv_bfloat162> a(x), b(1);
  RUN(sum<<<1, 32>>>(a, b, 64));
  printf("sum %g %g\n", __low2float(b(0)), __high2float(b(0)));
  return 0;
}
