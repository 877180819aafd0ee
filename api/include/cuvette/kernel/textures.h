// SPDX-License-Identifier: Apache-2.0
// Functions that read textures: tex2D<float4>(texture, x, y) and its like.
#ifndef CUVETTE_KERNEL_TEXTURES_H
#define CUVETTE_KERNEL_TEXTURES_H

#include "texels.h"

// An instruction gives four numbers of 32 bits; which kind they are, the texel says.
#define CUVETTE_LIST(...) __VA_ARGS__
#define CUVETTE_FETCH(name, instruction, coordinate, operands, parameters, vector, kind, output,   \
                      ...)                                                                         \
  static __inline__ __device__ vector __cuvette_##name(vector result, cudaTextureObject_t texture, \
                                                       CUVETTE_LIST parameters) {                  \
    __asm__(instruction ".v4." kind "." coordinate " {%0, %1, %2, %3}, " operands ";"              \
            : output(result.x), output(result.y), output(result.z), output(result.w)               \
            : "l"(texture), __VA_ARGS__);                                                          \
    return result;                                                                                 \
  }
#define CUVETTE_TEXTURE_OF(name, instruction, coordinate, operands, parameters, arguments, ...)  \
  CUVETTE_FETCH(name, instruction, coordinate, operands, parameters, float4, "f32", "=f",        \
                __VA_ARGS__)                                                                     \
  CUVETTE_FETCH(name, instruction, coordinate, operands, parameters, int4, "s32", "=r",          \
                __VA_ARGS__)                                                                     \
  CUVETTE_FETCH(name, instruction, coordinate, operands, parameters, uint4, "u32", "=r",         \
                __VA_ARGS__)                                                                     \
  template <typename T>                                                                          \
  static __inline__ __device__ T name(cudaTextureObject_t texture, CUVETTE_LIST parameters) {    \
    return __cuvette_texel<T>::of(                                                               \
        __cuvette_##name(typename __cuvette_texel<T>::wide{}, texture, CUVETTE_LIST arguments)); \
  }                                                                                              \
  template <typename T>                                                                          \
  static __inline__ __device__ void name(T* result, cudaTextureObject_t texture,                 \
                                         CUVETTE_LIST parameters) {                              \
    *result = name<T>(texture, CUVETTE_LIST arguments);                                          \
  }
#define CUVETTE_TEXTURE(name, instruction, operands, parameters, arguments, ...) \
  CUVETTE_TEXTURE_OF(name, instruction, "f32", operands, parameters, arguments, __VA_ARGS__)

CUVETTE_TEXTURE_OF(tex1Dfetch, "tex.1d", "s32", "[%4, {%5}]", (int x), (x), "r"(x))

CUVETTE_TEXTURE(tex1D, "tex.1d", "[%4, {%5}]", (float x), (x), "f"(x))
CUVETTE_TEXTURE(tex1DLod, "tex.level.1d", "[%4, {%5}], %6", (float x, float level), (x, level),
                "f"(x), "f"(level))
CUVETTE_TEXTURE(tex1DGrad, "tex.grad.1d", "[%4, {%5}], {%6}, {%7}", (float x, float dx, float dy),
                (x, dx, dy), "f"(x), "f"(dx), "f"(dy))
CUVETTE_TEXTURE(tex1DLayered, "tex.a1d", "[%4, {%5, %6}]", (float x, int layer), (x, layer),
                "r"(layer), "f"(x))
CUVETTE_TEXTURE(tex1DLayeredLod, "tex.level.a1d", "[%4, {%5, %6}], %7",
                (float x, int layer, float level), (x, layer, level), "r"(layer), "f"(x),
                "f"(level))
CUVETTE_TEXTURE(tex1DLayeredGrad, "tex.grad.a1d", "[%4, {%5, %6}], {%7}, {%8}",
                (float x, int layer, float dx, float dy), (x, layer, dx, dy), "r"(layer), "f"(x),
                "f"(dx), "f"(dy))

CUVETTE_TEXTURE(tex2D, "tex.2d", "[%4, {%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
CUVETTE_TEXTURE(tex2DLod, "tex.level.2d", "[%4, {%5, %6}], %7", (float x, float y, float level),
                (x, y, level), "f"(x), "f"(y), "f"(level))
CUVETTE_TEXTURE(tex2DGrad, "tex.grad.2d", "[%4, {%5, %6}], {%7, %8}, {%9, %10}",
                (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "f"(x), "f"(y), "f"(dx.x),
                "f"(dx.y), "f"(dy.x), "f"(dy.y))
CUVETTE_TEXTURE(tex2DLayered, "tex.a2d", "[%4, {%5, %6, %7, %7}]", (float x, float y, int layer),
                (x, y, layer), "r"(layer), "f"(x), "f"(y))
CUVETTE_TEXTURE(tex2DLayeredLod, "tex.level.a2d", "[%4, {%5, %6, %7, %7}], %8",
                (float x, float y, int layer, float level), (x, y, layer, level), "r"(layer),
                "f"(x), "f"(y), "f"(level))
CUVETTE_TEXTURE(tex2DLayeredGrad, "tex.grad.a2d", "[%4, {%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
                (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy),
                "r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))

CUVETTE_TEXTURE(tex3D, "tex.3d", "[%4, {%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z),
                "f"(x), "f"(y), "f"(z))
CUVETTE_TEXTURE(tex3DLod, "tex.level.3d", "[%4, {%5, %6, %7, %7}], %8",
                (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y), "f"(z),
                "f"(level))
CUVETTE_TEXTURE(tex3DGrad, "tex.grad.3d",
                "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
                (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "f"(x),
                "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))

CUVETTE_TEXTURE(texCubemap, "tex.cube", "[%4, {%5, %6, %7, %7}]", (float x, float y, float z),
                (x, y, z), "f"(x), "f"(y), "f"(z))
CUVETTE_TEXTURE(texCubemapLod, "tex.level.cube", "[%4, {%5, %6, %7, %7}], %8",
                (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y), "f"(z),
                "f"(level))
CUVETTE_TEXTURE(texCubemapLayered, "tex.acube", "[%4, {%5, %6, %7, %8}]",
                (float x, float y, float z, int layer), (x, y, z, layer), "r"(layer), "f"(x),
                "f"(y), "f"(z))
CUVETTE_TEXTURE(texCubemapLayeredLod, "tex.level.acube", "[%4, {%5, %6, %7, %8}], %9",
                (float x, float y, float z, int layer, float level), (x, y, z, layer, level),
                "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))

// One component of the four texels around a point.
CUVETTE_TEXTURE(__cuvette_gather_x, "tld4.r.2d", "[%4, {%5, %6}]", (float x, float y), (x, y),
                "f"(x), "f"(y))
CUVETTE_TEXTURE(__cuvette_gather_y, "tld4.g.2d", "[%4, {%5, %6}]", (float x, float y), (x, y),
                "f"(x), "f"(y))
CUVETTE_TEXTURE(__cuvette_gather_z, "tld4.b.2d", "[%4, {%5, %6}]", (float x, float y), (x, y),
                "f"(x), "f"(y))
CUVETTE_TEXTURE(__cuvette_gather_w, "tld4.a.2d", "[%4, {%5, %6}]", (float x, float y), (x, y),
                "f"(x), "f"(y))
template <typename T>
static __inline__ __device__ T tex2Dgather(cudaTextureObject_t texture, float x, float y,
                                           int component = 0) {
  switch (component) {
    case 1:
      return __cuvette_gather_y<T>(texture, x, y);
    case 2:
      return __cuvette_gather_z<T>(texture, x, y);
    case 3:
      return __cuvette_gather_w<T>(texture, x, y);
    default:
      return __cuvette_gather_x<T>(texture, x, y);
  }
}
template <typename T>
static __inline__ __device__ void tex2Dgather(T* result, cudaTextureObject_t texture, float x,
                                              float y, int component = 0) {
  *result = tex2Dgather<T>(texture, x, y, component);
}

#undef CUVETTE_TEXTURE
#undef CUVETTE_TEXTURE_OF
#undef CUVETTE_FETCH
#undef CUVETTE_LIST

#endif
