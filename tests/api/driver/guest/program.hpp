// SPDX-License-Identifier: Apache-2.0
// Shared by the guest programs: loud failure, and the few calls with which each begins.
#pragma once

#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

// Reports a condition that does not hold and ends the process at once, even during its exit.
#define REQUIRE(condition)                                                    \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      _exit(1);                                                               \
    }                                                                         \
  } while (false)

// Requires that the call returns `expected`.
#define ANSWERS(expected, call)                                                             \
  do {                                                                                      \
    const CUresult answer_ = (call);                                                        \
    if (answer_ != (expected)) {                                                            \
      fprintf(stderr, "%s:%d: %s answers %d, not %s\n", __FILE__, __LINE__, #call, answer_, \
              #expected);                                                                   \
      _exit(1);                                                                             \
    }                                                                                       \
  } while (false)

#define WORKS(call) ANSWERS(CUDA_SUCCESS, call)

inline CUcontext begin() {
  CUdevice device;
  CUcontext context;
  WORKS(cuInit(0));
  WORKS(cuDeviceGet(&device, 0));
  WORKS(cuDevicePrimaryCtxRetain(&context, device));
  WORKS(cuCtxSetCurrent(context));
  return context;
}

// Fills device memory by a command and reads it back.
inline void do_some_work() {
  constexpr size_t size = 1 << 20;
  CUdeviceptr memory;
  WORKS(cuMemAlloc(&memory, size));
  WORKS(cuMemsetD8(memory, 0x5a, size));
  char last = 0;
  WORKS(cuMemcpyDtoH(&last, memory + size - 1, 1));
  REQUIRE(last == 0x5a);
  WORKS(cuMemFree(memory));
}

// Memory shared through a file that cannot be sealed, imported and mapped.
struct Imported {
  explicit Imported(size_t bytes) : size(bytes) {
    exporters = memfd_create("exported", 0);
    REQUIRE(ftruncate(exporters, static_cast<off_t>(size)) == 0);
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC import{};
    import.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    import.handle.fd = dup(exporters);
    import.size = size;
    WORKS(cuImportExternalMemory(&memory, &import));
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
    buffer.size = size;
    WORKS(cuExternalMemoryGetMappedBuffer(&address, memory, &buffer));
  }
  void shrink() { REQUIRE(ftruncate(exporters, 0) == 0); }

  size_t size;
  int exporters;
  CUexternalMemory memory{};
  CUdeviceptr address = 0;
};

// Runs the scenario named on the command line.
inline int run_scenario(int count, char** words,
                        const std::map<std::string, void (*)()>& scenarios) {
  REQUIRE(count == 2 && scenarios.count(words[1]) == 1);
  scenarios.at(words[1])();
  return 0;
}
