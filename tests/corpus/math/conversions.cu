// SPDX-License-Identifier: Apache-2.0
// Every conversion intrinsic between numbers, with every rounding, at the limits of ranges, for
// infinities and NaNs; the bits are compared.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../lists.hpp"

using U64 = unsigned long long;

__device__ unsigned bits(float f) { return __float_as_uint(f); }
__device__ U64 bits(double d) { return __double_as_longlong(d); }
__device__ unsigned bits(__half h) { return __half_as_ushort(h); }
__device__ unsigned bits(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }
__device__ U64 bits(long v) { return v; }
__device__ U64 bits(long long v) { return v; }
__device__ U64 bits(U64 v) { return v; }
__device__ U64 bits(int v) { return v; }
__device__ U64 bits(unsigned v) { return v; }
__device__ U64 bits(short v) { return v; }
__device__ U64 bits(unsigned short v) { return v; }
__device__ U64 bits(signed char v) { return v; }
__device__ U64 bits(unsigned char v) { return v; }
__device__ U64 bits(bool v) { return v; }

template <typename T, typename B>
std::vector<T> of_bits(int shift) {
  std::vector<T> all;
  for (unsigned i = 0; i < 4000; ++i) {
    const U64 wide = static_cast<U64>(corpus::scramble(i)) << 32 | corpus::scramble(i + 70000);
    const B b = static_cast<B>(wide >> shift);
    T x;
    memcpy(&x, &b, sizeof x);
    // Leaves out NaNs here: their payloads depend on the hardware.
    if (x == x) all.push_back(x);
  }
  const double ends[] = {0,
                         0.5,
                         1,
                         1.5,
                         2.5,
                         127.5,
                         255.5,
                         256,
                         32767.5,
                         65535.5,
                         65536,
                         2147483647.0,
                         2147483648.0,
                         4294967295.0,
                         4294967296.0,
                         9223372036854774784.0,
                         9223372036854775808.0,
                         18446744073709549568.0,
                         18446744073709551616.0,
                         1e30,
                         1e-30,
                         1e-8,
                         65504,
                         65519.9,
                         65520,
                         6.1e-5,
                         5.96e-8,
                         2.98e-8,
                         3.4e38,
                         1.0 / 3};
  for (double e : ends)
    for (double sign : {1.0, -1.0}) {
      all.push_back(static_cast<T>(sign * e));
      for (int near = 1; near < 4; ++near)
        all.push_back(static_cast<T>(sign * e) + static_cast<T>(near) / 4);
    }
  // Numbers of the magnitude of integers.
  for (unsigned i = 0; i < 2000; ++i)
    all.push_back(static_cast<T>((static_cast<double>(corpus::scramble(i)) - 2147483648.0) *
                                 std::ldexp(1.0, static_cast<int>(i % 70) - 36)));
  all.push_back(static_cast<T>(INFINITY)), all.push_back(static_cast<T>(-INFINITY));
  return all;
}

__device__ float parts_of(float v) {
  int e;
  const float m = frexpf(v, &e);
  return m + (isinf(v) ? 0 : e) * 4.0f;
}
__device__ double parts_of(double v) {
  int e;
  const double m = frexp(v, &e);
  return m + (isinf(v) ? 0 : e) * 4.0;
}
__device__ float whole_and_rest(float v) {
  float w;
  const float m = modff(v, &w);
  return m + w;
}
__device__ float quotient(float v) {
  int q;
  const float r = remquof(v, 1.3f, &q);
  return isinf(v) ? 5.0f : r + (q & 7) * 2.0f;
}

#define PUT(...) put_(bits(__VA_ARGS__))
LIST(with_nan_f_0, float, U64, PUT(__float2int_rn(x)); PUT(__float2int_rz(x));
     PUT(__float2int_ru(x)); PUT(__float2int_rd(x)); PUT(__float2uint_rn(x));
     PUT(__float2uint_rz(x)); PUT(__float2uint_ru(x)); PUT(__float2uint_rd(x));
     PUT(__float2ll_rn(x)); PUT(__float2ll_rz(x)); PUT(__float2ll_ru(x)); PUT(__float2ll_rd(x));
     PUT(__float2ull_rn(x)); PUT(__float2ull_rz(x)); PUT(__float2ull_ru(x)); PUT(__float2ull_rd(x));
     PUT(static_cast<int>(x)); PUT(static_cast<unsigned>(x)); PUT(static_cast<long long>(x));
     PUT(__saturatef(x)); PUT(fminf(x, 1));
     PUT(isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x));)
LIST(with_nan_d_0, double, U64, PUT(__double2int_rn(x)); PUT(__double2int_rz(x));
     PUT(__double2int_ru(x)); PUT(__double2int_rd(x)); PUT(__double2uint_rn(x));
     PUT(__double2uint_rz(x)); PUT(__double2uint_ru(x)); PUT(__double2uint_rd(x));
     PUT(__double2ll_rn(x)); PUT(__double2ll_rz(x)); PUT(__double2ll_ru(x)); PUT(__double2ll_rd(x));
     PUT(__double2ull_rn(x)); PUT(__double2ull_rz(x)); PUT(__double2ull_ru(x));
     PUT(__double2ull_rd(x)); PUT(static_cast<int>(x)); PUT(static_cast<unsigned>(x));
     PUT(static_cast<U64>(x)); PUT(fmax(x, 1.0));
     PUT(isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x));)
LIST(h_0, unsigned short, U64, PUT(__half2int_rn(__ushort_as_half(x)));
     PUT(__half2int_rz(__ushort_as_half(x))); PUT(__half2int_ru(__ushort_as_half(x)));
     PUT(__half2int_rd(__ushort_as_half(x))); PUT(__half2uint_rn(__ushort_as_half(x)));
     PUT(__half2uint_rz(__ushort_as_half(x))); PUT(__half2uint_ru(__ushort_as_half(x)));
     PUT(__half2uint_rd(__ushort_as_half(x))); PUT(__half2ll_rn(__ushort_as_half(x)));
     PUT(__half2ll_rz(__ushort_as_half(x))); PUT(__half2ll_ru(__ushort_as_half(x)));
     PUT(__half2ll_rd(__ushort_as_half(x))); PUT(__half2ull_rn(__ushort_as_half(x)));
     PUT(__half2ull_rz(__ushort_as_half(x))); PUT(__half2ull_ru(__ushort_as_half(x)));
     PUT(__half2ull_rd(__ushort_as_half(x))); PUT(__half2short_rn(__ushort_as_half(x)));
     PUT(__half2short_rz(__ushort_as_half(x))); PUT(__half2short_ru(__ushort_as_half(x)));
     PUT(__half2short_rd(__ushort_as_half(x))); PUT(__half2ushort_rn(__ushort_as_half(x)));
     PUT(__half2ushort_rz(__ushort_as_half(x))); PUT(__half2ushort_ru(__ushort_as_half(x)));
     PUT(__half2ushort_rd(__ushort_as_half(x))); PUT(__bfloat162int_rn(__ushort_as_bfloat16(x)));
     PUT(__bfloat162int_rz(__ushort_as_bfloat16(x)));
     PUT(__bfloat162int_ru(__ushort_as_bfloat16(x)));
     PUT(__bfloat162int_rd(__ushort_as_bfloat16(x)));
     PUT(__bfloat162uint_rn(__ushort_as_bfloat16(x)));
     PUT(__bfloat162uint_rz(__ushort_as_bfloat16(x)));
     PUT(__bfloat162uint_ru(__ushort_as_bfloat16(x)));
     PUT(__bfloat162uint_rd(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ll_rn(__ushort_as_bfloat16(x))); PUT(__bfloat162ll_rz(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ll_ru(__ushort_as_bfloat16(x))); PUT(__bfloat162ll_rd(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ull_rn(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ull_rz(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ull_ru(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ull_rd(__ushort_as_bfloat16(x)));)
LIST(h_1, unsigned short, U64, PUT(__bfloat162short_rn(__ushort_as_bfloat16(x)));
     PUT(__bfloat162short_rz(__ushort_as_bfloat16(x)));
     PUT(__bfloat162short_ru(__ushort_as_bfloat16(x)));
     PUT(__bfloat162short_rd(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ushort_rn(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ushort_rz(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ushort_ru(__ushort_as_bfloat16(x)));
     PUT(__bfloat162ushort_rd(__ushort_as_bfloat16(x))); PUT(__half2char_rz(__ushort_as_half(x)));
     PUT(__half2uchar_rz(__ushort_as_half(x))); PUT(__bfloat162char_rz(__ushort_as_bfloat16(x)));
     PUT(__bfloat162uchar_rz(__ushort_as_bfloat16(x)));)
LIST(i32_0, int, U64, PUT(__int2float_rn(static_cast<int>(x)));
     PUT(__int2float_rz(static_cast<int>(x))); PUT(__int2float_ru(static_cast<int>(x)));
     PUT(__int2float_rd(static_cast<int>(x))); PUT(__uint2float_rn(static_cast<unsigned>(x)));
     PUT(__uint2float_rz(static_cast<unsigned>(x))); PUT(__uint2float_ru(static_cast<unsigned>(x)));
     PUT(__uint2float_rd(static_cast<unsigned>(x))); PUT(__int2half_rn(static_cast<int>(x)));
     PUT(__int2half_rz(static_cast<int>(x))); PUT(__int2half_ru(static_cast<int>(x)));
     PUT(__int2half_rd(static_cast<int>(x))); PUT(__uint2half_rn(static_cast<unsigned>(x)));
     PUT(__uint2half_rz(static_cast<unsigned>(x))); PUT(__uint2half_ru(static_cast<unsigned>(x)));
     PUT(__uint2half_rd(static_cast<unsigned>(x))); PUT(__short2half_rn(static_cast<short>(x)));
     PUT(__short2half_rz(static_cast<short>(x))); PUT(__short2half_ru(static_cast<short>(x)));
     PUT(__short2half_rd(static_cast<short>(x)));
     PUT(__ushort2half_rn(static_cast<unsigned short>(x)));
     PUT(__ushort2half_rz(static_cast<unsigned short>(x)));
     PUT(__ushort2half_ru(static_cast<unsigned short>(x)));
     PUT(__ushort2half_rd(static_cast<unsigned short>(x)));
     PUT(__int2bfloat16_rn(static_cast<int>(x))); PUT(__int2bfloat16_rz(static_cast<int>(x)));
     PUT(__int2bfloat16_ru(static_cast<int>(x))); PUT(__int2bfloat16_rd(static_cast<int>(x)));
     PUT(__uint2bfloat16_rn(static_cast<unsigned>(x)));
     PUT(__uint2bfloat16_rz(static_cast<unsigned>(x)));
     PUT(__uint2bfloat16_ru(static_cast<unsigned>(x)));
     PUT(__uint2bfloat16_rd(static_cast<unsigned>(x)));
     PUT(__short2bfloat16_rn(static_cast<short>(x)));
     PUT(__short2bfloat16_rz(static_cast<short>(x)));
     PUT(__short2bfloat16_ru(static_cast<short>(x)));
     PUT(__short2bfloat16_rd(static_cast<short>(x)));
     PUT(__ushort2bfloat16_rn(static_cast<unsigned short>(x)));
     PUT(__ushort2bfloat16_rz(static_cast<unsigned short>(x)));
     PUT(__ushort2bfloat16_ru(static_cast<unsigned short>(x)));
     PUT(__ushort2bfloat16_rd(static_cast<unsigned short>(x)));)
LIST(i32_1, int, U64, PUT(__int2double_rn(x)); PUT(__uint2double_rn(x));
     PUT(__int_as_float(x & 0x7f7fffff));)
LIST(i64_0, long long, U64, PUT(__ll2float_rn(static_cast<long long>(x)));
     PUT(__ll2float_rz(static_cast<long long>(x))); PUT(__ll2float_ru(static_cast<long long>(x)));
     PUT(__ll2float_rd(static_cast<long long>(x))); PUT(__ull2float_rn(static_cast<U64>(x)));
     PUT(__ull2float_rz(static_cast<U64>(x))); PUT(__ull2float_ru(static_cast<U64>(x)));
     PUT(__ull2float_rd(static_cast<U64>(x))); PUT(__ll2double_rn(static_cast<long long>(x)));
     PUT(__ll2double_rz(static_cast<long long>(x))); PUT(__ll2double_ru(static_cast<long long>(x)));
     PUT(__ll2double_rd(static_cast<long long>(x))); PUT(__ull2double_rn(static_cast<U64>(x)));
     PUT(__ull2double_rz(static_cast<U64>(x))); PUT(__ull2double_ru(static_cast<U64>(x)));
     PUT(__ull2double_rd(static_cast<U64>(x))); PUT(__ll2half_rn(static_cast<long long>(x)));
     PUT(__ll2half_rz(static_cast<long long>(x))); PUT(__ll2half_ru(static_cast<long long>(x)));
     PUT(__ll2half_rd(static_cast<long long>(x))); PUT(__ull2half_rn(static_cast<U64>(x)));
     PUT(__ull2half_rz(static_cast<U64>(x))); PUT(__ull2half_ru(static_cast<U64>(x)));
     PUT(__ull2half_rd(static_cast<U64>(x))); PUT(__ll2bfloat16_rn(static_cast<long long>(x)));
     PUT(__ll2bfloat16_rz(static_cast<long long>(x)));
     PUT(__ll2bfloat16_ru(static_cast<long long>(x)));
     PUT(__ll2bfloat16_rd(static_cast<long long>(x))); PUT(__ull2bfloat16_rn(static_cast<U64>(x)));
     PUT(__ull2bfloat16_rz(static_cast<U64>(x))); PUT(__ull2bfloat16_ru(static_cast<U64>(x)));
     PUT(__ull2bfloat16_rd(static_cast<U64>(x)));)
LIST(d_0, double, U64, PUT(__double2float_rn(x)); PUT(__double2float_rz(x));
     PUT(__double2float_ru(x)); PUT(__double2float_rd(x)); PUT(__double2hiint(x));
     PUT(__double2loint(x)); PUT(__hiloint2double(__double2loint(x) & 0xfffff, 7));
     PUT(__double2half(x)); PUT(__double2bfloat16(x)); PUT(rint(x)); PUT(nearbyint(x));
     PUT(trunc(x)); PUT(floor(x)); PUT(ceil(x)); PUT(round(x)); PUT(lrint(x)); PUT(llround(x));
     PUT(nextafter(x, 1.0)); PUT(ilogb(x)); PUT(logb(x)); PUT(ldexp(x, -1000)); PUT(scalbln(x, 77));
     PUT(parts_of(x)); PUT(fmod(x, 3.7)); PUT(remainder(x, 0.3)); PUT(fmod(1e300, x));
     PUT(fdim(x, 1.0)); PUT(copysign(2.0, x));)
LIST(small_0, float, U64, PUT(static_cast<signed char>(x)); PUT(static_cast<short>(x));
     PUT(static_cast<bool>(x));)
LIST(f_0, float, U64, PUT(__float2half_rn(x)); PUT(__float2half_rz(x)); PUT(__float2half_ru(x));
     PUT(__float2half_rd(x)); PUT(__float2bfloat16_rn(x)); PUT(__float2bfloat16_rz(x));
     PUT(__float2bfloat16_ru(x)); PUT(__float2bfloat16_rd(x));
     PUT(__low2half(__float22half2_rn(make_float2(x, -x))));
     PUT(__high2bfloat16(__float22bfloat162_rn(make_float2(x, -x)))); PUT(rintf(x));
     PUT(nearbyintf(x)); PUT(truncf(x)); PUT(floorf(x)); PUT(ceilf(x)); PUT(roundf(x));
     PUT(lrintf(x)); PUT(llrintf(x)); PUT(lroundf(x)); PUT(llroundf(x)); PUT(__saturatef(x));
     PUT(nextafterf(x, 1)); PUT(ilogbf(x)); PUT(logbf(x)); PUT(ldexpf(x, 3)); PUT(ldexpf(x, -140));
     PUT(scalbnf(x, 100)); PUT(parts_of(x)); PUT(whole_and_rest(x)); PUT(fmodf(x, 3.7f));
     PUT(remainderf(x, 0.3f)); PUT(quotient(x)); PUT(fdimf(x, 1)); PUT(fmaxf(x, 1));)
LIST(halves_0, unsigned short, U64, PUT(__half2float(__ushort_as_half(x)));)
LIST(brains_0, unsigned short, U64, PUT(__bfloat162float(__ushort_as_bfloat16(x)));)
int main() {
  auto f = of_bits<float, unsigned>(0);
  auto d = of_bits<double, U64>(0);
  auto with_nan_f = f;
  with_nan_f.push_back(NAN);
  auto with_nan_d = d;
  with_nan_d.push_back(NAN);
  std::vector<float> small;
  for (float x : with_nan_f)
    if (!(std::fabs(x) > 127)) small.push_back(x);

  // To half and back.
  std::vector<unsigned short> h;
  for (unsigned i = 0; i < 65536; ++i) h.push_back(static_cast<unsigned short>(i));
  auto halves = h, brains = h;
  halves.clear(), brains.clear();
  for (unsigned short x : h) {
    if ((x & 0x7fff) <= 0x7c00) halves.push_back(x);
    if ((x & 0x7fff) <= 0x7f80) brains.push_back(x);
  }

  // From integers.
  std::vector<int> i32;
  std::vector<long long> i64;
  for (unsigned i = 0; i < 3000; ++i) {
    i32.push_back(static_cast<int>(corpus::scramble(i)) >> i % 32);
    i64.push_back(static_cast<long long>(static_cast<U64>(corpus::scramble(i)) << 32 |
                                         corpus::scramble(i * 7)) >>
                  i % 64);
  }
  for (int x : {0, 1, -1, 0x7fffffff, -0x7fffffff - 1, 65519, 65520, 65504, 16777217, -16777219})
    i32.push_back(x), i64.push_back(x);
  i64.push_back(0x7fffffffffffffffll), i64.push_back(-0x7fffffffffffffffll - 1);

  corpus::list("with_nan_f_0", with_nan_f_0, with_nan_f, corpus::show_digest<U64>);
  corpus::list("with_nan_d_0", with_nan_d_0, with_nan_d, corpus::show_digest<U64>);
  corpus::list("h_0", h_0, h, corpus::show_digest<U64>);
  corpus::list("h_1", h_1, h, corpus::show_digest<U64>);
  corpus::list("i32_0", i32_0, i32, corpus::show_digest<U64>);
  corpus::list("i32_1", i32_1, i32, corpus::show_digest<U64>);
  corpus::list("i64_0", i64_0, i64, corpus::show_digest<U64>);
  corpus::list("d_0", d_0, d, corpus::show_digest<U64>);
  corpus::list("small_0", small_0, small, corpus::show_digest<U64>);
  corpus::list("f_0", f_0, f, corpus::show_digest<U64>);
  corpus::list("halves_0", halves_0, halves, corpus::show_digest<U64>);
  corpus::list("brains_0", brains_0, brains, corpus::show_digest<U64>);
  return 0;
}
