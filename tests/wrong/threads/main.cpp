// SPDX-License-Identifier: Apache-2.0
// `thread_programs NAME wrong|repaired [twice]` launches one of the kernels in threads.def,
// meetings.def or aliases.def, or launches it twice, from two places, in the same state of memory.
// For the latter it prints how many threads have seen what they wrote.
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

// Each place of a launch has reports of its own.
void first_launch(const Launch& launch, CUfunction function, void** parameters) {
  NEED(cuLaunchCooperativeKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1, 1024, nullptr,
                                 parameters));
}
void second_launch(const Launch& launch, CUfunction function, void** parameters) {
  NEED(cuLaunchCooperativeKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1, 1024, nullptr,
                                 parameters));
}

void run(const Launch& launch, const std::string& twin, bool twice) {
  const PrimaryContext context;
  const CUfunction function = function_of(load_ptx(std::string(THREADS_PTX "/") + launch.file),
                                          std::string(launch.name) + "_" + twin);
  const auto run_it = [&](CUdeviceptr data, CUdeviceptr work, unsigned value) {
    void* parameters[] = {&data, &work};
    for (const auto launch_it : {first_launch, second_launch}) {
      NEED(cuMemsetD32(work, 0, size / 4));
      NEED(cuMemsetD32(data, value, size / 4));
      launch_it(launch, function, parameters);
      NEED(cuCtxSynchronize());
      if (!twice) return;
    }
  };
  if (launch.aliased) {
    PhysicalMemory memory;
    const CUdeviceptr data = memory.map(), work = memory.map();
    run_it(data, work, 0);
    int seen = 0;
    NEED(cuMemcpyDtoH(&seen, data + 4096 * sizeof seen, sizeof seen));
    printf("%d\n", seen);
    return;
  }
  const CUdeviceptr data = context.device_memory(size), work = context.device_memory(size);
  run_it(data, work, 1);  // the same everywhere: values tell nothing
}

}  // namespace

int main(int argc, char** argv) {
  const bool twice = argc == 4 && strcmp(argv[3], "twice") == 0;
  if (argc == 3 || twice)
    for (const Launch& launch : launches)
      if (strcmp(argv[1], launch.name) == 0) return run(launch, argv[2], twice), 0;
  fprintf(stderr, "usage: %s NAME wrong|repaired [twice]\n", argv[0]);
  return 2;
}
