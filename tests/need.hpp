// SPDX-License-Identifier: Apache-2.0
// What programs that tests start do about calls that have to succeed.
#pragma once

#include <cstdio>
#include <cstdlib>

// Ends the program with a sentence and status 4 if a call of CUDA's fails.
#define NEED(call)                                                                     \
  do {                                                                                 \
    if (const int need_result = (call); need_result != 0) {                            \
      fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, need_result); \
      _Exit(4);                                                                        \
    }                                                                                  \
  } while (0)
