// SPDX-License-Identifier: Apache-2.0
// Sums, products, quotients and roots in every rounding mode, as bits; fused multiply-add;
// arithmetic of halves; the exact functions of the math library.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../lists.hpp"

// Stands for every NaN with the same value, since payloads depend on the hardware.
template <typename T>
__device__ T told(T x) {
  return x != x ? T(-77) : x;
}

#define PUT(...) put_(told(__VA_ARGS__))
LIST(floats, float, float, PUT(__fadd_rn(x, y)); PUT(__fadd_rz(x, y)); PUT(__fadd_ru(x, y));
     PUT(__fadd_rd(x, y)); PUT(__fsub_rn(x, y)); PUT(__fsub_rz(x, y)); PUT(__fsub_ru(x, y));
     PUT(__fsub_rd(x, y)); PUT(__fmul_rn(x, y)); PUT(__fmul_rz(x, y)); PUT(__fmul_ru(x, y));
     PUT(__fmul_rd(x, y)); PUT(__fmaf_rn(x, y, z)); PUT(__fmaf_rz(x, y, z));
     PUT(__fmaf_ru(x, y, z)); PUT(__fmaf_rd(x, y, z)); PUT(__fdiv_rn(x, y)); PUT(__fdiv_rz(x, y));
     PUT(__fdiv_ru(x, y)); PUT(__fdiv_rd(x, y)); PUT(__frcp_rn(x)); PUT(__frcp_rz(x));
     PUT(__frcp_ru(x)); PUT(__frcp_rd(x)); PUT(__fsqrt_rn(fabsf(x))); PUT(__fsqrt_rz(fabsf(x)));
     PUT(__fsqrt_ru(fabsf(x))); PUT(__fsqrt_rd(fabsf(x))); PUT(__frsqrt_rn(fabsf(x))); PUT(x / y);
     PUT(sqrtf(x)); PUT(1 / x); PUT(fmaf(x, y, z)); PUT(x * y); PUT(x - z); PUT(fmaf(x, x, -x* x));
     PUT(__fmaf_ieee_rn(x, y, z)); PUT(__fmaf_ieee_rz(x, y, z)); PUT(__fmaf_ieee_ru(x, y, z));
     PUT(__fmaf_ieee_rd(x, y, z));)
LIST(doubles, double, double, PUT(__dadd_rn(x, y)); PUT(__dadd_rz(x, y)); PUT(__dadd_ru(x, y));
     PUT(__dadd_rd(x, y)); PUT(__dsub_rn(x, y)); PUT(__dsub_rz(x, y)); PUT(__dsub_ru(x, y));
     PUT(__dsub_rd(x, y)); PUT(__dmul_rn(x, y)); PUT(__dmul_rz(x, y)); PUT(__dmul_ru(x, y));
     PUT(__dmul_rd(x, y)); PUT(__fma_rn(x, y, z)); PUT(__fma_rz(x, y, z)); PUT(__fma_ru(x, y, z));
     PUT(__fma_rd(x, y, z)); PUT(__ddiv_rn(x, y)); PUT(__ddiv_rz(x, y)); PUT(__ddiv_ru(x, y));
     PUT(__ddiv_rd(x, y)); PUT(__drcp_rn(x)); PUT(__drcp_rz(x)); PUT(__drcp_ru(x));
     PUT(__drcp_rd(x)); PUT(__dsqrt_rn(fabs(x))); PUT(__dsqrt_rz(fabs(x)));
     PUT(__dsqrt_ru(fabs(x))); PUT(__dsqrt_rd(fabs(x))); PUT(x / y); PUT(sqrt(x)); PUT(1 / x);
     PUT(fma(x, y, z)); PUT(fma(x, x, -(x* x)));)

// Prints halves as floats.
#undef PUT
#define PUT(...) put_(told(__half2float(__VA_ARGS__)))
LIST(halves, float, float, const __half a = __float2half(x), b = __float2half(y),
     c = __float2half(z);
     PUT(__hadd(a, b)); PUT(__hsub(a, b)); PUT(__hmul(a, b)); PUT(__hfma(a, b, c));
     PUT(__hdiv(a, b)); PUT(__hneg(a)); PUT(__habs(a)); PUT(__hadd_sat(a, b));
     PUT(__hsub_sat(a, b)); PUT(__hmul_sat(a, b)); PUT(__hfma_sat(a, b, c));
     PUT(__hfma_relu(a, b, c)); PUT(__hadd_rn(a, b)); PUT(__hmul_rn(a, b)); PUT(__hmax(a, b));
     PUT(__hmin(a, b)); PUT(__hmax_nan(a, b)); PUT(__hmin_nan(a, b)); PUT(hsqrt(a)); PUT(hrint(a));
     PUT(hfloor(a)); PUT(hceil(a)); PUT(htrunc(a)); PUT(-a); PUT(a / b);)

// Prints bfloat16 as floats.
#undef PUT
#define PUT(...) put_(told(__bfloat162float(__VA_ARGS__)))
LIST(brains, float, float, const __nv_bfloat16 a = __float2bfloat16(x), b = __float2bfloat16(y),
     c = __float2bfloat16(z);
     PUT(__hadd(a, b)); PUT(__hsub(a, b)); PUT(__hmul(a, b)); PUT(__hfma(a, b, c));
     PUT(__hdiv(a, b)); PUT(__hneg(a)); PUT(__habs(a)); PUT(__hadd_sat(a, b));
     PUT(__hsub_sat(a, b)); PUT(__hmul_sat(a, b)); PUT(__hfma_sat(a, b, c));
     PUT(__hfma_relu(a, b, c)); PUT(__hmax(a, b)); PUT(__hmin(a, b)); PUT(__hmax_nan(a, b));
     PUT(__hmin_nan(a, b)); PUT(hsqrt(a)); PUT(hrint(a)); PUT(hfloor(a)); PUT(hceil(a));
     PUT(htrunc(a)); PUT(a - b); PUT(a / b);)

// Comparisons, including those with NaNs.
template <typename T>
__device__ float compared(T x, T y) {
  return __heq(x, y) + 2 * __hne(x, y) + 4 * __hlt(x, y) + 8 * __hle(x, y) + 16 * __hgt(x, y) +
         32 * __hge(x, y) + 64 * __hequ(x, y) + 128 * __hneu(x, y) + 256 * __hltu(x, y) +
         512 * __hleu(x, y) + 1024 * __hgtu(x, y) + 2048 * __hgeu(x, y) + 4096 * __hisnan(x);
}
__device__ float floats_compared(float x, float y) {
  return (x < y) + 2 * (x == y) + 4 * (x != y) + 8 * !(x >= y) + 16 * !(x > y) +
         32 * (x < y || x > y) + 64 * (x <= y);
}
#undef PUT
#define PUT(...) put_(told(__VA_ARGS__))
LIST(comparisons, float, float, const __half a = __float2half(x), none = __float2half(x - x),
     b = __float2half(z);
     const __nv_bfloat16 c = __float2bfloat16(x), nothing = __float2bfloat16(x - x),
     d = __float2bfloat16(z);
     const __half2 e = __halves2half2(a, b), f = __halves2half2(b, none);
     const __nv_bfloat162 g = __halves2bfloat162(c, d), h = __halves2bfloat162(d, nothing);
     PUT(compared(none, b)); PUT(compared(a, b)); PUT(__hisinf(a)); PUT(compared(nothing, d));
     PUT(compared(c, d)); PUT(__hisinf(c)); PUT(floats_compared(x - x, y));
     PUT(floats_compared(x, z)); PUT(__heq2_mask(e, f) % 7); PUT(__hltu2_mask(e, f) % 11);
     PUT(__hbleu2(e, f)); PUT(__hbne2(e, f)); PUT(__low2float(__hgtu2(e, f)));
     PUT(__hgeu2_mask(g, h) % 13); PUT(__hbltu2(g, h)); PUT(__low2float(__hmax2_nan(e, f)));
     PUT(__high2float(__hisnan2(h))); PUT(__low2float(__hmin2(g, h)));
     PUT(__high2float(__hfma2_relu(e, f, e))); PUT(__low2float(__h2div(g, h)));)

template <typename T>
std::vector<T> places() {
  std::vector<T> all;
  for (unsigned i = 0; i < 3000; ++i) {
    const double digits = 1 + corpus::scramble(i) * 0x1p-32 + corpus::scramble(i + 9999) * 0x1p-53;
    const int exponent = static_cast<int>(corpus::scramble(i * 3) % (i % 4 == 0 ? 250 : 20)) -
                         (i % 4 == 0 ? 125 : 10);
    all.push_back(static_cast<T>(
        (i % 3 ? 1 : -1) * std::ldexp(digits, exponent * (sizeof(T) == 8 && i % 4 == 0 ? 8 : 1))));
    if (i % 50 == 0) {
      const T special[] = {0,
                           -T(0),
                           1,
                           -1,
                           T(INFINITY),
                           -T(INFINITY),
                           T(1e-40),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::denorm_min(),
                           3,
                           T(0.1)};
      all.push_back(special[i / 50 % 12]);
    }
  }
  return all;
}

int main() {
  const auto f = places<float>();
  const auto d = places<double>();
  corpus::list("floats", floats, f, corpus::show_digest<float>);
  corpus::list("doubles", doubles, d, corpus::show_digest<double>);
  corpus::list("halves", halves, f, corpus::show_digest<float>);
  corpus::list("brains", brains, f, corpus::show_digest<float>);
  corpus::list("comparisons", comparisons, f, corpus::show_digest<float>);
  return 0;
}
