// SPDX-License-Identifier: Apache-2.0
// libnvcuvid.so.1: every function answers CUDA_ERROR_NOT_SUPPORTED. They are declared without
// parameters, which they do not look at.
#include "api/video/refusal.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int not_supported = 801;  // CUDA_ERROR_NOT_SUPPORTED

int refuse(const char* name, std::atomic<bool>& said) {
  cuvette::video::refuse(name, said);
  return not_supported;
}

}  // namespace

#define DECODER(name)                               \
  EXPORT int name() {                               \
    static constinit std::atomic<bool> said{false}; \
    return refuse(#name, said);                     \
  }
#include "api/video/decoder_functions.def"
#undef DECODER

// Returns a state, not an error code: without a source, the error state.
EXPORT int cuvidGetVideoSourceState() {
  constexpr int state_error = -1;
  static constinit std::atomic<bool> said{false};
  cuvette::video::refuse("cuvidGetVideoSourceState", said);
  return state_error;
}
