// SPDX-License-Identifier: Apache-2.0
// make_int4 and similar functions, which make a vector from its members.
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_HPP__

#include "cuda_runtime_api.h"

#define CUVETTE_VECTOR_FUNCTION static __inline__ __host__ __device__

// One function for each type, with the members in order.
#define CUVETTE_MAKE_1(name, type)                   \
  CUVETTE_VECTOR_FUNCTION name make_##name(type x) { \
    name v;                                          \
    v.x = x;                                         \
    return v;                                        \
  }
#define CUVETTE_MAKE_2(name, type)                           \
  CUVETTE_VECTOR_FUNCTION name make_##name(type x, type y) { \
    name v;                                                  \
    v.x = x;                                                 \
    v.y = y;                                                 \
    return v;                                                \
  }
#define CUVETTE_MAKE_3(name, type)                                   \
  CUVETTE_VECTOR_FUNCTION name make_##name(type x, type y, type z) { \
    name v;                                                          \
    v.x = x;                                                         \
    v.y = y;                                                         \
    v.z = z;                                                         \
    return v;                                                        \
  }
#define CUVETTE_MAKE_4(name, type)                                           \
  CUVETTE_VECTOR_FUNCTION name make_##name(type x, type y, type z, type w) { \
    name v;                                                                  \
    v.x = x;                                                                 \
    v.y = y;                                                                 \
    v.z = z;                                                                 \
    v.w = w;                                                                 \
    return v;                                                                \
  }

CUVETTE_MAKE_1(char1, signed char)
CUVETTE_MAKE_2(char2, signed char)
CUVETTE_MAKE_3(char3, signed char)
CUVETTE_MAKE_4(char4, signed char)

CUVETTE_MAKE_1(uchar1, unsigned char)
CUVETTE_MAKE_2(uchar2, unsigned char)
CUVETTE_MAKE_3(uchar3, unsigned char)
CUVETTE_MAKE_4(uchar4, unsigned char)

CUVETTE_MAKE_1(short1, short)
CUVETTE_MAKE_2(short2, short)
CUVETTE_MAKE_3(short3, short)
CUVETTE_MAKE_4(short4, short)

CUVETTE_MAKE_1(ushort1, unsigned short)
CUVETTE_MAKE_2(ushort2, unsigned short)
CUVETTE_MAKE_3(ushort3, unsigned short)
CUVETTE_MAKE_4(ushort4, unsigned short)

CUVETTE_MAKE_1(int1, int)
CUVETTE_MAKE_2(int2, int)
CUVETTE_MAKE_3(int3, int)
CUVETTE_MAKE_4(int4, int)

CUVETTE_MAKE_1(uint1, unsigned int)
CUVETTE_MAKE_2(uint2, unsigned int)
CUVETTE_MAKE_3(uint3, unsigned int)
CUVETTE_MAKE_4(uint4, unsigned int)

CUVETTE_MAKE_1(long1, long int)
CUVETTE_MAKE_2(long2, long int)
CUVETTE_MAKE_3(long3, long int)
CUVETTE_MAKE_4(long4_16a, long int)
CUVETTE_MAKE_4(long4_32a, long int)

CUVETTE_MAKE_1(ulong1, unsigned long int)
CUVETTE_MAKE_2(ulong2, unsigned long int)
CUVETTE_MAKE_3(ulong3, unsigned long int)
CUVETTE_MAKE_4(ulong4_16a, unsigned long int)
CUVETTE_MAKE_4(ulong4_32a, unsigned long int)

CUVETTE_MAKE_1(longlong1, long long int)
CUVETTE_MAKE_2(longlong2, long long int)
CUVETTE_MAKE_3(longlong3, long long int)
CUVETTE_MAKE_4(longlong4_16a, long long int)
CUVETTE_MAKE_4(longlong4_32a, long long int)

CUVETTE_MAKE_1(ulonglong1, unsigned long long int)
CUVETTE_MAKE_2(ulonglong2, unsigned long long int)
CUVETTE_MAKE_3(ulonglong3, unsigned long long int)
CUVETTE_MAKE_4(ulonglong4_16a, unsigned long long int)
CUVETTE_MAKE_4(ulonglong4_32a, unsigned long long int)

CUVETTE_MAKE_1(float1, float)
CUVETTE_MAKE_2(float2, float)
CUVETTE_MAKE_3(float3, float)
CUVETTE_MAKE_4(float4, float)

CUVETTE_MAKE_1(double1, double)
CUVETTE_MAKE_2(double2, double)
CUVETTE_MAKE_3(double3, double)
CUVETTE_MAKE_4(double4_16a, double)
CUVETTE_MAKE_4(double4_32a, double)

// The names from before CUDA 13.
__NV_SILENCE_DEPRECATION_BEGIN
CUVETTE_MAKE_4(long4, long int)
CUVETTE_MAKE_4(ulong4, unsigned long int)
CUVETTE_MAKE_4(longlong4, long long int)
CUVETTE_MAKE_4(ulonglong4, unsigned long long int)
CUVETTE_MAKE_4(double4, double)
__NV_SILENCE_DEPRECATION_END

#undef CUVETTE_VECTOR_FUNCTION
#undef CUVETTE_MAKE_1
#undef CUVETTE_MAKE_2
#undef CUVETTE_MAKE_3
#undef CUVETTE_MAKE_4

#endif
