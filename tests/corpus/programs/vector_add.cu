// SPDX-License-Identifier: Apache-2.0
// Everybody's first program: a grid-stride loop over more elements than threads.
#include "../corpus.hpp"

__global__ void add(const float* a, const float* b, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i] + b[i];
}

__global__ void saxpy(float a, const float4* x, float4* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = y[i];
  const float4 w = x[i];
  v.x += a * w.x, v.y += a * w.y, v.z += a * w.z, v.w += a * w.w;
  y[i] = v;
}

int main() {
  const int n = 10001;
  Buffer<float> a(corpus::floats(n, 1)), b(corpus::floats(n, 2)), c(n);
  RUN(add<<<7, 192>>>(a, b, c, n));
  corpus::show("sum", c.read());
  RUN(saxpy<<<10, 256>>>(2.5f, reinterpret_cast<float4*>(a.get()),
                         reinterpret_cast<float4*>(c.get()), n / 4));
  corpus::show("saxpy", c.read());
  return 0;
}
