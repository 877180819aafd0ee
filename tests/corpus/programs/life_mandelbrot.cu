// SPDX-License-Identifier: Apache-2.0
// The Game of Life on a torus, and the Mandelbrot set in float and in double.
#include "../corpus.hpp"

__global__ void life(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) n += in[(y + dy + h) % h * w + (x + dx + w) % w];
  out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}

template <typename T>
__global__ void mandelbrot(unsigned short* out, int w, int h, T left, T top, T step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const T cx = left + x * step, cy = top + y * step;
  T zx = 0, zy = 0;
  int i = 0;
  for (; i < 100 && zx * zx + zy * zy < 4; ++i) {
    const T t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy, zx = t;
  }
  out[y * w + x] = static_cast<unsigned short>(i);
}

int main() {
  const int w = 70, h = 50;
  std::vector<unsigned char> cells(w * h);
  for (int i = 0; i < w * h; ++i) cells[i] = corpus::scramble(i) % 3 == 0;
  Buffer<unsigned char> a(cells), b(w * h);
  for (int i = 0; i < 10; ++i) {
    RUN(life<<<dim3(5, 7), dim3(16, 8)>>>(a, b, w, h));
    RUN(life<<<dim3(3, 13), dim3(24, 4)>>>(b, a, w, h));
  }
  int alive = 0;
  for (unsigned char c : a.read()) alive += c;
  printf("%d alive, %016llx\n", alive, corpus::digest(a.read()));
  Buffer<unsigned short> image(64 * 48);
  RUN(mandelbrot<float><<<dim3(4, 3), dim3(16, 16)>>>(image, 64, 48, -2.0f, -1.5f, 0.0625f));
  corpus::show("float", image.read());
  RUN(mandelbrot<double><<<dim3(2, 12), dim3(32, 4)>>>(image, 64, 48, -0.75, 0.0625, 0.0009765625));
  corpus::show("double", image.read());
  return 0;
}
