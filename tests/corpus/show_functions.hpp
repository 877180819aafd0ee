// SPDX-License-Identifier: Apache-2.0
// Prints a function's values at many places, with the digits that all correct results share.
#pragma once

#include <cmath>

#include "corpus.hpp"

template <typename T, typename F>
__global__ void evaluate(const T* in, T* out, int n, F function) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = function(in[i], in[(i + 1) % n]);
}

// `digits` is the number of digits after the first one.
template <typename T, typename F>
void function(const char* name, const std::vector<T>& places, int digits, F f) {
  Buffer<T> in(places), out(places.size());
  corpus::doing = name;
  evaluate<<<(places.size() + 63) / 64, 64>>>(in.get(), out.get(), static_cast<int>(places.size()),
                                              f);
  corpus::check(cudaGetLastError());
  printf("%s:", name);
  for (const T v : out.read()) {
    if (std::isnan(v))
      printf(" nan");
    else
      printf(" %.*e", digits, static_cast<double>(v));
  }
  printf("\n");
}

#define FUNCTION(digits, places, expression)                            \
  function(#expression, places, digits, [] __device__(auto x, auto y) { \
    (void)y;                                                            \
    return expression;                                                  \
  })
