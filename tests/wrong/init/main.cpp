// SPDX-License-Identifier: Apache-2.0
// `init_programs NAME wrong|repaired` runs one of the programs in init.def or programs.def.
// `init_programs random SEED` launches random kernels, and prints the names of those that are
// wrong.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/need.hpp"
#include "tests/wrong/init/random.hpp"
#include "tests/wrong/physical_memory.hpp"
#include "tests/wrong/primary_context.hpp"
#include "tests/wrong/ptx_module.hpp"

namespace {

constexpr size_t size = 16384;
constexpr unsigned threads = 256;

enum class Filled { none, repaired, both };

struct Launch {
  const char* name;
  unsigned blocks, threads;
  Filled filled;
};
const Launch launches[] = {
#define UNWRITTEN(name, blocks, threads, filled) {#name, blocks, threads, Filled::filled},
#include "tests/wrong/init/init.def"
#undef UNWRITTEN
};

void launch(CUfunction function, CUdeviceptr data, CUdeviceptr work, unsigned blocks = 1,
            unsigned block = threads, CUstream stream = nullptr) {
  void* parameters[] = {&data, &work};
  NEED(cuLaunchKernel(function, blocks, 1, 1, block, 1, 1, 1024, stream, parameters, nullptr));
}

// What the kernels work with.
struct Arrays : PrimaryContext {
  CUmodule module = load_ptx(INIT_PTX);
  CUdeviceptr data = device_memory(size);
  Arrays() { NEED(cuMemsetD32(data, 1, size / 4)); }
  CUfunction kernel(const std::string& name) const { return function_of(module, name); }
  void use(CUdeviceptr work) const {
    launch(kernel("doubles"), data, work);
    NEED(cuCtxSynchronize());
  }
};

void run(const Launch& one, bool repaired) {
  const Arrays arrays;
  const CUdeviceptr work = arrays.device_memory(size);
  if (one.filled == Filled::both || (repaired && one.filled == Filled::repaired))
    NEED(cuMemsetD32(work, 0, size / 4));
  launch(arrays.kernel(std::string(one.name) + (repaired ? "_repaired" : "_wrong")), arrays.data,
         work, one.blocks, one.threads);
}

// --- Mistakes of the host ---

void counts_on_freed_memory(bool repaired) {
  const Arrays arrays;
  CUdeviceptr work = 0;
  for (int turn = 0; turn < 2; ++turn) {
    NEED(cuMemAlloc(&work, size));
    if (repaired || turn == 0) NEED(cuMemsetD8(work, 0, size));
    arrays.use(work);
    NEED(cuMemFree(work));
  }
}

void counts_on_the_pool(bool repaired) {
  const Arrays arrays;
  CUdeviceptr work = 0;
  for (int turn = 0; turn < 2; ++turn) {
    NEED(cuMemAllocAsync(&work, size, CU_STREAM_PER_THREAD));
    if (repaired || turn == 0) NEED(cuMemsetD8Async(work, 0, size, CU_STREAM_PER_THREAD));
    launch(arrays.kernel("doubles"), arrays.data, work, 1, threads, CU_STREAM_PER_THREAD);
    NEED(cuMemFreeAsync(work, CU_STREAM_PER_THREAD));
  }
  NEED(cuCtxSynchronize());
}

void copies_half_of_it(bool repaired) {
  const Arrays arrays;
  std::vector<int> host(threads, 1);
  const CUdeviceptr work = arrays.device_memory(size);
  NEED(cuMemcpyHtoD(work, host.data(), repaired ? threads * 4 : threads * 2));
  arrays.use(work);
}

void hands_nothing_on(bool repaired) {
  const Arrays arrays;
  const CUdeviceptr first = arrays.device_memory(size), second = arrays.device_memory(size);
  NEED(cuMemsetD32(second, 0, size / 4));
  NEED(cuMemsetD32(first, 0, repaired ? threads : threads - 1));
  NEED(cuMemcpyDtoD(second, first, size));
  arrays.use(second);
}

void fills_narrow_rows(bool repaired) {
  const Arrays arrays;
  CUdeviceptr work = 0;
  size_t pitch = 0;
  NEED(cuMemAllocPitch(&work, &pitch, threads * 4, 2, 4));
  arrays.at_end([work] { NEED(cuMemFree(work)); });
  NEED(cuMemsetD2D32(work, pitch, 0, repaired ? threads : threads - 3, 2));
  arrays.use(work + pitch);
}

void launches_a_graph_without_a_fill(bool repaired) {
  const Arrays arrays;
  const CUdeviceptr work = arrays.device_memory(size);
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  NEED(cuCtxSynchronize());
  NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  if (repaired) NEED(cuMemsetD32Async(work, 0, threads, stream));
  launch(arrays.kernel("doubles"), arrays.data, work, 1, threads, stream);
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  NEED(cuGraphInstantiate(&exec, graph, 0));
  NEED(cuGraphDestroy(graph));
  arrays.at_end([exec] { NEED(cuGraphExecDestroy(exec)); });
  NEED(cuGraphLaunch(exec, stream));
}

// What is written at one address is written at the other, too.
void reads_beside_its_alias(bool repaired) {
  const Arrays arrays;
  PhysicalMemory memory;
  launch(arrays.kernel("fills"), arrays.data, memory.map());
  arrays.use(memory.map() + (repaired ? 0 : 4));
}

void lets_a_kernel_cover_too_little(bool repaired) {
  const Arrays arrays;
  const CUdeviceptr work = arrays.device_memory(size);
  launch(arrays.kernel("fills"), arrays.data, work, 1, repaired ? threads : threads / 2);
  arrays.use(work);
}

void copies_more_than_the_kernel_covers(bool repaired) {
  const Arrays arrays;
  constexpr unsigned count = 2 * threads + 100;
  const CUdeviceptr work = arrays.device_memory(count * 4);
  const CUfunction fills = arrays.kernel("fills");
  launch(fills, arrays.data, work, repaired ? count / threads + 1 : count / threads);
  std::vector<int> host(count);
  NEED(cuMemcpyDtoH(host.data(), work, count * 4));
}

struct Program {
  const char* name;
  void (*run)(bool repaired);
};
const Program programs[] = {
#define UNWRITTEN_ON_HOST(name) {#name, name},
#include "tests/wrong/init/programs.def"
#undef UNWRITTEN_ON_HOST
};

void run_random(uint32_t seed) {
  const PrimaryContext context;
  constexpr int count = 16;
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n";
  std::vector<std::string> names;
  for (int n = 0; n < count; ++n) {
    names.push_back("kernel" + std::to_string(n));
    const RandomKernel one = random_kernel(names.back(), seed * count + n);
    text += one.text;
    if (one.is_wrong) puts(names.back().c_str());
  }
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module, text.c_str()));
  for (const std::string& name : names) {
    CUdeviceptr memory = 0;
    NEED(cuMemAlloc(&memory, 32 * random_bytes + random_skew));
    void* parameters[] = {&memory};
    NEED(cuLaunchKernel(function_of(module, name), 1, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                        nullptr));
    NEED(cuCtxSynchronize());
    NEED(cuMemFree(memory));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "random") == 0)
    return run_random(static_cast<uint32_t>(std::atoi(argv[2]))), 0;
  if (argc == 3) {
    const bool repaired = strcmp(argv[2], "repaired") == 0;
    for (const Launch& one : launches)
      if (strcmp(argv[1], one.name) == 0) return run(one, repaired), 0;
    for (const Program& one : programs)
      if (strcmp(argv[1], one.name) == 0) return one.run(repaired), 0;
  }
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
