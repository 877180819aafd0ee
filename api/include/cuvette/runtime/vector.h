// SPDX-License-Identifier: Apache-2.0
// Vector types: one to four numbers of one kind, and dim3, the shape of a grid or a block.
//
// Types of two and four members are aligned to their whole size, up to 16 bytes, so that a kernel
// moves them with one instruction; types of three are aligned as their members. Of the vectors of
// four 8-byte members there are two: _16a and _32a, by alignment in bytes. The names without a
// suffix are from before CUDA 13, aligned to 16.
#pragma once

#include "../../crt/host_defines.h"

// Compilers that know the mark warn about the names without a suffix, unless
// __NV_NO_VECTOR_DEPRECATION_DIAG is defined. Headers that must name them nevertheless do so
// between BEGIN and END.
#if defined(__NV_NO_VECTOR_DEPRECATION_DIAG) || defined(_MSC_VER)
#define CUVETTE_USE_INSTEAD(message)
#define __NV_SILENCE_HOST_DEPRECATION_BEGIN
#define __NV_SILENCE_HOST_DEPRECATION_END
#else
#define CUVETTE_USE_INSTEAD(message) __attribute__((deprecated(message)))
#define __NV_SILENCE_HOST_DEPRECATION_BEGIN \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define __NV_SILENCE_HOST_DEPRECATION_END _Pragma("GCC diagnostic pop")
#endif
#define __NV_SILENCE_DEPRECATION_BEGIN __NV_SILENCE_HOST_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END __NV_SILENCE_HOST_DEPRECATION_END

typedef struct char1 {
  signed char x;
} char1;
typedef struct __align__(2) char2 {
  signed char x, y;
}
char2;
typedef struct char3 {
  signed char x, y, z;
} char3;
typedef struct __align__(4) char4 {
  signed char x, y, z, w;
}
char4;

typedef struct uchar1 {
  unsigned char x;
} uchar1;
typedef struct __align__(2) uchar2 {
  unsigned char x, y;
}
uchar2;
typedef struct uchar3 {
  unsigned char x, y, z;
} uchar3;
typedef struct __align__(4) uchar4 {
  unsigned char x, y, z, w;
}
uchar4;

typedef struct short1 {
  short x;
} short1;
typedef struct __align__(4) short2 {
  short x, y;
}
short2;
typedef struct short3 {
  short x, y, z;
} short3;
typedef struct __align__(8) short4 {
  short x, y, z, w;
}
short4;

typedef struct ushort1 {
  unsigned short x;
} ushort1;
typedef struct __align__(4) ushort2 {
  unsigned short x, y;
}
ushort2;
typedef struct ushort3 {
  unsigned short x, y, z;
} ushort3;
typedef struct __align__(8) ushort4 {
  unsigned short x, y, z, w;
}
ushort4;

typedef struct int1 {
  int x;
} int1;
typedef struct __align__(8) int2 {
  int x, y;
}
int2;
typedef struct int3 {
  int x, y, z;
} int3;
typedef struct __align__(16) int4 {
  int x, y, z, w;
}
int4;

typedef struct uint1 {
  unsigned int x;
} uint1;
typedef struct __align__(8) uint2 {
  unsigned int x, y;
}
uint2;
typedef struct uint3 {
  unsigned int x, y, z;
} uint3;
typedef struct __align__(16) uint4 {
  unsigned int x, y, z, w;
}
uint4;

typedef struct long1 {
  long int x;
} long1;
typedef struct __align__(2 * sizeof(long int)) long2 {
  long int x, y;
}
long2;
typedef struct long3 {
  long int x, y, z;
} long3;
struct CUVETTE_USE_INSTEAD("use long4_16a or long4_32a") __align__(16) long4 {
  long int x, y, z, w;
};
__NV_SILENCE_DEPRECATION_BEGIN
typedef struct long4 CUVETTE_USE_INSTEAD("use long4_16a or long4_32a") long4;
__NV_SILENCE_DEPRECATION_END
typedef struct __align__(16) long4_16a {
  long int x, y, z, w;
}
long4_16a;
typedef struct __align__(32) long4_32a {
  long int x, y, z, w;
}
long4_32a;

typedef struct ulong1 {
  unsigned long int x;
} ulong1;
typedef struct __align__(2 * sizeof(unsigned long int)) ulong2 {
  unsigned long int x, y;
}
ulong2;
typedef struct ulong3 {
  unsigned long int x, y, z;
} ulong3;
struct CUVETTE_USE_INSTEAD("use ulong4_16a or ulong4_32a") __align__(16) ulong4 {
  unsigned long int x, y, z, w;
};
__NV_SILENCE_DEPRECATION_BEGIN
typedef struct ulong4 CUVETTE_USE_INSTEAD("use ulong4_16a or ulong4_32a") ulong4;
__NV_SILENCE_DEPRECATION_END
typedef struct __align__(16) ulong4_16a {
  unsigned long int x, y, z, w;
}
ulong4_16a;
typedef struct __align__(32) ulong4_32a {
  unsigned long int x, y, z, w;
}
ulong4_32a;

typedef struct longlong1 {
  long long int x;
} longlong1;
typedef struct __align__(16) longlong2 {
  long long int x, y;
}
longlong2;
typedef struct longlong3 {
  long long int x, y, z;
} longlong3;
struct CUVETTE_USE_INSTEAD("use longlong4_16a or longlong4_32a") __align__(16) longlong4 {
  long long int x, y, z, w;
};
__NV_SILENCE_DEPRECATION_BEGIN
typedef struct longlong4 CUVETTE_USE_INSTEAD("use longlong4_16a or longlong4_32a") longlong4;
__NV_SILENCE_DEPRECATION_END
typedef struct __align__(16) longlong4_16a {
  long long int x, y, z, w;
}
longlong4_16a;
typedef struct __align__(32) longlong4_32a {
  long long int x, y, z, w;
}
longlong4_32a;

typedef struct ulonglong1 {
  unsigned long long int x;
} ulonglong1;
typedef struct __align__(16) ulonglong2 {
  unsigned long long int x, y;
}
ulonglong2;
typedef struct ulonglong3 {
  unsigned long long int x, y, z;
} ulonglong3;
struct CUVETTE_USE_INSTEAD("use ulonglong4_16a or ulonglong4_32a") __align__(16) ulonglong4 {
  unsigned long long int x, y, z, w;
};
__NV_SILENCE_DEPRECATION_BEGIN
typedef struct ulonglong4 CUVETTE_USE_INSTEAD("use ulonglong4_16a or ulonglong4_32a") ulonglong4;
__NV_SILENCE_DEPRECATION_END
typedef struct __align__(16) ulonglong4_16a {
  unsigned long long int x, y, z, w;
}
ulonglong4_16a;
typedef struct __align__(32) ulonglong4_32a {
  unsigned long long int x, y, z, w;
}
ulonglong4_32a;

typedef struct float1 {
  float x;
} float1;
typedef struct __align__(8) float2 {
  float x, y;
}
float2;
typedef struct float3 {
  float x, y, z;
} float3;
typedef struct __align__(16) float4 {
  float x, y, z, w;
}
float4;

typedef struct double1 {
  double x;
} double1;
typedef struct __align__(16) double2 {
  double x, y;
}
double2;
typedef struct double3 {
  double x, y, z;
} double3;
struct CUVETTE_USE_INSTEAD("use double4_16a or double4_32a") __align__(16) double4 {
  double x, y, z, w;
};
__NV_SILENCE_DEPRECATION_BEGIN
typedef struct double4 CUVETTE_USE_INSTEAD("use double4_16a or double4_32a") double4;
__NV_SILENCE_DEPRECATION_END
typedef struct __align__(16) double4_16a {
  double x, y, z, w;
}
double4_16a;
typedef struct __align__(32) double4_32a {
  double x, y, z, w;
}
double4_32a;

// The shape of a grid or a block: what is left out is 1.
typedef struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3(void) const { return uint3{x, y, z}; }
#endif
} dim3;
