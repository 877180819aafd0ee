// SPDX-License-Identifier: Apache-2.0
// Both eight-bit floating-point formats: conversions to them, with and without saturation, and
// back.
#include <cuda_fp8.h>

#include "../corpus.hpp"

__global__ void convert(const float* in, unsigned* out, float* back) {
  const int t = threadIdx.x;
  const float v = in[t] * (t % 4 == 0 ? 600.0f : t % 4 == 1 ? 1.0f : t % 4 == 2 ? 0.01f : 30.0f);
  const __nv_fp8_e4m3 a(v);
  const __nv_fp8_e5m2 b(v);
  const __nv_fp8x2_e4m3 c(make_float2(v, -v / 2));
  const __nv_fp8x4_e5m2 d(make_float4(v, v * 2, v * 3, v * 4));
  const auto e = __nv_cvt_float_to_fp8(v, __NV_NOSAT, __NV_E4M3);
  const auto f =
      __nv_cvt_halfraw_to_fp8(static_cast<__half_raw>(__float2half(v)), __NV_SATFINITE, __NV_E5M2);
  unsigned* to = out + t;
  *to = a.__x, to += 64, *to = b.__x, to += 64, *to = c.__x, to += 64, *to = d.__x, to += 64,
  *to = e, to += 64, *to = f;
  back[t] = static_cast<float>(a);
  back[t + 64] = static_cast<float>(b);
  const float2 two = static_cast<float2>(c);
  back[t + 128] = two.x + two.y;
  back[t + 192] = __half2float(
      __half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(t * 4), __NV_E4M3)));
  back[t + 256] = static_cast<int>(a) + static_cast<float>(__nv_fp8_e5m2(t * 17));
}

int main() {
  Buffer<float> in(corpus::floats(64)), back(320);
  Buffer<unsigned> out(384);
  RUN(convert<<<1, 64>>>(in, out, back));
  const auto bits = out.read();
  for (int i = 0; i < 6; ++i)
    corpus::show("bits", std::vector<unsigned>(bits.begin() + i * 64, bits.begin() + i * 64 + 64),
                 12);
  auto numbers = back.read();
  for (float& x : numbers)
    if (x != x) x = -12345;
  for (int i = 0; i < 5; ++i)
    corpus::show("back",
                 std::vector<float>(numbers.begin() + i * 64, numbers.begin() + i * 64 + 64), 12);
  return 0;
}
