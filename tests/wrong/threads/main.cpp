// SPDX-License-Identifier: Apache-2.0
// `thread_programs NAME wrong|repaired` launches one of the kernels in threads.def, meetings.def or
// aliases.def. For the latter it prints how many threads have seen what they wrote.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "tests/need.hpp"
#include "tests/wrong/physical_memory.hpp"
#include "tests/wrong/primary_context.hpp"
#include "tests/wrong/ptx_module.hpp"

namespace {

constexpr size_t size = 32768;

struct Launch {
  const char *name, *file;
  unsigned blocks, threads;
  bool aliased;  // both arrays are the same memory, at two addresses
};
const Launch launches[] = {
#define THREADS(name, blocks, threads) {#name, "threads.ptx", blocks, threads, false},
#include "tests/wrong/threads/threads.def"
#undef THREADS
#define MEETINGS(name, report) {#name, "meetings.ptx", 1, 256, false},
#include "tests/wrong/threads/meetings.def"
#undef MEETINGS
#define ALIASES(name) {#name, "aliases.ptx", 1, 256, true},
#include "tests/wrong/threads/aliases.def"
#undef ALIASES
};

void run(const Launch& launch, const std::string& twin) {
  const PrimaryContext context;
  const CUfunction function = function_of(load_ptx(std::string(THREADS_PTX "/") + launch.file),
                                          std::string(launch.name) + "_" + twin);
  const auto call = [&](CUdeviceptr data, CUdeviceptr work) {
    void* parameters[] = {&data, &work};
    NEED(cuLaunchCooperativeKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1, 1024,
                                   nullptr, parameters));
    NEED(cuCtxSynchronize());
  };
  if (launch.aliased) {
    PhysicalMemory memory;
    const CUdeviceptr data = memory.map(), work = memory.map();
    NEED(cuMemsetD32(data, 0, size / 4));
    call(data, work);
    int seen = 0;
    NEED(cuMemcpyDtoH(&seen, data + 4096 * sizeof seen, sizeof seen));
    printf("%d\n", seen);
    return;
  }
  const CUdeviceptr data = context.device_memory(size), work = context.device_memory(size);
  NEED(cuMemsetD32(data, 1, size / 4));  // the same everywhere: values tell nothing
  NEED(cuMemsetD32(work, 0, size / 4));
  call(data, work);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3)
    for (const Launch& launch : launches)
      if (strcmp(argv[1], launch.name) == 0) return run(launch, argv[2]), 0;
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
