// SPDX-License-Identifier: Apache-2.0
// For programs that time their own calls: TIMED(cuMemAlloc, &address, size) makes the call, and
// keeps what it took. At the program's end the times go to the file that CALL_TIMES names, one line
// for each call in its order: "cuMemAlloc 35120".
//
// These programs were not used to make any table: the estimates of `cuvette cost` are compared with
// their times on a GPU (docs/cost.md).
#pragma once

#include <cuda.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace timed {

inline double now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

class Times {
 public:
  Times() {
    calls_.reserve(1 << 16);
    std::vector<double> empty(1001);
    for (double& each : empty) {
      const double begin = now_ns();
      each = now_ns() - begin;
    }
    std::sort(empty.begin(), empty.end());
    clock_ = empty[500];
  }
  ~Times() {
    const char* const path = std::getenv("CALL_TIMES");
    FILE* const file = path ? std::fopen(path, "w") : nullptr;
    if (!file) return;
    for (const auto& [function, ns] : calls_) std::fprintf(file, "%s %.0f\n", function, ns);
    std::fclose(file);
  }
  template <typename Function, typename... Arguments>
  void call(const char* name, Function function, Arguments... arguments) {
    const double begin = now_ns();
    const CUresult result = function(arguments...);
    const double end = now_ns();
    calls_.emplace_back(name, std::max(end - begin - clock_, 0.0));
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) return;
    const char* text = "?";
    cuGetErrorName(result, &text);
    std::fprintf(stderr, "%s gives %s\n", name, text);
    std::exit(1);
  }

 private:
  std::vector<std::pair<const char*, double>> calls_;
  double clock_ = 0;
};

inline Times& times() {
  static Times the_times;
  return the_times;
}

#define TIMED(function, ...) ::timed::times().call(#function, function __VA_OPT__(, ) __VA_ARGS__)

// A context, and a kernel that writes one number.
struct Scene {
  Scene() {
    TIMED(cuInit, 0u);
    TIMED(cuDeviceGet, &device, 0);
    TIMED(cuDevicePrimaryCtxRetain, &context, device);
    TIMED(cuCtxSetCurrent, context);
    TIMED(cuModuleLoadData, &module, ptx);
    TIMED(cuModuleGetFunction, &kernel, module, "put");
  }
  void launch(CUdeviceptr to, CUstream stream) const {
    void* arguments[] = {&to};
    TIMED(cuLaunchKernel, kernel, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream, +arguments, nullptr);
  }
  static constexpr const char* ptx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry put(.param .u64 to) {
  .reg .u64 %a<2>;
  .reg .u32 %v;
  ld.param.u64 %a0, [to];
  cvta.to.global.u64 %a1, %a0;
  mov.u32 %v, 7;
  st.global.u32 [%a1], %v;
  ret;
}
)";
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
};

}  // namespace timed
