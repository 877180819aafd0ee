// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels_bench in OpenCL: the same work, the same blocks, the same arguments.

__kernel void saxpy(float a, __global const float* x, __global float* y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel void add(__global const float* a, __global const float* b, __global float* sum, int n) {
  const int i = get_global_id(0);
  if (i < n) sum[i] = a[i] + b[i];
}

__kernel void stencil(__global const float* in, __global float* out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] +
                                  in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

#define MATMUL(NAME, TILE)                                                               \
  __kernel void NAME(__global const float* a, __global const float* b,                   \
                     __global float* product, int n) {                                   \
    __local float tile_of_a[TILE][TILE], tile_of_b[TILE][TILE];                          \
    const int x = get_local_id(0), y = get_local_id(1);                                  \
    const int row = get_group_id(1) * TILE + y, column = get_group_id(0) * TILE + x;     \
    float sum = 0;                                                                       \
    for (int t = 0; t < n / TILE; ++t) {                                                 \
      tile_of_a[y][x] = a[row * n + t * TILE + x];                                       \
      tile_of_b[y][x] = b[(t * TILE + y) * n + column];                                  \
      barrier(CLK_LOCAL_MEM_FENCE);                                                      \
      for (int k = 0; k < TILE; ++k) sum += tile_of_a[y][k] * tile_of_b[k][x];           \
      barrier(CLK_LOCAL_MEM_FENCE);                                                      \
    }                                                                                    \
    product[row * n + column] = sum;                                                     \
  }
MATMUL(matmul16, 16)
MATMUL(matmul32, 32)

// OpenCL 1.2 has no shuffles: a tree in local memory.
__kernel void reduce(__global const float* in, __global float* sums, int n) {
  __local float partial[256];
  const int thread = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  partial[thread] = sum;
  for (int half_size = 128; half_size > 0; half_size >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < half_size) partial[thread] += partial[thread + half_size];
  }
  if (thread == 0) sums[get_group_id(0)] = partial[0];
}

__kernel void nbody(__global const float4* bodies, __global float4* accelerations, int n) {
  __local float4 some[256];
  const int i = get_global_id(0), thread = get_local_id(0);
  const float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    some[thread] = bodies[t + thread];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 256; ++j) {
      const float4 other = some[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = other.w * inverse * inverse * inverse;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  accelerations[i] = (float4)(ax, ay, az, 0.f);
}

__kernel void mandelbrot(__global int* steps, int width, int height, int most) {
  const int px = get_global_id(0), py = get_global_id(1);
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

__kernel void histogram(__global const uint* in, __global uint* counts, int n) {
  __local uint of_block[256];
  const int thread = get_local_id(0);
  of_block[thread] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    const uint value = in[i];
    atomic_inc(&of_block[value & 255]);
    atomic_inc(&of_block[(value >> 8) & 255]);
    atomic_inc(&of_block[(value >> 16) & 255]);
    atomic_inc(&of_block[value >> 24]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[thread], of_block[thread]);
}

__kernel void stride5(__global const float* in, __global float* sums, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 5; ++k) sum += in[i * 5 + k];
  sums[i] = sum;
}

__kernel void gather(__global const int* indices, __global const float* in, __global float* out,
                     int n) {
  const int i = get_global_id(0);
  if (i < n) out[i] = in[indices[i]];
}

__kernel void count_bytes(__global const uint* in, __global uint* counts, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    const uint value = in[i];
    atomic_inc(&counts[value & 255]);
    atomic_inc(&counts[(value >> 8) & 255]);
    atomic_inc(&counts[(value >> 16) & 255]);
    atomic_inc(&counts[value >> 24]);
  }
}

// Without an atomic sum of floats a loop that compares.
__kernel void scatter_add(__global const int* indices, __global const float* in,
                          __global float* sums, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  volatile __global int* place = (volatile __global int*)&sums[indices[i]];
  int seen = *place, before;
  do {
    before = seen;
    seen = atomic_cmpxchg(place, before, as_int(as_float(before) + in[i]));
  } while (seen != before);
}
