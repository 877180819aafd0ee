// SPDX-License-Identifier: Apache-2.0
// For programs that tests start: ends them at the first call that fails.
#pragma once

#include <cstdio>
#include <cstdlib>

// Ends the program with a message and status 4 if a CUDA call fails.
#define NEED(call)                                                                     \
  do {                                                                                 \
    if (const int need_result = (call); need_result != 0) {                            \
      fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, need_result); \
      _Exit(4);                                                                        \
    }                                                                                  \
  } while (0)
