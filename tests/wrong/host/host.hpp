// SPDX-License-Identifier: Apache-2.0
// Programs whose host threads touch memory wrongly, and their repaired twins. host.def lists them;
// a function of that name is the program. At its end, its work is done.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "tests/need.hpp"

enum class Twin { repaired, wrong };

// Declares all programs.
#define HOST(name, report) void name(Twin twin);
#include "tests/wrong/host/host.def"
#undef HOST

inline constexpr size_t size = 256;

class Program {
 public:
  Program() {
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    NEED(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAlloc(&x, size));
    NEED(cuMemsetD8(x, 1, size));
    NEED(cuCtxSynchronize());
  }
  ~Program() { NEED(cuCtxSynchronize()); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Pinned memory, like what follows for as long as the process.
  static volatile char* pinned(size_t bytes = size) {
    void* memory = nullptr;
    NEED(cuMemAllocHost(&memory, bytes));
    return static_cast<volatile char*>(memory);
  }
  static volatile char* managed(size_t bytes = size) {
    CUdeviceptr memory = 0;
    NEED(cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    return reinterpret_cast<volatile char*>(memory);
  }
  void to_device(volatile char* from, CUstream stream, size_t bytes = size) const {
    NEED(cuMemcpyHtoDAsync(x, const_cast<const char*>(from), bytes, stream));
  }
  void from_device(volatile char* to, CUstream stream, size_t bytes = size) const {
    NEED(cuMemcpyDtoHAsync(const_cast<char*>(to), x, bytes, stream));
  }

  CUcontext context = nullptr;
  CUstream a = nullptr, b = nullptr;
  CUdeviceptr x = 0;
};

inline CUevent new_event() {
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}
