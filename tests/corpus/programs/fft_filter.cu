// SPDX-License-Identifier: Apache-2.0
// A fast Fourier transform in shared memory and back, a separable filter, Jacobi's iteration.
#include "../corpus.hpp"

__global__ void fft(float2* data, const float2* roots, int inverse) {
  __shared__ float2 s[256];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 128) s[__brev(i) >> 24] = data[blockIdx.x * 256 + i];
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    const int k = t % half, i = t / half * 2 * half + k;
    float2 w = roots[k * (128 / half)];
    if (inverse) w.y = -w.y;
    const float2 a = s[i], b = s[i + half],
                 p = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    s[i] = make_float2(a.x + p.x, a.y + p.y), s[i + half] = make_float2(a.x - p.x, a.y - p.y);
  }
  __syncthreads();
  for (int i = t; i < 256; i += 128)
    data[blockIdx.x * 256 + i] = inverse ? make_float2(s[i].x / 256, s[i].y / 256) : s[i];
}

__global__ void jacobi(const float* in, float* out, float* residual, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
            y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  float difference = 0;
  if (x < n - 1 && y < n - 1) {
    const float v =
        0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
    difference = fabsf(v - in[y * n + x]);
    out[y * n + x] = v;
  }
  for (int d = 16; d; d /= 2) difference = fmaxf(difference, __shfl_xor_sync(~0u, difference, d));
  if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0)
    atomicMax(reinterpret_cast<int*>(residual), __float_as_int(difference));
}

int main() {
  std::vector<float2> signal(512), roots(128);
  const auto f = corpus::floats(1024);
  for (int i = 0; i < 512; ++i) signal[i] = make_float2(f[i], f[i + 512]);
  for (int i = 0; i < 128; ++i)
    roots[i] = make_float2(static_cast<float>(cos(-6.283185307179586 * i / 256)),
                           static_cast<float>(sin(-6.283185307179586 * i / 256)));
  Buffer<float2> data(signal), w(roots);
  RUN(fft<<<2, 128>>>(data, w, 0));
  auto out = data.read();
  for (int i : {0, 1, 100, 256, 511}) printf("%.3f %.3f | ", out[i].x, out[i].y);
  RUN(fft<<<2, 128>>>(data, w, 1));
  out = data.read();
  float worst = 0;
  for (int i = 0; i < 512; ++i)
    worst = fmaxf(worst, fabsf(out[i].x - signal[i].x) + fabsf(out[i].y - signal[i].y));
  printf("and back: %s\n", worst < 1e-4f ? "the same" : "another signal");
  const int n = 50;
  std::vector<float> plate(n * n);
  for (int i = 0; i < n; ++i) plate[i] = 1, plate[i * n] = 0.5f;
  Buffer<float> a(plate), b(plate), residual(1);
  for (int i = 0; i < 50; ++i) {
    residual.write({0});
    RUN(jacobi<<<dim3(3, 6), dim3(16, 8)>>>(i % 2 ? b : a, i % 2 ? a : b, residual, n));
  }
  printf("%.6f %.6f %.6f\n", a(5 * n + 5), a(25 * n + 25), residual(0));
  return 0;
}
