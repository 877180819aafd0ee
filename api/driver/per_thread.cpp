// SPDX-License-Identifier: Apache-2.0
// The twins: each makes the null stream mean the calling thread's own and calls the function of its
// row.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include "api/driver/call.hpp"
#include "api/driver/stub.hpp"

namespace {

using cuvette::driver::PerThreadDefaultStream;
using cuvette::driver::StubNeeds;

// The facts that a twin needs from its row. A stub is not called, so that the message names the
// twin.
struct Row {
  bool has_body;
  StubNeeds needs;
};

#define SECTION(title, file, reason)
#define FULL(name, suffix, since, needs) \
  [[maybe_unused]] constexpr Row row_##name##suffix{true, StubNeeds::needs};
#define PARTIAL(name, suffix, since, needs, reason) \
  [[maybe_unused]] constexpr Row row_##name##suffix{true, StubNeeds::needs};
#define NONE(name, suffix, since, needs, ...) \
  [[maybe_unused]] constexpr Row row_##name##suffix{false, StubNeeds::needs};
#define OBJECT(name, bytes)
#include "api/driver/functions.def"

}  // namespace

// Declares the row's function again, so that parameters that differ from the header are a compile
// error.
#define PER_THREAD(name, suffix, flavour, since, parameters, arguments)                         \
  extern "C" CUresult name##suffix parameters;                                                  \
  extern "C" __attribute__((visibility("default"))) CUresult name##suffix##flavour parameters { \
    if constexpr (row_##name##suffix.has_body) {                                                \
      PerThreadDefaultStream scope;                                                             \
      return name##suffix arguments;                                                            \
    } else {                                                                                    \
      return static_cast<CUresult>(                                                             \
          cuvette::driver::refuse(#name #suffix #flavour, row_##name##suffix.needs));           \
    }                                                                                           \
  }
#include "api/driver/per_thread.def"
