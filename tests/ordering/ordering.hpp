// SPDX-License-Identifier: Apache-2.0
// Programs that lack one wait, or have it in the wrong place. orderings.def lists them; a function
// of that name is the program, and its twin that waits correctly.
//
// A program returns 0 if it sees what it should, and 1, with a message on stderr, if it sees an
// earlier or a later value. A call that fails ends it with status 4.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/need.hpp"

enum class Form { right, wrong };

// Declares all programs.
#define ORDERING(name, ...) int name(Form form);
#include "tests/ordering/orderings.def"
#undef ORDERING

// Makes the primary context current. In the end, waits for all submitted work.
class Program {
 public:
  Program() {
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
  }
  ~Program() {
    NEED(cuCtxSetCurrent(context));
    NEED(cuCtxSynchronize());
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CUcontext context = nullptr;
};

// --- Building blocks: every piece of memory has this many bytes, all of one value ---

inline constexpr size_t size = 64;

inline CUstream new_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, flags));
  return stream;
}
inline CUevent new_event(unsigned flags = CU_EVENT_DISABLE_TIMING) {
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, flags));
  return event;
}
// Waits, so it must be called before other work is submitted.
inline CUdeviceptr new_memory(uint8_t value, size_t bytes = size) {
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, bytes));
  NEED(cuMemsetD8(memory, value, bytes));
  NEED(cuStreamSynchronize(CU_STREAM_LEGACY));
  return memory;
}
inline void write(uint8_t* memory, uint8_t value, size_t bytes = size) {
  for (size_t i = 0; i < bytes; ++i) memory[i] = value;
}
inline uint8_t* new_pinned(uint8_t value, size_t bytes = size) {
  void* memory = nullptr;
  NEED(cuMemAllocHost(&memory, bytes));
  write(static_cast<uint8_t*>(memory), value, bytes);
  return static_cast<uint8_t*>(memory);
}

// Work submitted to `later` from now on waits for what is in `earlier` now.
inline void order(CUstream earlier, CUstream later) {
  const CUevent event = new_event();
  NEED(cuEventRecord(event, earlier));
  NEED(cuStreamWaitEvent(later, event, 0));
  NEED(cuEventDestroy(event));
}

// --- Checks ---

inline int verdict(bool right, const char* place, int seen, int wanted) {
  if (right) return 0;
  fprintf(stderr, "There is %d in %s instead of %d.\n", seen, place, wanted);
  return 1;
}
inline int verdict(const char* place, int seen, int wanted) {
  return verdict(seen == wanted, place, seen, wanted);
}

// Checks memory now, without waiting for anything.
inline int sees(const char* place, const uint8_t* memory, uint8_t wanted, size_t bytes = size) {
  for (size_t i = 0; i < bytes; ++i)
    if (memory[i] != wanted) return verdict(place, memory[i], wanted);
  return 0;
}
// Checks memory once all work is done.
inline int finds(const char* place, CUdeviceptr memory, uint8_t wanted, size_t bytes = size) {
  static uint8_t found[1 << 16];
  NEED(cuCtxSynchronize());
  NEED(cuMemcpyDtoH(found, memory, bytes));
  return sees(place, found, wanted, bytes);
}
