// SPDX-License-Identifier: Apache-2.0
// Overloads that CUDA has in addition to <cmath>: min() and max() of all numbers, and functions of
// float under the names of the functions of double.
#ifndef CUVETTE_KERNEL_OVERLOADS_H
#define CUVETTE_KERNEL_OVERLOADS_H

// Where the types differ, the result has the type that the sum of both has.
#define CUVETTE_LESSER_AND_GREATER(result, a_type, b_type)                           \
  static __inline__ __host__ __device__ result min(a_type a, b_type b) {             \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a)  \
                                                           : static_cast<result>(b); \
  }                                                                                  \
  static __inline__ __host__ __device__ result max(a_type a, b_type b) {             \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a)  \
                                                           : static_cast<result>(b); \
  }
CUVETTE_LESSER_AND_GREATER(unsigned, unsigned, unsigned)
CUVETTE_LESSER_AND_GREATER(unsigned, int, unsigned)
CUVETTE_LESSER_AND_GREATER(unsigned, unsigned, int)
CUVETTE_LESSER_AND_GREATER(long, long, long)
CUVETTE_LESSER_AND_GREATER(unsigned long, unsigned long, unsigned long)
CUVETTE_LESSER_AND_GREATER(unsigned long, long, unsigned long)
CUVETTE_LESSER_AND_GREATER(unsigned long, unsigned long, long)
CUVETTE_LESSER_AND_GREATER(long long, long long, long long)
CUVETTE_LESSER_AND_GREATER(unsigned long long, unsigned long long, unsigned long long)
CUVETTE_LESSER_AND_GREATER(unsigned long long, long long, unsigned long long)
CUVETTE_LESSER_AND_GREATER(unsigned long long, unsigned long long, long long)
#undef CUVETTE_LESSER_AND_GREATER

// A NaN loses against a number.
#define CUVETTE_LESSER_AND_GREATER(result, a_type, b_type, least, most)                        \
  static __inline__ __host__ __device__ result min(a_type a, b_type b) { return least(a, b); } \
  static __inline__ __host__ __device__ result max(a_type a, b_type b) { return most(a, b); }
CUVETTE_LESSER_AND_GREATER(float, float, float, fminf, fmaxf)
CUVETTE_LESSER_AND_GREATER(double, double, double, fmin, fmax)
CUVETTE_LESSER_AND_GREATER(double, float, double, fmin, fmax)
CUVETTE_LESSER_AND_GREATER(double, double, float, fmin, fmax)
#undef CUVETTE_LESSER_AND_GREATER

// clang has these two for the device.
static __inline__ __host__ int min(int a, int b) { return a < b ? a : b; }
static __inline__ __host__ int max(int a, int b) { return a > b ? a : b; }

#define CUVETTE_OF_FLOAT(name) \
  static __inline__ __device__ float name(float a) { return name##f(a); }
CUVETTE_OF_FLOAT(cospi)
CUVETTE_OF_FLOAT(cyl_bessel_i0)
CUVETTE_OF_FLOAT(cyl_bessel_i1)
CUVETTE_OF_FLOAT(erfcinv)
CUVETTE_OF_FLOAT(erfcx)
CUVETTE_OF_FLOAT(erfinv)
CUVETTE_OF_FLOAT(exp10)
CUVETTE_OF_FLOAT(j0)
CUVETTE_OF_FLOAT(j1)
CUVETTE_OF_FLOAT(normcdf)
CUVETTE_OF_FLOAT(normcdfinv)
CUVETTE_OF_FLOAT(rcbrt)
CUVETTE_OF_FLOAT(rsqrt)
CUVETTE_OF_FLOAT(sinpi)
CUVETTE_OF_FLOAT(y0)
CUVETTE_OF_FLOAT(y1)
#undef CUVETTE_OF_FLOAT
static __inline__ __device__ void sincos(float a, float* sine, float* cosine) {
  sincosf(a, sine, cosine);
}
static __inline__ __device__ void sincospi(float a, float* sine, float* cosine) {
  sincospif(a, sine, cosine);
}

static __inline__ __device__ float __tanhf(float a) {
  float result;
  __asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
}

#endif
