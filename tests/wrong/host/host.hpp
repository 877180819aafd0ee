// SPDX-License-Identifier: Apache-2.0
// Programs whose host threads touch memory wrongly, and their repaired twins. host.def lists them;
// a function of that name is the program.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "tests/need.hpp"
#include "tests/wrong/primary_context.hpp"

enum class Twin { repaired, wrong };

// Declares all programs.
#define HOST(name, report) void name(Twin twin);
#include "tests/wrong/host/host.def"
#undef HOST

inline constexpr size_t size = 256;

class Program : public PrimaryContext {
 public:
  Program() {
    NEED(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    x = device_memory(size);
    NEED(cuMemsetD8(x, 1, size));
    NEED(cuCtxSynchronize());
  }

  volatile char* pinned(size_t bytes = size) const {
    return static_cast<volatile char*>(pinned_memory(bytes));
  }
  volatile char* managed(size_t bytes = size) const {
    CUdeviceptr memory = 0;
    NEED(cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    at_end([memory] { NEED(cuMemFree(memory)); });
    return reinterpret_cast<volatile char*>(memory);
  }
  void to_device(volatile char* from, CUstream stream, size_t bytes = size) const {
    NEED(cuMemcpyHtoDAsync(x, const_cast<const char*>(from), bytes, stream));
  }
  void from_device(volatile char* to, CUstream stream, size_t bytes = size) const {
    NEED(cuMemcpyDtoHAsync(const_cast<char*>(to), x, bytes, stream));
  }

  CUstream a = nullptr, b = nullptr;
  CUdeviceptr x = 0;
};

inline CUevent new_event() {
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}
