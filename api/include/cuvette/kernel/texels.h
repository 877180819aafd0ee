// SPDX-License-Identifier: Apache-2.0
// The types of a texel: one, two or four numbers of one type.
#ifndef CUVETTE_KERNEL_TEXELS_H
#define CUVETTE_KERNEL_TEXELS_H

// `wide` is what an instruction gives for four such numbers; of() takes from it what belongs to T.
template <typename T>
struct __cuvette_texel;

// Numbers that surfaces have, and textures have not.
template <typename Number, int numbers>
struct __cuvette_texel_of {
  using number = Number;
  static constexpr int count = numbers;
};

#define CUVETTE_TEXEL(type, number, numbers, four, ...)                        \
  template <>                                                                  \
  struct __cuvette_texel<type> : __cuvette_texel_of<number, numbers> {         \
    using wide = four;                                                         \
    static __inline__ __device__ type of(wide value) { return {__VA_ARGS__}; } \
  };
#define CUVETTE_TEXELS(number, vector, four)                                \
  CUVETTE_TEXEL(number, number, 1, four, static_cast<number>(value.x))      \
  CUVETTE_TEXEL(vector##1, number, 1, four, static_cast<number>(value.x))   \
  CUVETTE_TEXEL(vector##2, number, 2, four, static_cast<number>(value.x),   \
                static_cast<number>(value.y))                               \
  CUVETTE_TEXEL(vector##4, number, 4, four, static_cast<number>(value.x),   \
                static_cast<number>(value.y), static_cast<number>(value.z), \
                static_cast<number>(value.w))
CUVETTE_TEXELS(signed char, char, int4)
CUVETTE_TEXELS(unsigned char, uchar, uint4)
CUVETTE_TEXELS(short, short, int4)
CUVETTE_TEXELS(unsigned short, ushort, uint4)
CUVETTE_TEXELS(int, int, int4)
CUVETTE_TEXELS(unsigned, uint, uint4)
CUVETTE_TEXELS(float, float, float4)
CUVETTE_TEXEL(char, char, 1, int4, static_cast<char>(value.x))
#undef CUVETTE_TEXELS
#undef CUVETTE_TEXEL

#define CUVETTE_TEXEL(type, number, numbers) \
  template <>                                \
  struct __cuvette_texel<type> : __cuvette_texel_of<number, numbers> {};
CUVETTE_TEXEL(long long, long long, 1)
CUVETTE_TEXEL(longlong1, long long, 1)
CUVETTE_TEXEL(longlong2, long long, 2)
CUVETTE_TEXEL(unsigned long long, unsigned long long, 1)
CUVETTE_TEXEL(ulonglong1, unsigned long long, 1)
CUVETTE_TEXEL(ulonglong2, unsigned long long, 2)
#undef CUVETTE_TEXEL

#endif
