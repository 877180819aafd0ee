// SPDX-License-Identifier: Apache-2.0
// `memory_programs NAME wrong|repaired` runs one of the programs in memory.def, lives.def or
// graphs.def. `memory_programs random_graphs SEED` runs a drawn one, and prints "mistaken" or
// "right".
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "tests/need.hpp"
#include "tests/wrong/memory/graphs.hpp"
#include "tests/wrong/primary_context.hpp"
#include "tests/wrong/ptx_module.hpp"

namespace {

constexpr unsigned threads = 256;
constexpr size_t size = threads * 4;

const char* const kernels[] = {
#define LEAVES(name, report) #name,
#include "tests/wrong/memory/memory.def"
#undef LEAVES
};

CUfunction kernel(const std::string& name) { return function_of(load_ptx(MEMORY_PTX), name); }

void launch(CUfunction function, CUdeviceptr data, CUstream stream = nullptr) {
  void* parameters[] = {&data};
  NEED(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, size, stream, parameters, nullptr));
}

// The wrong twin breaks its context, in which nothing can be freed any more: it ends with it.
void run(const std::string& name, bool repaired) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuCtxCreate(&context, nullptr, 0, 0));
  CUdeviceptr data = 0;
  NEED(cuMemAlloc(&data, size));
  NEED(cuMemsetD32(data, 1, threads));
  launch(kernel(name + (repaired ? "_repaired" : "_wrong")), data);
  const CUresult result = cuCtxSynchronize();
  if ((result == CUDA_SUCCESS) != repaired) fprintf(stderr, "unexpected: %d\n", result);
  if (repaired) NEED(cuMemFree(data));
  NEED(cuCtxDestroy(context));
}

// --- Allocations in the order of a stream ---

struct Streams : PrimaryContext {
  CUstream one = nullptr, other = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0;
  Streams() {
    NEED(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    NEED(cuMemAllocAsync(&memory, size, one));
  }
  ~Streams() { NEED(cuMemFreeAsync(memory, one)); }
  void order(CUstream earlier, CUstream later) const {
    NEED(cuEventRecord(event, earlier));
    NEED(cuStreamWaitEvent(later, event, 0));
  }
};

void fills_before_it_is_there(bool repaired) {
  const Streams streams;
  if (repaired) streams.order(streams.one, streams.other);
  NEED(cuMemsetD32Async(streams.memory, 1, threads, streams.other));
  streams.order(streams.other, streams.one);
}

void frees_what_is_in_use(bool repaired) {
  const Streams streams;
  streams.order(streams.one, streams.other);
  NEED(cuMemsetD32Async(streams.memory, 1, threads, streams.other));
  if (repaired) streams.order(streams.other, streams.one);
}

void frees_what_a_kernel_uses(bool repaired) {
  const Streams streams;
  NEED(cuMemsetD32Async(streams.memory, 1, threads, streams.one));
  streams.order(streams.one, streams.other);
  launch(kernel("writes_behind_an_allocation_repaired"), streams.memory, streams.other);
  if (repaired) streams.order(streams.other, streams.one);
}

// A launch has allocated the memory, and a call frees it in the order of a stream.
void frees_memory_of_a_graph_in_use(bool repaired) {
  const Streams streams;
  CUgraph graph;
  CUgraphExec executable;
  CUdeviceptr memory;
  NEED(cuStreamBeginCapture(streams.one, CU_STREAM_CAPTURE_MODE_RELAXED));
  NEED(cuMemAllocAsync(&memory, size, streams.one));
  NEED(cuStreamEndCapture(streams.one, &graph));
  NEED(cuGraphInstantiate(&executable, graph, 0));
  NEED(cuGraphLaunch(executable, streams.one));
  streams.order(streams.one, streams.other);
  NEED(cuMemsetD32Async(memory, 1, threads, streams.other));
  if (repaired) streams.order(streams.other, streams.one);
  NEED(cuMemFreeAsync(memory, streams.one));
  // The next launch may use the same memory.
  NEED(cuGraphLaunch(executable, streams.one));
  NEED(cuMemsetD32Async(memory, 2, threads, streams.one));
  NEED(cuMemFreeAsync(memory, streams.one));
  NEED(cuCtxSynchronize());
  NEED(cuGraphExecDestroy(executable));
  NEED(cuGraphDestroy(graph));
}

struct Program {
  const char* name;
  void (*run)(bool repaired);
};
const Program programs[] = {
#define LIVES(name) {#name, name},
#include "tests/wrong/memory/lives.def"
#undef LIVES
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    const bool repaired = strcmp(argv[2], "repaired") == 0;
    for (const char* const name : kernels)
      if (strcmp(argv[1], name) == 0) return run(name, repaired), 0;
    for (const Program& one : programs)
      if (strcmp(argv[1], one.name) == 0) return one.run(repaired), 0;
    if (run_graphs(argv[1], repaired)) return 0;
    if (strcmp(argv[1], "random_graphs") == 0)
      return puts(run_random_graphs(std::stoul(argv[2])) ? "mistaken" : "right"), 0;
  }
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
