// SPDX-License-Identifier: Apache-2.0
// What the files of the suite runtime_questions share. The suite asks libcudart.so.12 and
// libcudart.so.13 alike.
#pragma once

#include <sstream>
#include <thread>

#include "runtime.hpp"
#include "survive.hpp"

// What CUDA 13 renamed.
#if CUDART_VERSION < 13000
#undef cuCtxCreate
#define cuCtxCreate cuCtxCreate_v4
#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#undef cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#endif

namespace conformance {

template <typename... Parts>
std::string text(Parts... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <typename Body>
void elsewhere(Body body) {
  std::thread(body).join();
}

// An address that no function of CUDA has given out. What it points to is zero.
alignas(16) inline char nothing[4096];
template <typename Handle>
Handle fake() {
  return reinterpret_cast<Handle>(nothing);
}

inline char bytes[65536];

// An error that means nothing but that it was the last one.
inline void leave_an_error() { cudaSetDevice(99); }

// Says what a call gave, and the last error where that is another one; or that the call crashed.
template <typename Call>
void try_to_survive(const char* question, Call call) {
  cudaError_t result = cudaSuccess;
  survive(question, [&] {
    result = call();
    std::string answer = cudaGetErrorName(result);
    const cudaError_t last = cudaGetLastError();
    if (last != result) answer += std::string(", last error ") + cudaGetErrorName(last);
    static std::string kept;
    kept = answer;
    return kept.c_str();
  });
}

}  // namespace conformance

// TRY and TOLD (with a question of its own) go on after a call that crashes.
#undef TRY
#define TRY(call) conformance::try_to_survive(#call, [&]() -> cudaError_t { return call; })
#define TOLD(call, ...)                                               \
  conformance::try_to_survive(conformance::text(__VA_ARGS__).c_str(), \
                              [&]() -> cudaError_t { return call; })
