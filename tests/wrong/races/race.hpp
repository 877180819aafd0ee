// SPDX-License-Identifier: Apache-2.0
// Programs whose commands access the same memory without an order, and their repaired twins.
// races.def lists them; a function of that name is the program. With RACE_KERNELS in the
// environment, kernels do what fills and copies do otherwise.
#pragma once

#include <cuda.h>

#include <cstdio>

#include "tests/need.hpp"
#include "tests/wrong/primary_context.hpp"

enum class Twin { repaired, wrong };

// Declares all programs.
#define RACE(name, pairs) void name(Twin twin);
#include "tests/wrong/races/races.def"
#undef RACE

// Prints a stream's number, as reports have it, with the name that races.def uses.
inline void print_number(CUstream stream, const char* name) {
  unsigned long long id = 0;
  NEED(cuStreamGetId(stream, &id));
  printf("stream %llu %s\n", id - 1, name);
}
inline CUstream new_stream(const char* name, unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, flags));
  print_number(stream, name);
  return stream;
}
inline CUevent new_event() {
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}

inline constexpr size_t size = 256;

void prepare_kernels();  // before any work of the current context

class Program : public PrimaryContext {
 public:
  Program() {
    prepare_kernels();
    a = new_stream("a");
    b = new_stream("b");
    x = device_memory(size);
    y = device_memory(size);
  }

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
