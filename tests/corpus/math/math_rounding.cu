// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: operations with directed rounding, fast functions, conversions.
#include "../show_functions.hpp"

__global__ void conversions(const float* in, const double* wide, long long* out) {
  const int t = threadIdx.x;
  const float x = in[t];
  const double d = wide[t];
  long long* to = out + t;
  const auto put = [&](long long v) { *to = v, to += 32; };
  put(__float2int_rn(x)), put(__float2int_rd(x)), put(__float2int_ru(x)), put(__float2int_rz(x)),
      put(__float2uint_rn(x)), put(__float2ll_rd(x));
  put(__double2int_rn(d)), put(__double2ll_ru(d)), put(__double2uint_rz(d)),
      put(__float_as_int(__double2float_rd(d))), put(__float_as_int(__double2float_ru(d)));
  put(__float_as_int(__int2float_rd(t * 123456789))),
      put(__float_as_int(__ll2float_ru(t * 123456789012345ll))),
      put(__double_as_longlong(__ll2double_rd(t * 123456789012345679ll)));
  put(__double2hiint(d)), put(__double2loint(d)), put(__double_as_longlong(__hiloint2double(t, 5)));
  put(static_cast<unsigned char>(x)), put(static_cast<short>(d)),
      put(static_cast<unsigned long long>(fabs(d))), put(static_cast<bool>(x));
}

int main() {
  const std::vector<float> f{1.0f, 3.0f, -7.0f, 0.1f, 1e10f, 1e-30f, 123.456f, -0.3f, 1e38f};
  const std::vector<double> d{1.0, 3.0, -7.0, 0.1, 1e100, 1e-300, 123.456, -0.3, 1e308};
  FUNCTION(8, f, __fadd_rd(x, y) - __fsub_ru(x, y));
  FUNCTION(8, f, __fadd_rz(x, y));
  FUNCTION(8, f, __fmul_ru(x, y));
  FUNCTION(8, f, __fmul_rz(x, y));
  FUNCTION(8, f, __fdiv_rd(x, y));
  FUNCTION(8, f, __fdiv_ru(x, y));
  FUNCTION(8, f, __frcp_rz(x));
  FUNCTION(8, f, __fsqrt_ru(fabsf(x)));
  FUNCTION(8, f, __fmaf_rd(x, y, x));
  FUNCTION(8, f, __fmaf_rz(x, y, y));
  FUNCTION(8, f, __frsqrt_rn(fabsf(x)));
  FUNCTION(16, d, __dadd_ru(x, y));
  FUNCTION(16, d, __dmul_rd(x, y));
  FUNCTION(16, d, __ddiv_rz(x, y));
  FUNCTION(16, d, __drcp_ru(x));
  FUNCTION(16, d, __dsqrt_rd(fabs(x)));
  FUNCTION(16, d, __fma_ru(x, y, y));
  const std::vector<float> small{0.1f, 0.5f, 1.0f, -1.5f, 2.0f, 3.0f, -0.25f, 5.5f};
  FUNCTION(3, small, __sinf(x) + 2);
  FUNCTION(3, small, __cosf(x) + 2);
  FUNCTION(3, small, __expf(x));
  FUNCTION(3, small, __exp10f(x));
  FUNCTION(3, small, __logf(fabsf(x)) + 5);
  FUNCTION(3, small, __log2f(fabsf(x)) + 5);
  FUNCTION(3, small, __powf(fabsf(x), y));
  FUNCTION(4, small, __fdividef(x, y));
  FUNCTION(4, small, __saturatef(x));
  FUNCTION(3, small, __tanf(x) + 20);
  Buffer<float> a(corpus::floats(32));
  std::vector<double> wide(32);
  for (int i = 0; i < 32; ++i) wide[i] = (i - 10) * 12345.678;
  Buffer<double> b(wide);
  Buffer<long long> out(32 * 21);
  RUN(conversions<<<1, 32>>>(a, b, out));
  const auto all = out.read();
  for (int i = 0; i < 21; ++i)
    printf("%lld %lld %lld %016llx\n", all[i * 32 + 1], all[i * 32 + 9], all[i * 32 + 20],
           corpus::digest(std::vector<long long>(all.begin() + i * 32, all.begin() + i * 32 + 32)));
  return 0;
}
