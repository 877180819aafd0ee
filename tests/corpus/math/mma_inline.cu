// SPDX-License-Identifier: Apache-2.0
// Products of matrices in PTX: mma.sync for several types, with rows from ldmatrix.
#include <cuda_fp16.h>

#include "../corpus.hpp"

__global__ void half_product(const half* a, const half* b, float* c) {
  __shared__ half as[16 * 16], bs[8 * 16];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) as[i] = a[i];
  for (int i = lane; i < 128; i += 32) bs[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  const unsigned pa =
      static_cast<unsigned>(__cvta_generic_to_shared(as + lane % 16 * 16 + lane / 16 * 8));
  const unsigned pb =
      static_cast<unsigned>(__cvta_generic_to_shared(bs + lane % 8 * 16 + lane / 8 % 2 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(pb));
  float d[4] = {1, 2, 3, 4};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

__global__ void byte_product(const unsigned* a, const unsigned* b, int* c) {
  const int lane = threadIdx.x;
  int d[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[lane]), "r"(a[lane + 32]), "r"(a[lane + 64]), "r"(a[lane + 96]), "r"(b[lane]),
        "r"(b[lane + 32]));
  for (int i = 0; i < 4; ++i) c[lane * 4 + i] = d[i];
}

__global__ void double_product(const double* a, const double* b, double* c) {
  const int lane = threadIdx.x;
  double d[2] = {0.5, 0.25};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a[lane]), "d"(b[lane]));
  c[lane * 2] = d[0], c[lane * 2 + 1] = d[1];
}

int main() {
  std::vector<half> a(256), b(128);
  for (int i = 0; i < 256; ++i) a[i] = __float2half(static_cast<int>(corpus::scramble(i) % 9) - 4);
  for (int i = 0; i < 128; ++i)
    b[i] = __float2half(static_cast<int>(corpus::scramble(i + 99) % 7) - 3);
  Buffer<half> da(a), db(b);
  Buffer<float> c(128);
  RUN(half_product<<<1, 32>>>(da, db, c));
  corpus::show("half", c.read());
  std::vector<unsigned> x(128), y(64);
  for (int i = 0; i < 128; ++i) x[i] = corpus::scramble(i);
  for (int i = 0; i < 64; ++i) y[i] = corpus::scramble(i + 1234);
  Buffer<unsigned> dx(x), dy(y);
  Buffer<int> z(128);
  RUN(byte_product<<<1, 32>>>(dx, dy, z));
  corpus::show("bytes", z.read());
  std::vector<double> p(32), q(32);
  for (int i = 0; i < 32; ++i) p[i] = i * 0.5, q[i] = 3 - i * 0.25;
  Buffer<double> dp(p), dq(q), dr(64);
  RUN(double_product<<<1, 32>>>(dp, dq, dr));
  corpus::show("double", dr.read());
  return 0;
}
