// SPDX-License-Identifier: Apache-2.0
// Programs whose commands access the same memory without an order, and their repaired twins.
// races.def lists them; a function of that name is the program. At its end, its work is done. With
// RACE_KERNELS in the environment, kernels do what fills and copies do otherwise.
#pragma once

#include <cuda.h>

#include <cstdio>

#include "tests/need.hpp"

enum class Twin { repaired, wrong };

// Declares all programs.
#define RACE(name, pairs) void name(Twin twin);
#include "tests/wrong/races/races.def"
#undef RACE

// Makes a stream and prints its id with the name that races.def uses.
inline CUstream new_stream(const char* name, unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, flags));
  unsigned long long id = 0;
  NEED(cuStreamGetId(stream, &id));
  printf("stream %llu %s\n", id, name);
  return stream;
}
inline CUevent new_event() {
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}
inline CUdeviceptr new_memory(size_t size) {
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, size));
  return memory;
}

inline constexpr size_t size = 256;

void prepare_kernels();  // before any work of the current context

class Program {
 public:
  Program() {
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    prepare_kernels();
    a = new_stream("a");
    b = new_stream("b");
    x = new_memory(size);
    y = new_memory(size);
  }
  ~Program() { NEED(cuCtxSynchronize()); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CUcontext context = nullptr;
  CUstream a = nullptr, b = nullptr;
  CUdeviceptr x = 0, y = 0;
};

// With a fill and a copy, or with kernels that do the same.
void fill(CUdeviceptr memory, CUstream stream);
void copy(CUdeviceptr to, CUdeviceptr from, CUstream stream);
inline void record(CUevent event, CUstream stream) { NEED(cuEventRecord(event, stream)); }
inline void wait(CUstream stream, CUevent event) { NEED(cuStreamWaitEvent(stream, event, 0)); }
// Later work in `second` comes after the work in `first`.
inline void link(CUstream first, CUstream second) {
  const CUevent event = new_event();
  record(event, first);
  wait(second, event);
  NEED(cuEventDestroy(event));
}
