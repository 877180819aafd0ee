// SPDX-License-Identifier: Apache-2.0
// Programs for `cuvette step`: `stepped NAME`.
#include <cuda.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", call, result);
  std::exit(3);
}
#define CUDA(call) check(call, #call)

constexpr unsigned count = 8;

struct Device {
  Device() {
    CUcontext context;
    CUDA(cuInit(0));
    CUDA(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA(cuCtxSetCurrent(context));
    for (CUstream& stream : streams) CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (CUdeviceptr& buffer : buffers) CUDA(cuMemAlloc(&buffer, count * 4));
  }
  CUstream streams[2];
  CUdeviceptr buffers[2];
  unsigned host[count] = {};
};

// A fill in one stream and a copy of its result in the other; `waits`: for an event in between.
int streams(bool waits) {
  Device device;
  CUevent event;
  CUDA(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CUDA(cuMemsetD32Async(device.buffers[0], 7, count, device.streams[0]));
  if (waits) {
    CUDA(cuEventRecord(event, device.streams[0]));
    CUDA(cuStreamWaitEvent(device.streams[1], event, 0));
  }
  CUDA(cuMemcpyDtoDAsync(device.buffers[1], device.buffers[0], count * 4, device.streams[1]));
  printf("submitted\n");
  CUDA(cuCtxSynchronize());
  CUDA(cuMemcpyDtoH(device.host, device.buffers[1], sizeof device.host));
  printf("the copy has %u\n", device.host[0]);
  return device.host[0] == 7 ? 0 : 1;
}

// A graph with two branches that nothing orders.
int graph() {
  Device device;
  CUgraph graph;
  CUgraphExec executable;
  CUgraphNode first, fill, copy;
  CUcontext context;
  CUDA(cuCtxGetCurrent(&context));
  CUDA(cuGraphCreate(&graph, 0));
  const auto fill_with = [&](CUgraphNode* node, const CUgraphNode* after, unsigned index,
                             unsigned value) {
    CUDA_MEMSET_NODE_PARAMS parameters = {};
    parameters.dst = device.buffers[index];
    parameters.value = value;
    parameters.elementSize = 4;
    parameters.width = count;
    parameters.height = 1;
    CUDA(cuGraphAddMemsetNode(node, graph, after, after ? 1 : 0, &parameters, context));
  };
  fill_with(&first, nullptr, 0, 1);
  fill_with(&fill, &first, 0, 2);
  fill_with(&copy, &first, 1, 3);
  CUDA(cuGraphInstantiate(&executable, graph, 0));
  CUDA(cuGraphLaunch(executable, device.streams[0]));
  CUDA(cuStreamSynchronize(device.streams[0]));
  return 0;
}

// The host reads the target of a copy, and waits for it too late.
int reads() {
  Device device;
  unsigned* pinned = nullptr;
  CUDA(cuMemAllocHost(reinterpret_cast<void**>(&pinned), count * 4));
  *pinned = 0;
  CUDA(cuMemsetD32Async(device.buffers[0], 7, count, device.streams[0]));
  CUDA(cuMemcpyDtoHAsync(pinned, device.buffers[0], count * 4, device.streams[0]));
  const unsigned read = *pinned;
  CUDA(cuStreamSynchronize(device.streams[0]));
  printf("it reads %u\n", read);
  return 0;
}

int legacy() {
  Device device;
  CUstream blocking;
  CUDA(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  CUDA(cuMemsetD32Async(device.buffers[0], 1, count, blocking));
  CUDA(cuMemsetD32Async(device.buffers[1], 2, count, CU_STREAM_LEGACY));
  CUDA(cuCtxSynchronize());
  return 0;
}

int crash() {
  Device device;
  CUDA(cuMemsetD32Async(device.buffers[0], 1, count, device.streams[0]));
  CUDA(cuStreamSynchronize(device.streams[0]));
  CUDA(cuMemsetD32Async(device.buffers[0], 2, count, device.streams[0]));
  raise(SIGSEGV);
  return 0;
}

int hang() {
  Device device;
  CUDA(cuMemsetD32(device.buffers[0], 1, count));
  for (;;) pause();
}

// A child has a device of its own.
int processes() {
  if (fork() == 0) _exit(crash());
  wait(nullptr);
  return streams(true);
}

// The order decides how often it goes round.
int polls() {
  Device device;
  CUDA(cuMemsetD32Async(device.buffers[0], 1, count, device.streams[0]));
  CUDA(cuMemsetD32Async(device.buffers[1], 2, count, device.streams[1]));
  while (cuStreamQuery(device.streams[0]) == CUDA_ERROR_NOT_READY)
    CUDA(cuMemsetD32Async(device.buffers[1], 3, count, device.streams[1]));
  CUDA(cuCtxSynchronize());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const name = argc == 2 ? argv[1] : "";
  if (strcmp(name, "streams") == 0) return streams(false);
  if (strcmp(name, "event") == 0) return streams(true);
  if (strcmp(name, "graph") == 0) return graph();
  if (strcmp(name, "reads") == 0) return reads();
  if (strcmp(name, "legacy") == 0) return legacy();
  if (strcmp(name, "crash") == 0) return crash();
  if (strcmp(name, "hang") == 0) return hang();
  if (strcmp(name, "processes") == 0) return processes();
  if (strcmp(name, "polls") == 0) return polls();
  if (strcmp(name, "nothing") == 0) return 0;
  return 2;
}
