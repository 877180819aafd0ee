// SPDX-License-Identifier: Apache-2.0
// The symbols of the table that have no body: one stub for each NONE row, one zero object for each
// OBJECT row.
//
// This file must not include <cuda.h>: a stub has no parameters, although its callers pass some. On
// x86-64 and AArch64 the caller clears the stack, so this is safe.
#include "api/driver/stub.hpp"

#define SECTION(title, file, reason)
#define FULL(name, suffix, since, needs)
#define PARTIAL(name, suffix, since, needs, reason)
#define NONE(name, suffix, since, needs, ...)                                         \
  extern "C" __attribute__((visibility("default"))) int name##suffix() {              \
    return cuvette::driver::refuse(#name #suffix, cuvette::driver::StubNeeds::needs); \
  }
#define OBJECT(name, bytes)                                                       \
  extern "C" __attribute__((visibility("default"), aligned(8))) char name[bytes]; \
  char name[bytes] = {};
#include "api/driver/functions.def"
