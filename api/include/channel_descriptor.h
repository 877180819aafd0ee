// SPDX-License-Identifier: Apache-2.0
// cudaCreateChannelDesc<T>: the description of an array's elements from their type.
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#if defined(__cplusplus)

#include "cuda_runtime_api.h"

// Types that arrays cannot hold have no parts.
template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc(void) {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

// Floats of 16 bits, for which the language has no type.
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void) {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1(void) {
  return cudaCreateChannelDescHalf();
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2(void) {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4(void) {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

// A plane of brightness and one of two color differences, each of 8 bits.
static inline cudaChannelFormatDesc cudaCreateChannelDescNV12(void) {
  return cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindNV12);
}

// The parts of a type: count of them, each as large as part.
#define CUVETTE_CHANNEL(type, part, count, kind)                                       \
  template <>                                                                          \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>(void) {                     \
    const int bits = 8 * static_cast<int>(sizeof(part));                               \
    return cudaCreateChannelDesc(bits, (count) > 1 ? bits : 0, (count) > 2 ? bits : 0, \
                                 (count) > 3 ? bits : 0, cudaChannelFormatKind##kind); \
  }

#if defined(__CHAR_UNSIGNED__) || defined(_CHAR_UNSIGNED)
CUVETTE_CHANNEL(char, char, 1, Unsigned)
#else
CUVETTE_CHANNEL(char, char, 1, Signed)
#endif
CUVETTE_CHANNEL(signed char, signed char, 1, Signed)
CUVETTE_CHANNEL(unsigned char, unsigned char, 1, Unsigned)
CUVETTE_CHANNEL(short, short, 1, Signed)
CUVETTE_CHANNEL(unsigned short, unsigned short, 1, Unsigned)
CUVETTE_CHANNEL(int, int, 1, Signed)
CUVETTE_CHANNEL(unsigned int, unsigned int, 1, Unsigned)
CUVETTE_CHANNEL(float, float, 1, Float)

CUVETTE_CHANNEL(char1, signed char, 1, Signed)
CUVETTE_CHANNEL(char2, signed char, 2, Signed)
CUVETTE_CHANNEL(char4, signed char, 4, Signed)
CUVETTE_CHANNEL(uchar1, unsigned char, 1, Unsigned)
CUVETTE_CHANNEL(uchar2, unsigned char, 2, Unsigned)
CUVETTE_CHANNEL(uchar4, unsigned char, 4, Unsigned)
CUVETTE_CHANNEL(short1, short, 1, Signed)
CUVETTE_CHANNEL(short2, short, 2, Signed)
CUVETTE_CHANNEL(short4, short, 4, Signed)
CUVETTE_CHANNEL(ushort1, unsigned short, 1, Unsigned)
CUVETTE_CHANNEL(ushort2, unsigned short, 2, Unsigned)
CUVETTE_CHANNEL(ushort4, unsigned short, 4, Unsigned)
CUVETTE_CHANNEL(int1, int, 1, Signed)
CUVETTE_CHANNEL(int2, int, 2, Signed)
CUVETTE_CHANNEL(int4, int, 4, Signed)
CUVETTE_CHANNEL(uint1, unsigned int, 1, Unsigned)
CUVETTE_CHANNEL(uint2, unsigned int, 2, Unsigned)
CUVETTE_CHANNEL(uint4, unsigned int, 4, Unsigned)
CUVETTE_CHANNEL(float1, float, 1, Float)
CUVETTE_CHANNEL(float2, float, 2, Float)
CUVETTE_CHANNEL(float4, float, 4, Float)

#if !defined(__LP64__)
// A long of 8 bytes cannot be an element.
CUVETTE_CHANNEL(long, long, 1, Signed)
CUVETTE_CHANNEL(unsigned long, unsigned long, 1, Unsigned)
CUVETTE_CHANNEL(long1, long, 1, Signed)
CUVETTE_CHANNEL(ulong1, unsigned long, 1, Unsigned)
CUVETTE_CHANNEL(long2, long, 2, Signed)
CUVETTE_CHANNEL(ulong2, unsigned long, 2, Unsigned)
__NV_SILENCE_DEPRECATION_BEGIN
CUVETTE_CHANNEL(long4, long, 4, Signed)
CUVETTE_CHANNEL(ulong4, unsigned long, 4, Unsigned)
__NV_SILENCE_DEPRECATION_END
#endif

#undef CUVETTE_CHANNEL

// Special formats, selected by their kind; these are the bits of their parts.
template <cudaChannelFormatKind kind>
inline cudaChannelFormatDesc cudaCreateChannelDesc(void) {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define CUVETTE_CHANNEL(kind, x, y, z, w)                                                 \
  template <>                                                                             \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<cudaChannelFormatKind##kind>(void) { \
    return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                \
  }

CUVETTE_CHANNEL(NV12, 8, 8, 8, 0)
CUVETTE_CHANNEL(SignedBlockCompressed4, 8, 0, 0, 0)
CUVETTE_CHANNEL(SignedBlockCompressed5, 8, 8, 0, 0)
CUVETTE_CHANNEL(SignedBlockCompressed6H, 16, 16, 16, 0)
CUVETTE_CHANNEL(SignedNormalized16X1, 16, 0, 0, 0)
CUVETTE_CHANNEL(SignedNormalized16X2, 16, 16, 0, 0)
CUVETTE_CHANNEL(SignedNormalized16X4, 16, 16, 16, 16)
CUVETTE_CHANNEL(SignedNormalized8X1, 8, 0, 0, 0)
CUVETTE_CHANNEL(SignedNormalized8X2, 8, 8, 0, 0)
CUVETTE_CHANNEL(SignedNormalized8X4, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed1, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed1SRGB, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed2, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed2SRGB, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed3, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed3SRGB, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed4, 8, 0, 0, 0)
CUVETTE_CHANNEL(UnsignedBlockCompressed5, 8, 8, 0, 0)
CUVETTE_CHANNEL(UnsignedBlockCompressed6H, 16, 16, 16, 0)
CUVETTE_CHANNEL(UnsignedBlockCompressed7, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedBlockCompressed7SRGB, 8, 8, 8, 8)
CUVETTE_CHANNEL(UnsignedNormalized1010102, 10, 10, 10, 2)
CUVETTE_CHANNEL(UnsignedNormalized16X1, 16, 0, 0, 0)
CUVETTE_CHANNEL(UnsignedNormalized16X2, 16, 16, 0, 0)
CUVETTE_CHANNEL(UnsignedNormalized16X4, 16, 16, 16, 16)
CUVETTE_CHANNEL(UnsignedNormalized8X1, 8, 0, 0, 0)
CUVETTE_CHANNEL(UnsignedNormalized8X2, 8, 8, 0, 0)
CUVETTE_CHANNEL(UnsignedNormalized8X4, 8, 8, 8, 8)

#undef CUVETTE_CHANNEL

#endif

#endif
