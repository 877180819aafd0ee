// SPDX-License-Identifier: Apache-2.0
// Atomic sums of floating-point numbers of every width, scalar and in vectors.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../corpus.hpp"

__global__ void sums(float* f, double* d, __half* h, __half2* h2, __nv_bfloat16* b,
                     __nv_bfloat162* b2) {
  __shared__ float fs;
  __shared__ double ds;
  __shared__ __half2 hs;
  const int t = threadIdx.x;
  if (t == 0) fs = 0, ds = 0, hs = __float2half2_rn(0);
  __syncthreads();
  atomicAdd(&f[t % 3], 0.25f * (t % 8));
  atomicAdd(&d[t % 5], 0.125 * t);
  atomicAdd(&h[t % 4], __float2half(t % 3));
  atomicAdd(&h2[t % 2], __floats2half2_rn(1, t % 2));
  atomicAdd(&b[t % 2], __float2bfloat16(1));
  atomicAdd(&b2[0], __floats2bfloat162_rn(1, 2));
  atomicAdd(&fs, 1.5f);
  atomicAdd(&ds, 2.5);
  atomicAdd(&hs, __floats2half2_rn(1, 0.5f));
  __syncthreads();
  if (t == 0) atomicAdd(&f[3], fs), atomicAdd(&d[5], ds), atomicAdd(&h2[2], hs);
  atomicExch(&f[8 + t % 32], atomicExch(&f[4], 7.5f) * 0);
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
__global__ void vectors(float2* two, float4* four) {
  atomicAdd(&two[threadIdx.x % 2], make_float2(1, 0.5f));
  atomicAdd(four, make_float4(1, 2, 3, threadIdx.x));
}
#endif

int main() {
  Buffer<float> f(64), v(16);
  Buffer<double> d(8);
  Buffer<__half> h(4);
  Buffer<__half2> h2(4);
  Buffer<__nv_bfloat16> b(2);
  Buffer<__nv_bfloat162> b2(1);
  RUN(sums<<<2, 64>>>(f, d, h, h2, b, b2));
  corpus::show("float", f.read());
  corpus::show("double", d.read());
  for (auto x : h.read()) printf("%g ", __half2float(x));
  for (auto x : h2.read()) printf("(%g %g) ", __low2float(x), __high2float(x));
  for (auto x : b.read()) printf("%g ", __bfloat162float(x));
  printf("(%g %g)\n", __bfloat162float(b2(0).x), __bfloat162float(b2(0).y));
  RUN(vectors<<<2, 64>>>(reinterpret_cast<float2*>(v.get()),
                         reinterpret_cast<float4*>(v.get() + 8)));
  corpus::show("vectors", v.read(), 16);
  return 0;
}
