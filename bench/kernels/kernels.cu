// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels_bench. kernels.ptx is what nvcc 13 makes of them:
//
//     nvcc -ptx -arch=compute_80 kernels.cu -o kernels.ptx
#include <cuda_runtime.h>

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

extern "C" __global__ void stencil(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] +
                                  in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

template <int tile>
__device__ void multiply(const float* a, const float* b, float* product, int n) {
  __shared__ float tile_of_a[tile][tile], tile_of_b[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;
  for (int t = 0; t < n / tile; ++t) {
    tile_of_a[y][x] = a[row * n + t * tile + x];
    tile_of_b[y][x] = b[(t * tile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += tile_of_a[y][k] * tile_of_b[k][x];
    __syncthreads();
  }
  product[row * n + column] = sum;
}

extern "C" __global__ void matmul16(const float* a, const float* b, float* product, int n) {
  multiply<16>(a, b, product, n);
}

extern "C" __global__ void matmul32(const float* a, const float* b, float* product, int n) {
  multiply<32>(a, b, product, n);
}

__device__ float sum_of_warp(float value) {
  for (int offset = 16; offset > 0; offset >>= 1)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

extern "C" __global__ void reduce(const float* in, float* sums, int n) {
  __shared__ float of_warps[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = sum_of_warp(sum);
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (lane == 0) of_warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = sum_of_warp(lane < (blockDim.x >> 5) ? of_warps[lane] : 0.f);
    if (lane == 0) sums[blockIdx.x] = sum;
  }
}

extern "C" __global__ void nbody(const float4* bodies, float4* accelerations, int n) {
  __shared__ float4 some[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    some[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; ++j) {
      const float4 other = some[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = other.w * inverse * inverse * inverse;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(ax, ay, az, 0.f);
}

extern "C" __global__ void mandelbrot(int* steps, int width, int height, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  const float cx = -2.f + 3.f * px / width, cy = -1.25f + 2.5f * py / height;
  float x = 0, y = 0;
  int i = 0;
  while (x * x + y * y < 4.f && i < most) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++i;
  }
  steps[py * width + px] = i;
}

extern "C" __global__ void histogram(const unsigned* in, unsigned* counts, int n) {
  __shared__ unsigned of_block[256];
  of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned value = in[i];
    atomicAdd(&of_block[value & 255], 1u);
    atomicAdd(&of_block[(value >> 8) & 255], 1u);
    atomicAdd(&of_block[(value >> 16) & 255], 1u);
    atomicAdd(&of_block[value >> 24], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

extern "C" __global__ void stride5(const float* in, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 5; ++k) sum += in[i * 5 + k];
  sums[i] = sum;
}

extern "C" __global__ void gather(const int* indices, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[indices[i]];
}

extern "C" __global__ void count_bytes(const unsigned* in, unsigned* counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned value = in[i];
    atomicAdd(&counts[value & 255], 1u);
    atomicAdd(&counts[(value >> 8) & 255], 1u);
    atomicAdd(&counts[(value >> 16) & 255], 1u);
    atomicAdd(&counts[value >> 24], 1u);
  }
}

extern "C" __global__ void scatter_add(const int* indices, const float* in, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[indices[i]], in[i]);
}
