// SPDX-License-Identifier: Apache-2.0
// `thread_programs NAME wrong|repaired` launches one of the kernels in threads.def.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/need.hpp"

namespace {

constexpr size_t size = 16384;

struct Launch {
  const char* name;
  unsigned blocks, threads;
};
const Launch launches[] = {
#define THREADS(name, blocks, threads) {#name, blocks, threads},
#include "tests/wrong/threads/threads.def"
#undef THREADS
};

void run(const Launch& launch, const std::string& twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  std::ifstream file(THREADS_PTX);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module, text.c_str()));
  CUfunction function = nullptr;
  NEED(cuModuleGetFunction(&function, module, (std::string(launch.name) + "_" + twin).c_str()));
  CUdeviceptr data = 0, work = 0;
  NEED(cuMemAlloc(&data, size));
  NEED(cuMemAlloc(&work, size));
  NEED(cuMemsetD32(data, 1, size / 4));  // the same everywhere: values tell nothing
  NEED(cuMemsetD32(work, 0, size / 4));
  void* parameters[] = {&data, &work};
  NEED(cuLaunchCooperativeKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1, 1024, nullptr,
                                 parameters));
  NEED(cuCtxSynchronize());
  NEED(cuMemFree(data));
  NEED(cuMemFree(work));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3)
    for (const Launch& launch : launches)
      if (strcmp(argv[1], launch.name) == 0) return run(launch, argv[2]), 0;
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
