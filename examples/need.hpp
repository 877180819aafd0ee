// SPDX-License-Identifier: Apache-2.0
// NEED(call): ends the program with a sentence if a CUDA call fails. Enough for an example.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define NEED(call)                                                                        \
  do {                                                                                    \
    if (const CUresult need_result = (call); need_result != CUDA_SUCCESS) {               \
      const char* need_name = "an error without a name";                                  \
      cuGetErrorName(need_result, &need_name);                                            \
      std::fprintf(stderr, "%s:%d: %s gives %s\n", __FILE__, __LINE__, #call, need_name); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)
