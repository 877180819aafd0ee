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

int main() {
  const int sizes[][2] = {{32, 32}, {45, 70}, {1, 33}, {97, 31}};
  for (const auto [width, height] : sizes) {
    const int count = width * height;
    std::vector<float> numbers(count), found(count);
    std::iota(numbers.begin(), numbers.end(), 1.0f);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));

    float *in, *out;
    CHECK(cudaMalloc(&in, count * sizeof(float)));
    CHECK(cudaMalloc(&out, count * sizeof(float)));
    CHECK(cudaMemcpy(in, numbers.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, count * sizeof(float)));
    transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 32)>>>(out, in, width,
                                                                             height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    CHECK(cudaFree(in));

    int wrong = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const float expected = numbers[y * width + x], got = found[x * height + y];
        if (got == expected) continue;
        if (++wrong <= 3)
          std::printf("%d x %d, element (%d, %d): expected %g, got %g\n", width, height, x, y,
                      expected, got);
      }
    }
    if (wrong) return 1;
  }
  std::printf("All matrices are transposed.\n");
}
