// SPDX-License-Identifier: Apache-2.0
// The same work as plain loops over arrays, as one would write them without a GPU, once for each
// set of vector units.
#pragma once

namespace cuvette::bench {

struct Body {
  float x, y, z, w;
};

// In the order of their arguments in kernels.cu.
struct NativeLoops {
  void (*saxpy)(float a, const float* x, float* y, int n);
  void (*add)(const float* a, const float* b, float* sum, int n);
  void (*stencil)(const float* in, float* out, int width, int height);
  void (*matmul)(const float* a, const float* b, float* product, int n);
  void (*reduce)(const float* in, float* sum, int n);
  void (*nbody)(const Body* bodies, Body* accelerations, int n);
  void (*mandelbrot)(int* steps, int width, int height, int most);
  void (*histogram)(const unsigned* in, unsigned* counts, int n);
  void (*stride5)(const float* in, float* sums, int n);
  void (*gather)(const int* indices, const float* in, float* out, int n);
  void (*scatter_add)(const int* indices, const float* in, float* sums, int n);
};

extern const NativeLoops native_sse, native_avx2, native_avx512;

}  // namespace cuvette::bench
