// SPDX-License-Identifier: Apache-2.0
// mma.sync in every shape of PTX for integers, halves, tf32 and double. The registers' contents are
// computed, so that the comparison shows what each lane holds.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../corpus.hpp"

// Register `k` of a lane, whose parts are small numbers of the type.
enum class Kind { half, brain, tf32, bytes, bits };
template <Kind kind>
__device__ unsigned filled(int k) {
  const unsigned s = corpus::scramble(threadIdx.x * 8 + k);
  const float x = static_cast<float>(s % 9) - 4, y = static_cast<float>(s / 9 % 9) - 4;
  if constexpr (kind == Kind::half) {
    const __half2 h = __floats2half2_rn(x, y);
    return *reinterpret_cast<const unsigned*>(&h);
  } else if constexpr (kind == Kind::brain) {
    const __nv_bfloat162 h = __floats2bfloat162_rn(x, y);
    return *reinterpret_cast<const unsigned*>(&h);
  } else if constexpr (kind == Kind::tf32) {
    return __float_as_uint(x);
  } else {
    return s;
  }
}

// D (four 32-bit registers) += A (four) * B (two).
#define FOUR_FOUR_TWO(name, instruction, type, letter, kind)                              \
  __global__ void name(type* out) {                                                       \
    unsigned a[4], b[2];                                                                  \
    for (int k = 0; k < 4; ++k) a[k] = filled<kind>(k);                                   \
    for (int k = 0; k < 2; ++k) b[k] = filled<kind>(k + 4);                               \
    type d[4] = {1, 2, 3, type(threadIdx.x)};                                             \
    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"     \
                 : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3]) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));     \
    for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];                          \
  }
#define FOUR_TWO_ONE(name, instruction, type, letter, kind)                               \
  __global__ void name(type* out) {                                                       \
    const unsigned a = filled<kind>(0), b = filled<kind>(1), c = filled<kind>(2);         \
    type d[4] = {1, 2, 3, type(threadIdx.x)};                                             \
    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"              \
                 : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3]) \
                 : "r"(a), "r"(b), "r"(c));                                               \
    for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];                          \
  }
#define TWO_ONE_ONE(name, instruction, kind)                      \
  __global__ void name(int* out) {                                \
    const unsigned a = filled<kind>(0), b = filled<kind>(1);      \
    int d[2] = {1, int(threadIdx.x)};                             \
    asm volatile(instruction " {%0,%1}, {%2}, {%3}, {%0,%1};"     \
                 : "+r"(d[0]), "+r"(d[1])                         \
                 : "r"(a), "r"(b));                               \
    out[threadIdx.x * 4] = d[0], out[threadIdx.x * 4 + 1] = d[1]; \
  }
#define M "mma.sync.aligned."
FOUR_FOUR_TWO(half_16, M "m16n8k16.row.col.f32.f16.f16.f32", float, "f", Kind::half)
FOUR_FOUR_TWO(brain_16, M "m16n8k16.row.col.f32.bf16.bf16.f32", float, "f", Kind::brain)
FOUR_FOUR_TWO(tf32_8, M "m16n8k8.row.col.f32.tf32.tf32.f32", float, "f", Kind::tf32)
FOUR_FOUR_TWO(s8_32, M "m16n8k32.row.col.s32.s8.s8.s32", int, "r", Kind::bytes)
FOUR_FOUR_TWO(u8_32, M "m16n8k32.row.col.s32.u8.u8.s32", int, "r", Kind::bytes)
FOUR_FOUR_TWO(mixed_32, M "m16n8k32.row.col.satfinite.s32.u8.s8.s32", int, "r", Kind::bytes)
FOUR_FOUR_TWO(s4_64, M "m16n8k64.row.col.s32.s4.s4.s32", int, "r", Kind::bytes)
FOUR_FOUR_TWO(u4_64, M "m16n8k64.row.col.s32.u4.s4.s32", int, "r", Kind::bytes)
FOUR_FOUR_TWO(b1_256, M "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", int, "r", Kind::bits)
FOUR_FOUR_TWO(b1_256_and, M "m16n8k256.row.col.s32.b1.b1.s32.and.popc", int, "r", Kind::bits)
FOUR_TWO_ONE(half_8, M "m16n8k8.row.col.f32.f16.f16.f32", float, "f", Kind::half)
FOUR_TWO_ONE(brain_8, M "m16n8k8.row.col.f32.bf16.bf16.f32", float, "f", Kind::brain)
FOUR_TWO_ONE(tf32_4, M "m16n8k4.row.col.f32.tf32.tf32.f32", float, "f", Kind::tf32)
FOUR_TWO_ONE(s8_16, M "m16n8k16.row.col.s32.s8.s8.s32", int, "r", Kind::bytes)
FOUR_TWO_ONE(s8_u8_16, M "m16n8k16.row.col.s32.s8.u8.s32", int, "r", Kind::bytes)
FOUR_TWO_ONE(s4_32, M "m16n8k32.row.col.s32.s4.s4.s32", int, "r", Kind::bytes)
FOUR_TWO_ONE(b1_128, M "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", int, "r", Kind::bits)
TWO_ONE_ONE(s8_8816, M "m8n8k16.row.col.s32.s8.s8.s32", Kind::bytes)
TWO_ONE_ONE(u8_8816, M "m8n8k16.row.col.satfinite.s32.u8.u8.s32", Kind::bytes)
TWO_ONE_ONE(s4_8832, M "m8n8k32.row.col.s32.s4.s4.s32", Kind::bytes)
TWO_ONE_ONE(b1_88128, M "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", Kind::bits)

__global__ void half_accumulators(unsigned* out) {
  unsigned a[4], b[2], d[2] = {filled<Kind::half>(6), filled<Kind::half>(7)};
  for (int k = 0; k < 4; ++k) a[k] = filled<Kind::half>(k);
  for (int k = 0; k < 2; ++k) b[k] = filled<Kind::half>(k + 4);
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  out[threadIdx.x * 4] = d[0], out[threadIdx.x * 4 + 1] = d[1];
}
__global__ void doubles(double* out) {
  const int t = threadIdx.x;
  const auto x = [t](int k) { return corpus::scramble(t * 32 + k) % 17 - 8.0; };
  double d[4] = {1, 2, 3, 4.0 * t};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(x(0)), "d"(x(1)));
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(x(2)), "d"(x(3)), "d"(x(4)));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(x(5)), "d"(x(6)), "d"(x(7)), "d"(x(8)), "d"(x(9)), "d"(x(10)));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(x(11)), "d"(x(12)), "d"(x(13)), "d"(x(14)), "d"(x(15)), "d"(x(16)), "d"(x(17)),
        "d"(x(18)), "d"(x(19)), "d"(x(20)), "d"(x(21)), "d"(x(22)));
  for (int k = 0; k < 4; ++k) out[t * 4 + k] = d[k];
}
__global__ void fragments(unsigned short* out) {
  __shared__ __align__(16) unsigned short tile[4 * 64], stored[4 * 64];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) tile[i] = static_cast<unsigned short>(corpus::scramble(i));
  __syncwarp();
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile + t * 8));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(stored + (t ^ 5) * 8));
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
  for (unsigned& x : r)
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(x) : "r"(x));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
  __syncwarp();
  unsigned two[2], one;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(two[0]), "=r"(two[1])
               : "r"(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(one) : "r"(from));
  for (int i = t; i < 256; i += 32) out[i] = stored[i];
  out[256 + t] = static_cast<unsigned short>(two[0] + two[1] * 3 + one * 5);
}

template <typename T>
void run(const char* name, void (*kernel)(T*), int words = 4) {
  Buffer<T> out(32 * words);
  corpus::doing = name;
  kernel<<<1, 32>>>(out.get());
  corpus::check(cudaGetLastError());
  corpus::check(cudaDeviceSynchronize());
  corpus::show(name, out.read());
}
#define SHOW(name) run(#name, name)

int main() {
  SHOW(half_16), SHOW(brain_16), SHOW(tf32_8), SHOW(s8_32), SHOW(u8_32), SHOW(mixed_32);
  SHOW(half_8), SHOW(brain_8), SHOW(tf32_4), SHOW(s8_16), SHOW(s8_u8_16);
  SHOW(s8_8816), SHOW(u8_8816), SHOW(half_accumulators), SHOW(doubles);
  run("fragments", fragments, 9);
  SHOW(s4_64), SHOW(u4_64), SHOW(s4_32), SHOW(s4_8832);
  SHOW(b1_256), SHOW(b1_256_and), SHOW(b1_128), SHOW(b1_88128);
  return 0;
}
