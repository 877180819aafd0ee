// SPDX-License-Identifier: Apache-2.0
// Calls CUB's device-wide functions twice: once for the size of the memory that they need, and once
// to run.
#pragma once

#include "corpus.hpp"

#define CUB(function, ...)                                       \
  do {                                                           \
    size_t bytes_ = 0;                                           \
    corpus::doing = #function;                                   \
    corpus::check(function(nullptr, bytes_, __VA_ARGS__));       \
    Buffer<char> memory_(bytes_ + 1);                            \
    corpus::check(function(memory_.get(), bytes_, __VA_ARGS__)); \
    corpus::check(cudaDeviceSynchronize());                      \
  } while (0)
