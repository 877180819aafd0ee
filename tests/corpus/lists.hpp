// SPDX-License-Identifier: Apache-2.0
// Kernels that are lists of expressions: each is evaluated at many places and printed with its
// number.
#pragma once

#include <cmath>

#include "corpus.hpp"

namespace corpus {

// Writes the values for one place, `count` elements apart.
template <typename T>
struct Put {
  T* at;
  int count;
  int* lines;
  __device__ Put(T* out, int* number, int place, int places)
      : at(out + place), count(places), lines(place == 0 ? number : nullptr) {}
  __device__ void operator()(T value) {
    *at = value, at += count;
    if (lines) ++*lines;
  }
};

constexpr int most_lines = 256;

template <typename Out, typename In, typename Show>
void list(const char* name, void (*kernel)(const In*, Out*, int, int*),
          const std::vector<In>& places, const Show& show) {
  const int n = static_cast<int>(places.size());
  Buffer<In> in(places);
  Buffer<Out> out(places.size() * most_lines);
  Buffer<int> lines(1);
  doing = name;
  kernel<<<(n + 63) / 64, 64>>>(in.get(), out.get(), n, lines.get());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const auto all = out.read();
  for (int k = 0; k < lines(0); ++k) {
    printf("%s %d:", name, k);
    show(std::vector<Out>(all.begin() + k * n, all.begin() + (k + 1) * n));
  }
}

template <typename T>
void show_digest(const std::vector<T>& line) {
  printf(" %016llx\n", digest(line));
}

// Prints as many digits of each value as all correct results share.
template <int digits>
struct ShowDigits {
  template <typename T>
  void operator()(const std::vector<T>& line) const {
    for (T v : line) {
      if (std::isnan(v))
        printf(" nan");
      else
        printf(" %.*e", digits, static_cast<double>(v));
    }
    printf("\n");
  }
};

}  // namespace corpus

// A kernel whose body is a list of PUT(...) of x, y and z: the place's number and those of two
// others.
#define LIST(name, In, Out, ...)                                                 \
  __global__ void name(const In* in, Out* out, int n, int* lines) {              \
    const int place_ = blockIdx.x * blockDim.x + threadIdx.x;                    \
    if (place_ >= n) return;                                                     \
    const In x = in[place_], y = in[(place_ + 1) % n], z = in[(place_ + 7) % n]; \
    (void)y, (void)z;                                                            \
    corpus::Put<Out> put_(out, lines, place_, n);                                \
    __VA_ARGS__                                                                  \
  }
