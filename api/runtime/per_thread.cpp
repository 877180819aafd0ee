// SPDX-License-Identifier: Apache-2.0
// The twins: each makes the null stream mean the calling thread's own and calls the function of its
// row.
#include "api/runtime/cuda_runtime.hpp"

#include "api/runtime/abi.hpp"
#include "api/runtime/call_site.hpp"
#include "api/runtime/stub.hpp"
#include "api/runtime/support_table.hpp"
#include "api/runtime/thread.hpp"

using namespace cuvette::runtime;

namespace {

// While one lives, the null stream means the calling thread's own.
class PerThreadDefaultStream {
 public:
  PerThreadDefaultStream() : before_(Thread::current().null_stream_is_own) {
    Thread::current().null_stream_is_own = true;
  }
  ~PerThreadDefaultStream() { Thread::current().null_stream_is_own = before_; }
  PerThreadDefaultStream(const PerThreadDefaultStream&) = delete;
  PerThreadDefaultStream& operator=(const PerThreadDefaultStream&) = delete;

 private:
  bool before_;
};

// The facts that a twin needs from its row: a stub is not called, so that the message names the
// twin.
struct Row {
  bool has_body;
  const char* reason;
};

#define SECTION(title, file)
#define FULL(name, abi) CUVETTE_ROW_##abi([[maybe_unused]] constexpr Row row_##name{true, nullptr};)
#define PARTIAL(name, abi, reason) \
  CUVETTE_ROW_##abi([[maybe_unused]] constexpr Row row_##name{true, reason};)
#define NONE(name, abi, reason) \
  CUVETTE_ROW_##abi([[maybe_unused]] constexpr Row row_##name{false, reason};)
#include "api/runtime/functions.def"

}  // namespace

#define PER_THREAD(name, flavour, abi, parameters, arguments)                                  \
  CUVETTE_ROW_##abi(                                                                           \
      extern "C" __attribute__((visibility("default"))) cudaError_t name##flavour parameters { \
        if constexpr (row_##name.has_body) {                                                   \
          const OnBehalfOfCall program(__builtin_return_address(0));                           \
          const PerThreadDefaultStream scope;                                                  \
          return program.returns(name arguments);                                              \
        } else {                                                                               \
          return static_cast<cudaError_t>(refuse(#name #flavour, row_##name.reason));          \
        }                                                                                      \
      })
#include "api/runtime/per_thread.def"
