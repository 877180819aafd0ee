// SPDX-License-Identifier: Apache-2.0
// Bodies that attract each other, with positions in tiles of shared memory.
#include "../corpus.hpp"

__global__ void step(const float4* in, float4* velocity, float4* out, int n, float dt) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = in[i];
  float3 force = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += blockDim.x) {
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < blockDim.x; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float d = dx * dx + dy * dy + dz * dz + 0.01f;
      const float s = other.w / (d * sqrtf(d));
      force.x += dx * s, force.y += dy * s, force.z += dz * s;
    }
    __syncthreads();
  }
  float4 v = velocity[i];
  v.x += dt * force.x, v.y += dt * force.y, v.z += dt * force.z;
  velocity[i] = v;
  out[i] = make_float4(me.x + dt * v.x, me.y + dt * v.y, me.z + dt * v.z, me.w);
}

int main() {
  const int n = 512;
  std::vector<float4> bodies(n);
  const auto f = corpus::floats(3 * n);
  for (int i = 0; i < n; ++i)
    bodies[i] = make_float4(f[3 * i], f[3 * i + 1], f[3 * i + 2], 1.0f + i % 3);
  Buffer<float4> a(bodies), b(n), v(n);
  for (int i = 0; i < 4; ++i)
    RUN(step<<<4, 128, 128 * sizeof(float4)>>>(i % 2 ? b : a, v, i % 2 ? a : b, n, 0.001f));
  const auto result = a.read();
  for (int i : {0, 1, 77, 300, 511})
    printf("%.4f %.4f %.4f %.1f\n", result[i].x, result[i].y, result[i].z, result[i].w);
  return 0;
}
