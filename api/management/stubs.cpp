// SPDX-License-Identifier: Apache-2.0
// The symbols of the table that have no body: one stub for each ABSENT and NONE row.
//
// This file must not include <nvml.h>: a stub has one parameter, although its callers may pass
// more. On x86-64 and AArch64 the first one is in a register and the caller clears the stack, so
// this is safe.
#include "api/management/stub.hpp"
#include "api/management/support_table.hpp"

using namespace cuvette::management;

#define SECTION(title, file)
#define FULL(name)
#define PARTIAL(name, reason)
#define ABSENT(name, first, reason)                                                   \
  extern "C" __attribute__((visibility("default"))) int name(const void* parameter) { \
    return lack(First::first, parameter);                                             \
  }
#define NONE(name, first, reason)                                                     \
  extern "C" __attribute__((visibility("default"))) int name(const void* parameter) { \
    return refuse(#name, reason, First::first, parameter);                            \
  }
#include "api/management/functions.def"
