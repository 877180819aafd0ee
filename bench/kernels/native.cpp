// SPDX-License-Identifier: Apache-2.0
// Compiled three times, with CUVETTE_NATIVE as the name of what comes out.
#include "bench/kernels/native.hpp"

#include <cmath>

namespace cuvette::bench {
namespace {

void saxpy(float a, const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void add(const float* a, const float* b, float* sum, int n) {
  for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i];
}

void stencil(const float* in, float* out, int width, int height) {
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x)
      out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] +
                                    in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

void matmul(const float* a, const float* b, float* product, int n) {
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) product[row * n + column] = 0;
    for (int k = 0; k < n; ++k)
      for (int column = 0; column < n; ++column)
        product[row * n + column] += a[row * n + k] * b[k * n + column];
  }
}

void reduce(const float* in, float* sum, int n) {
  float of_all = 0;
  for (int i = 0; i < n; ++i) of_all += in[i];
  *sum = of_all;
}

void nbody(const Body* bodies, Body* accelerations, int n) {
  for (int i = 0; i < n; ++i) {
    const Body me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
      const Body other = bodies[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = 1.f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = other.w * inverse * inverse * inverse;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    accelerations[i] = {ax, ay, az, 0};
  }
}

void mandelbrot(int* steps, int width, int height, int most) {
  for (int py = 0; py < height; ++py)
    for (int px = 0; px < width; ++px) {
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
}

void histogram(const unsigned* in, unsigned* counts, int n) {
  for (int i = 0; i < n; ++i) {
    const unsigned value = in[i];
    ++counts[value & 255];
    ++counts[(value >> 8) & 255];
    ++counts[(value >> 16) & 255];
    ++counts[value >> 24];
  }
}

void stride5(const float* in, float* sums, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += in[i * 5 + k];
    sums[i] = sum;
  }
}

void gather(const int* indices, const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[indices[i]];
}

void scatter_add(const int* indices, const float* in, float* sums, int n) {
  for (int i = 0; i < n; ++i) sums[indices[i]] += in[i];
}

}  // namespace

const NativeLoops CUVETTE_NATIVE = {saxpy,      add,       stencil, matmul, reduce,     nbody,
                                    mandelbrot, histogram, stride5, gather, scatter_add};

}  // namespace cuvette::bench
