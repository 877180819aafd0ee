// SPDX-License-Identifier: Apache-2.0
// Products of matrices by the threads of a warp together, for `cuvette c++`: nvcuda::wmma with all
// shapes and types. Each function is one instruction of PTX.
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#if !defined(__clang__) || !defined(__CUDA__)
#error "Cuvette's mma.h is for cuvette c++; nvcc has its own"
#endif

#include "cuda_bf16.h"
#include "cuda_fp16.h"
// cuda_fp16.h first: fragments have its types.
#include "../matrix_fragments.h"

namespace nvcuda {
namespace wmma {

// A factor in one layout. `bits` is its type in PTX, `words` the number of registers of 32 bits.
#define CUVETTE_FACTOR_IN(use, letter, m, n, k, shape, type, bits, stored, element, elements,  \
                          registers, kind, words, layout, name)                                \
  template <>                                                                                  \
  class fragment<use, m, n, k, type, layout>                                                   \
      : public details::held<element, elements, registers, words> {};                          \
  static __inline__ __device__ void load_matrix_sync(fragment<use, m, n, k, type, layout>& to, \
                                                     const stored* place, unsigned pitch) {    \
    registers w[words];                                                                        \
    __asm__ volatile("wmma.load." letter ".sync.aligned." name "." shape "." bits              \
                     " " CUVETTE_NAMED_##words("w") ", [%[place]], %[pitch];"                  \
                     : CUVETTE_IN_##words(w, "=" kind)                                         \
                     : [place] "l"(place), [pitch] "r"(pitch)                                  \
                     : "memory");                                                              \
    to.set(w);                                                                                 \
  }
#define CUVETTE_FACTOR(use, letter, m, n, k, shape, type, bits, stored, element, elements,         \
                       registers, kind, words)                                                     \
  CUVETTE_FACTOR_IN(use, letter, m, n, k, shape, type, bits, stored, element, elements, registers, \
                    kind, words, row_major, "row")                                                 \
  CUVETTE_FACTOR_IN(use, letter, m, n, k, shape, type, bits, stored, element, elements, registers, \
                    kind, words, col_major, "col")

// A sum, which has no layout before it is in memory.
#define CUVETTE_LOAD_SUM(shape, bits, kind, words, name)                    \
  __asm__ volatile("wmma.load.c.sync.aligned." name "." shape "." bits      \
                   " " CUVETTE_NAMED_##words("w") ", [%[place]], %[pitch];" \
                   : CUVETTE_IN_##words(w, "=" kind)                        \
                   : [place] "l"(place), [pitch] "r"(pitch)                 \
                   : "memory")
#define CUVETTE_STORE_SUM(shape, bits, kind, words, name)                                     \
  __asm__ volatile(                                                                           \
      "wmma.store.d.sync.aligned." name "." shape "." bits                                    \
      " [%[place]], " CUVETTE_NAMED_##words("w") ", %[pitch];" ::CUVETTE_IN_##words(w, kind), \
      [place] "l"(place), [pitch] "r"(pitch)                                                  \
      : "memory")
#define CUVETTE_SUM(m, n, k, shape, type, bits, elements, registers, kind, words)              \
  template <>                                                                                  \
  class fragment<accumulator, m, n, k, type>                                                   \
      : public details::held<type, elements, registers, words> {};                             \
  static __inline__ __device__ void load_matrix_sync(fragment<accumulator, m, n, k, type>& to, \
                                                     const type* place, unsigned pitch,        \
                                                     layout_t layout) {                        \
    registers w[words];                                                                        \
    if (layout == mem_row_major)                                                               \
      CUVETTE_LOAD_SUM(shape, bits, kind, words, "row");                                       \
    else                                                                                       \
      CUVETTE_LOAD_SUM(shape, bits, kind, words, "col");                                       \
    to.set(w);                                                                                 \
  }                                                                                            \
  static __inline__ __device__ void store_matrix_sync(                                         \
      type* place, const fragment<accumulator, m, n, k, type>& from, unsigned pitch,           \
      layout_t layout) {                                                                       \
    registers w[words];                                                                        \
    from.get(w);                                                                               \
    if (layout == mem_row_major)                                                               \
      CUVETTE_STORE_SUM(shape, bits, kind, words, "row");                                      \
    else                                                                                       \
      CUVETTE_STORE_SUM(shape, bits, kind, words, "col");                                      \
  }

// d = a * b + c. `types` are all the types that PTX needs.
#define CUVETTE_MULTIPLY(shape, name, types, fk, aw, bw, dk, dw, ck, cw)                  \
  __asm__ volatile("wmma.mma." name "." shape "." types                                   \
                   " " CUVETTE_NAMED_##dw("d") ", " CUVETTE_NAMED_##aw(                   \
                       "a") ", " CUVETTE_NAMED_##bw("b") ", " CUVETTE_NAMED_##cw("c") ";" \
                   : CUVETTE_IN_##dw(d, "=" dk)                                           \
                   : CUVETTE_IN_##aw(a, fk), CUVETTE_IN_##bw(b, fk), CUVETTE_IN_##cw(c, ck))
#define CUVETTE_WORDS(m, n, k, factor, aw, bw, dtype, dw, ctype, cw, la, lb) \
  typename fragment<matrix_a, m, n, k, factor, la>::word a[aw], b[bw];       \
  typename fragment<accumulator, m, n, k, ctype>::word c[cw];                \
  typename fragment<accumulator, m, n, k, dtype>::word d[dw];                \
  fa.get(a), fb.get(b), fc.get(c)
#define CUVETTE_PRODUCT_IN(m, n, k, shape, types, factor, fk, aw, bw, dtype, dk, dw, ctype, ck, \
                           cw, la, lb, name)                                                    \
  static __inline__ __device__ void mma_sync(fragment<accumulator, m, n, k, dtype>& to,         \
                                             const fragment<matrix_a, m, n, k, factor, la>& fa, \
                                             const fragment<matrix_b, m, n, k, factor, lb>& fb, \
                                             const fragment<accumulator, m, n, k, ctype>& fc) { \
    CUVETTE_WORDS(m, n, k, factor, aw, bw, dtype, dw, ctype, cw, la, lb);                       \
    CUVETTE_MULTIPLY(shape, "sync.aligned." name, types, fk, aw, bw, dk, dw, ck, cw);           \
    to.set(d);                                                                                  \
  }
// Sums of whole numbers may stay within their range.
#define CUVETTE_WHOLE_PRODUCT_IN(m, n, k, shape, types, factor, aw, bw, dw, la, lb, name)          \
  static __inline__ __device__ void mma_sync(                                                      \
      fragment<accumulator, m, n, k, int>& to, const fragment<matrix_a, m, n, k, factor, la>& fa,  \
      const fragment<matrix_b, m, n, k, factor, lb>& fb,                                           \
      const fragment<accumulator, m, n, k, int>& fc, bool saturate = false) {                      \
    CUVETTE_WORDS(m, n, k, factor, aw, bw, int, dw, int, dw, la, lb);                              \
    if (saturate)                                                                                  \
      CUVETTE_MULTIPLY(shape, "sync.aligned." name, types ".satfinite", "r", aw, bw, "r", dw, "r", \
                       dw);                                                                        \
    else                                                                                           \
      CUVETTE_MULTIPLY(shape, "sync.aligned." name, types, "r", aw, bw, "r", dw, "r", dw);         \
    to.set(d);                                                                                     \
  }
#define CUVETTE_IN_LAYOUTS(product, ...)                        \
  product(__VA_ARGS__, row_major, row_major, "row.row")         \
      product(__VA_ARGS__, row_major, col_major, "row.col")     \
          product(__VA_ARGS__, col_major, row_major, "col.row") \
              product(__VA_ARGS__, col_major, col_major, "col.col")
#define CUVETTE_PRODUCT(...) CUVETTE_IN_LAYOUTS(CUVETTE_PRODUCT_IN, __VA_ARGS__)
#define CUVETTE_WHOLE_PRODUCT(...) CUVETTE_IN_LAYOUTS(CUVETTE_WHOLE_PRODUCT_IN, __VA_ARGS__)

// half: every shape has as many registers.
#define CUVETTE_SHAPE(m, n, k, shape)                                                             \
  CUVETTE_FACTOR(matrix_a, "a", m, n, k, shape, __half, "f16", __half, __half, 16, unsigned, "r", \
                 8)                                                                               \
  CUVETTE_FACTOR(matrix_b, "b", m, n, k, shape, __half, "f16", __half, __half, 16, unsigned, "r", \
                 8)                                                                               \
  CUVETTE_SUM(m, n, k, shape, float, "f32", 8, float, "f", 8)                                     \
  CUVETTE_SUM(m, n, k, shape, __half, "f16", 8, unsigned, "r", 4)                                 \
  CUVETTE_SUM(m, n, k, shape, int, "s32", 8, int, "r", 8)                                         \
  CUVETTE_PRODUCT(m, n, k, shape, "f32.f32", __half, "r", 8, 8, float, "f", 8, float, "f", 8)     \
  CUVETTE_PRODUCT(m, n, k, shape, "f32.f16", __half, "r", 8, 8, float, "f", 8, __half, "r", 4)    \
  CUVETTE_PRODUCT(m, n, k, shape, "f16.f32", __half, "r", 8, 8, __half, "r", 4, float, "f", 8)    \
  CUVETTE_PRODUCT(m, n, k, shape, "f16.f16", __half, "r", 8, 8, __half, "r", 4, __half, "r", 4)
CUVETTE_SHAPE(16, 16, 16, "m16n16k16")
CUVETTE_SHAPE(32, 8, 16, "m32n8k16")
CUVETTE_SHAPE(8, 32, 16, "m8n32k16")
#undef CUVETTE_SHAPE

// Bytes and bfloat16: a larger factor takes more registers.
#define CUVETTE_BYTES(m, n, k, shape, type, bits, types, aw, ae, bw, be)                       \
  CUVETTE_FACTOR(matrix_a, "a", m, n, k, shape, type, bits, type, type, ae, unsigned, "r", aw) \
  CUVETTE_FACTOR(matrix_b, "b", m, n, k, shape, type, bits, type, type, be, unsigned, "r", bw) \
  CUVETTE_WHOLE_PRODUCT(m, n, k, shape, types, type, aw, bw, 8)
#define CUVETTE_BRAINS(m, n, k, shape, aw, ae, bw, be)                                            \
  CUVETTE_FACTOR(matrix_a, "a", m, n, k, shape, __nv_bfloat16, "bf16", __nv_bfloat16,             \
                 __nv_bfloat16, ae, unsigned, "r", aw)                                            \
  CUVETTE_FACTOR(matrix_b, "b", m, n, k, shape, __nv_bfloat16, "bf16", __nv_bfloat16,             \
                 __nv_bfloat16, be, unsigned, "r", bw)                                            \
  CUVETTE_PRODUCT(m, n, k, shape, "f32.bf16.bf16.f32", __nv_bfloat16, "r", aw, bw, float, "f", 8, \
                  float, "f", 8)
#define CUVETTE_SHAPE(m, n, k, shape, aw, ae, bw, be, daw, dae, dbw, dbe)             \
  CUVETTE_BYTES(m, n, k, shape, signed char, "s8", "s32.s8.s8.s32", aw, ae, bw, be)   \
  CUVETTE_BYTES(m, n, k, shape, unsigned char, "u8", "s32.u8.u8.s32", aw, ae, bw, be) \
  CUVETTE_BRAINS(m, n, k, shape, daw, dae, dbw, dbe)
CUVETTE_SHAPE(16, 16, 16, "m16n16k16", 2, 8, 2, 8, 4, 8, 4, 8)
CUVETTE_SHAPE(32, 8, 16, "m32n8k16", 4, 16, 1, 4, 8, 16, 2, 4)
CUVETTE_SHAPE(8, 32, 16, "m8n32k16", 1, 4, 4, 16, 2, 4, 8, 16)
#undef CUVETTE_SHAPE
#undef CUVETTE_BRAINS
#undef CUVETTE_BYTES

// Floats of 19 bits, and double.
CUVETTE_FACTOR(matrix_a, "a", 16, 16, 8, "m16n16k8", precision::tf32, "tf32", float, float, 4,
               unsigned, "r", 4)
CUVETTE_FACTOR(matrix_b, "b", 16, 16, 8, "m16n16k8", precision::tf32, "tf32", float, float, 4,
               unsigned, "r", 4)
CUVETTE_SUM(16, 16, 8, "m16n16k8", float, "f32", 8, float, "f", 8)
CUVETTE_PRODUCT(16, 16, 8, "m16n16k8", "f32.tf32.tf32.f32", precision::tf32, "r", 4, 4, float, "f",
                8, float, "f", 8)
CUVETTE_FACTOR(matrix_a, "a", 8, 8, 4, "m8n8k4", double, "f64", double, double, 1, double, "d", 1)
CUVETTE_FACTOR(matrix_b, "b", 8, 8, 4, "m8n8k4", double, "f64", double, double, 1, double, "d", 1)
CUVETTE_SUM(8, 8, 4, "m8n8k4", double, "f64", 2, double, "d", 2)
CUVETTE_PRODUCT(8, 8, 4, "m8n8k4", "f64.f64.f64.f64", double, "d", 1, 1, double, "d", 2, double,
                "d", 2)

// Four bits and one, in the one layout that they have.
#define CUVETTE_BITS(k, shape, type, bits)                                                    \
  CUVETTE_FACTOR_IN(matrix_a, "a", 8, 8, k, shape, experimental::precision::type, bits, void, \
                    unsigned, 1, unsigned, "r", 1, row_major, "row")                          \
  CUVETTE_FACTOR_IN(matrix_b, "b", 8, 8, k, shape, experimental::precision::type, bits, void, \
                    unsigned, 1, unsigned, "r", 1, col_major, "col")
CUVETTE_BITS(32, "m8n8k32", s4, "s4")
CUVETTE_BITS(32, "m8n8k32", u4, "u4")
CUVETTE_BITS(128, "m8n8k128", b1, "b1")
#undef CUVETTE_BITS
CUVETTE_SUM(8, 8, 32, "m8n8k32", int, "s32", 2, int, "r", 2)
CUVETTE_SUM(8, 8, 128, "m8n8k128", int, "s32", 2, int, "r", 2)
CUVETTE_WHOLE_PRODUCT_IN(8, 8, 32, "m8n8k32", "s32.s4.s4.s32", experimental::precision::s4, 1, 1, 2,
                         row_major, col_major, "row.col")
CUVETTE_WHOLE_PRODUCT_IN(8, 8, 32, "m8n8k32", "s32.u4.u4.s32", experimental::precision::u4, 1, 1, 2,
                         row_major, col_major, "row.col")
static __inline__ __device__ void bmma_sync(
    fragment<accumulator, 8, 8, 128, int>& to,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& fa,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& fb,
    const fragment<accumulator, 8, 8, 128, int>& fc,
    experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  CUVETTE_WORDS(8, 8, 128, experimental::precision::b1, 1, 1, int, 2, int, 2, row_major, col_major);
  if (operation == experimental::bmmaBitOpAND)
    CUVETTE_MULTIPLY("m8n8k128", "and.popc.sync.aligned.row.col", "s32.b1.b1.s32", "r", 1, 1, "r",
                     2, "r", 2);
  else
    CUVETTE_MULTIPLY("m8n8k128", "xor.popc.sync.aligned.row.col", "s32.b1.b1.s32", "r", 1, 1, "r",
                     2, "r", 2);
  to.set(d);
}

#undef CUVETTE_WHOLE_PRODUCT
#undef CUVETTE_PRODUCT
#undef CUVETTE_IN_LAYOUTS
#undef CUVETTE_WHOLE_PRODUCT_IN
#undef CUVETTE_PRODUCT_IN
#undef CUVETTE_WORDS
#undef CUVETTE_MULTIPLY
#undef CUVETTE_SUM
#undef CUVETTE_STORE_SUM
#undef CUVETTE_LOAD_SUM
#undef CUVETTE_FACTOR
#undef CUVETTE_FACTOR_IN

}  // namespace wmma
}  // namespace nvcuda

#endif
