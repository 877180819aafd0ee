// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include EXERCISE

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

// The number of wrong pixels; the first three are printed.
int wrong_pixels(int width, int height) {
  const int count = width * height;
  std::vector<float> picture(count), found(count);
  std::iota(picture.begin(), picture.end(), 1.0f);  // no two are equal
  std::shuffle(picture.begin(), picture.end(), std::mt19937(count));

  float *in, *out;
  CHECK(cudaMalloc(&in, count * sizeof(float)));
  CHECK(cudaMalloc(&out, count * sizeof(float)));
  CHECK(cudaMemcpy(in, picture.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, count * sizeof(float)));
  const dim3 block(32, 8);
  mirror<<<dim3((width + 31) / 32, (height + 7) / 8), block>>>(out, in, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  CHECK(cudaFree(in));

  int wrong = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float expected = picture[y * width + (width - 1 - x)];
      if (found[y * width + x] == expected) continue;
      if (++wrong <= 3)
        std::printf("%d x %d, pixel (%d, %d): expected %g, got %g\n", width, height, x, y, expected,
                    found[y * width + x]);
    }
  }
  return wrong;
}

int main() {
  const int sizes[][2] = {{70, 45}, {1, 9}, {33, 7}, {64, 8}, {100, 203}};
  for (const auto [width, height] : sizes) {
    if (const int wrong = wrong_pixels(width, height)) {
      std::printf("%d x %d: %d of %d pixels are wrong.\n", width, height, wrong, width * height);
      return 1;
    }
  }
  std::printf("All pictures are mirrored.\n");
}
