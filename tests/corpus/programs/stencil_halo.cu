// SPDX-License-Identifier: Apache-2.0
// Stencils: one-dimensional with a halo in shared memory, and three-dimensional with seven points.
#include "../corpus.hpp"

constexpr int radius = 3;
__constant__ float weights[radius + 1];

__global__ void line(const float* in, float* out, int n) {
  __shared__ float row[128 + 2 * radius];
  const int i = blockIdx.x * 128 + threadIdx.x, at = threadIdx.x + radius;
  row[at] = i < n ? in[i] : 0;
  if (threadIdx.x < radius) {
    row[at - radius] = i >= radius ? in[i - radius] : 0;
    row[at + 128] = i + 128 < n ? in[i + 128] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = weights[0] * row[at];
  for (int r = 1; r <= radius; ++r) sum += weights[r] * (row[at - r] + row[at + r]);
  out[i] = sum;
}

__global__ void box(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  float below = in[y * nx + x], here = in[(ny + y) * nx + x];
  for (int z = 1; z < nz - 1; ++z) {
    const int i = (z * ny + y) * nx + x;
    const float above = in[i + nx * ny];
    out[i] = here * -6 + below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx];
    below = here, here = above;
  }
}

int main() {
  const float host[radius + 1] = {0.5f, 0.25f, 0.125f, 0.0625f};
  CHECK(cudaMemcpyToSymbol(weights, host, sizeof host));
  Buffer<float> in(corpus::floats(1000)), out(1000);
  RUN(line<<<8, 128>>>(in, out, 1000));
  corpus::show("line", out.read());
  const int nx = 37, ny = 21, nz = 9;
  Buffer<float> a(corpus::floats(nx * ny * nz)), b(nx * ny * nz);
  for (int step = 0; step < 3; ++step) {
    RUN(box<<<dim3(3, 3), dim3(16, 8)>>>(a, b, nx, ny, nz));
    RUN(box<<<dim3(2, 6), dim3(32, 4)>>>(b, a, nx, ny, nz));
  }
  const auto result = a.read();
  corpus::show("box",
               std::vector<float>(result.begin() + nx * ny * 4 + nx * 10 + 10, result.end()));
  return 0;
}
