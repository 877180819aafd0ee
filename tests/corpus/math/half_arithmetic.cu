// SPDX-License-Identifier: Apache-2.0
// half: arithmetic, comparisons, conversions to and from every type, rounding modes.
#include <cuda_fp16.h>

#include "../corpus.hpp"

__global__ void arithmetic(const float* in, float* out) {
  const int t = threadIdx.x;
  const __half a = __float2half(in[t] * 10), b = __float2half(in[t + 64] * 3 + 0.5f);
  float* to = out + t;
  const auto put = [&](__half h) { *to = __half2float(h), to += 64; };
  put(a + b), put(a - b), put(a * b), put(a / b), put(-a), put(__hfma(a, b, a)),
      put(__hadd_sat(a, b)), put(__hmul_sat(a, b));
  put(__hmax(a, b)), put(__hmin(a, b)), put(__habs(a)), put(hfloor(a)), put(hceil(a)),
      put(hrint(a)), put(htrunc(a));
  put(__hfma_relu(a, b, a)), put(__hmax_nan(a, b));
  *to = (a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * __hisnan(a) + 16 * __hltu(a, b) +
        32 * __hne(a, b);
}

__global__ void conversions(const float* in, long long* out) {
  const int t = threadIdx.x;
  const __half h = __float2half(in[t] * 100);
  long long* to = out + t;
  const auto put = [&](long long v) { *to = v, to += 64; };
  put(__half2int_rn(h)), put(__half2int_rz(h)), put(__half2uint_ru(h)), put(__half2short_rd(h)),
      put(__half2ll_rn(h));
  put(__half_as_ushort(__int2half_rn(t * 77))), put(__half_as_ushort(__ull2half_rz(t * 1001ull))),
      put(__half_as_ushort(__double2half(in[t])));
  put(__half_as_ushort(__float2half_rd(in[t] / 3))),
      put(__half_as_ushort(__float2half_ru(in[t] / 3))),
      put(__half_as_ushort(__float2half_rz(in[t] / 3)));
  put(__half_as_short(__short2half_rn(static_cast<short>(t - 30)))), put(__half2char_rz(h)),
      put(__half2ushort_rn(h));
}

int main() {
  Buffer<float> in(corpus::floats(128)), out(64 * 18);
  RUN(arithmetic<<<1, 64>>>(in, out));
  const auto all = out.read();
  for (int i = 0; i < 18; ++i)
    corpus::show("half", std::vector<float>(all.begin() + i * 64, all.begin() + i * 64 + 64), 6);
  Buffer<long long> numbers(64 * 14);
  RUN(conversions<<<1, 64>>>(in, numbers));
  const auto n = numbers.read();
  for (int i = 0; i < 14; ++i)
    corpus::show("conversion", std::vector<long long>(n.begin() + i * 64, n.begin() + i * 64 + 64),
                 6);
  return 0;
}
