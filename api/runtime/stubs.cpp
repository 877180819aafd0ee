// SPDX-License-Identifier: Apache-2.0
// The symbols of the table that have no body: one stub for each NONE row.
//
// This file must not include <cuda_runtime_api.h>: a stub has no parameters, although its callers
// pass some. On x86-64 and AArch64 the caller clears the stack, so this is safe.
#include "api/runtime/abi.hpp"
#include "api/runtime/stub.hpp"
#include "api/runtime/support_table.hpp"

#define SECTION(title, file)
#define FULL(name, abi)
#define PARTIAL(name, abi, reason)
#define NONE(name, abi, reason)                                                    \
  CUVETTE_ROW_##abi(extern "C" __attribute__((visibility("default"))) int name() { \
    using namespace cuvette::runtime;                                              \
    return refuse(#name, reason);                                                  \
  })
#include "api/runtime/functions.def"
