// SPDX-License-Identifier: Apache-2.0
// Programs that misuse the API, and their repaired twins. api.def lists them; a function of that
// name is the program.
#pragma once

#include <cuda.h>

#include <cstdio>

#include "tests/need.hpp"
#include "tests/wrong/ptx_module.hpp"

enum class Twin { repaired, wrong };

// Declares all programs.
#define API(name, report) void name(Twin twin);
#include "tests/wrong/api/api.def"
#undef API

// Stands on the line that the report must name.
#define MISTAKE(call) (printf("%s:%d\n", __FILE__, __LINE__), (call))

inline constexpr size_t size = 4096;

// The primary context of device 0 is current while it lives. It is not released: most programs
// leave that to the end of the process.
class Program {
 public:
  Program() {
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
  }
  ~Program() { NEED(cuCtxSynchronize()); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CUcontext context = nullptr;
};

inline CUdeviceptr new_memory(size_t bytes = size) {
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, bytes));
  return memory;
}
inline CUstream new_stream() {
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

// Physical memory, mapped twice, one mapping behind the other.
struct Aliases {
  static constexpr size_t granule = size_t{2} << 20;
  Aliases();
  void end();
  CUmemGenericAllocationHandle memory = 0;
  CUdeviceptr at = 0;
};
