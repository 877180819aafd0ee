// SPDX-License-Identifier: Apache-2.0
// `thread_programs NAME wrong|repaired [twice]` launches one of the kernels in threads.def,
// meetings.def, aliases.def or read_only.def, or launches it twice, from two places, in the same
// state of memory. For the latter two it prints how many threads have seen what they expect.
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
  bool aliased;     // both arrays are the same memory, at two addresses
  bool reads_only;  // there is a texture over the first
};
const Launch launches[] = {
#define THREADS(name, blocks, threads) {#name, "threads.ptx", blocks, threads, false, false},
#include "tests/wrong/threads/threads.def"
#undef THREADS
#define MEETINGS(name, report) {#name, "meetings.ptx", 1, 256, false, false},
#include "tests/wrong/threads/meetings.def"
#undef MEETINGS
#define ALIASES(name) {#name, "aliases.ptx", 1, 256, true, false},
#include "tests/wrong/threads/aliases.def"
#undef ALIASES
#define READS_ONLY(name, changes) {#name, "read_only.ptx", 1, 256, false, true},
#include "tests/wrong/threads/read_only.def"
#undef READS_ONLY
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

CUtexObject texture_over(CUdeviceptr data) {
  CUDA_RESOURCE_DESC memory{};
  memory.resType = CU_RESOURCE_TYPE_LINEAR;
  memory.res.linear.devPtr = data;
  memory.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
  memory.res.linear.numChannels = 1;
  memory.res.linear.sizeInBytes = size;
  CUDA_TEXTURE_DESC how{};
  how.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  NEED(cuTexObjectCreate(&texture, &memory, &how, nullptr));
  return texture;
}

void run(const Launch& launch, const std::string& twin, bool twice) {
  const PrimaryContext context;
  const CUfunction function = function_of(load_ptx(std::string(THREADS_PTX "/") + launch.file),
                                          std::string(launch.name) + "_" + twin);
  CUtexObject texture = 0;
  const auto run_it = [&](CUdeviceptr data, CUdeviceptr work, unsigned value) {
    void* parameters[] = {&data, &work, &texture};
    for (const auto launch_it : {first_launch, second_launch}) {
      NEED(cuMemsetD32(work, 0, size / 4));
      NEED(cuMemsetD32(data, value, size / 4));
      launch_it(launch, function, parameters);
      NEED(cuCtxSynchronize());
      if (!twice) return;
    }
  };
  const auto print_seen = [](CUdeviceptr array) {
    int seen = 0;
    NEED(cuMemcpyDtoH(&seen, array + 4096 * sizeof seen, sizeof seen));
    printf("%d\n", seen);
  };
  if (launch.aliased) {
    PhysicalMemory memory;
    const CUdeviceptr data = memory.map(), work = memory.map();
    run_it(data, work, 0);
    print_seen(data);
    return;
  }
  const CUdeviceptr data = context.device_memory(size), work = context.device_memory(size);
  if (launch.reads_only) texture = texture_over(data);
  run_it(data, work, 1);  // the same everywhere: values tell nothing
  if (!launch.reads_only) return;
  print_seen(work);
  NEED(cuTexObjectDestroy(texture));
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
