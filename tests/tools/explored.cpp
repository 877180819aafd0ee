// SPDX-License-Identifier: Apache-2.0
// A program for `cuvette explore` to run: correct, or wrong in one way.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", call, result);
  std::exit(3);
}
#define CUDA(call) check(call, #call)

constexpr unsigned count = 1024;

struct Device {
  Device() {
    CUdevice device;
    CUcontext context;
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));
    for (CUstream& stream : streams) CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUDA(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (CUdeviceptr& buffer : buffers) CUDA(cuMemAlloc(&buffer, count * 4));
    CUDA(cuMemAllocHost(reinterpret_cast<void**>(&host), count * 4));
  }
  CUstream streams[2];
  CUevent event;
  CUdeviceptr buffers[2];
  unsigned* host;
};

// Each warp writes its number, counted over all blocks, to the same place: without regard for the
// others, or so that the largest stays.
constexpr const char* kernels = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry last(.param .u64 to)
{
  .reg .u32 %r<6>;
  .reg .u64 %a;
  ld.param.u64 %a, [to];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  shr.u32 %r4, %r3, 5;
  st.global.u32 [%a], %r4;
  ret;
}
.visible .entry largest(.param .u64 to)
{
  .reg .u32 %r<6>;
  .reg .u64 %a;
  ld.param.u64 %a, [to];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  shr.u32 %r4, %r3, 5;
  red.global.max.u32 [%a], %r4;
  ret;
}
.visible .entry move(.param .u64 to, .param .u64 from)
{
  .reg .u32 %r0;
  .reg .u64 %a, %b;
  ld.param.u64 %a, [to];
  ld.param.u64 %b, [from];
  ld.global.u32 %r0, [%b];
  st.global.u32 [%a], %r0;
  ret;
}
)";

void launch(const char* name, CUdeviceptr to, unsigned blocks, unsigned threads,
            CUstream stream = nullptr, CUdeviceptr from = 0) {
  // Loaded once: loading may wait.
  static CUmodule module = nullptr;
  CUfunction kernel;
  if (!module) CUDA(cuModuleLoadData(&module, kernels));
  CUDA(cuModuleGetFunction(&kernel, module, name));
  void* parameters[] = {&to, &from};
  CUDA(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr));
}

// Runs eight warps, of so many blocks; returns what they left.
unsigned run_warps(const char* kernel, unsigned blocks) {
  Device device;
  CUDA(cuMemsetD32(device.buffers[0], 0, 1));
  launch(kernel, device.buffers[0], blocks, 256 / blocks);
  CUDA(cuCtxSynchronize());
  unsigned result = 0;
  CUDA(cuMemcpyDtoH(&result, device.buffers[0], sizeof result));
  return result;
}

// The same in memory that the host shares; it does not look at the result.
void run_warps_in_shared_memory() {
  Device device;
  CUdeviceptr to;
  CUDA(cuMemHostGetDevicePointer(&to, device.host, 0));
  std::memset(device.host, 0, count * 4);
  launch("last", to, 8, 32);
  CUDA(cuCtxSynchronize());
}

// A kernel in each stream, which have nothing in common.
void run_kernels_apart() {
  Device device;
  for (int i = 0; i < 2; ++i) launch("largest", device.buffers[i], 4, 64, device.streams[i]);
  CUDA(cuCtxSynchronize());
}

// Work in two streams, again and again, each piece in order with all that it meets.
void run_in_order(bool by_events) {
  Device device;
  for (unsigned i = 0; i < 12; ++i) {
    // Without events the two streams have nothing in common.
    const CUdeviceptr second = device.buffers[by_events ? 0 : 1];
    CUDA(cuMemsetD32Async(device.buffers[0], i, count, device.streams[0]));
    if (by_events) {
      CUDA(cuEventRecord(device.event, device.streams[0]));
      CUDA(cuStreamWaitEvent(device.streams[1], device.event, 0));
    }
    CUDA(cuMemsetD8Async(second, 1, 4, device.streams[1]));
    CUDA(cuMemcpyDtoHAsync(device.host + i, second, 4, device.streams[1]));
    if (by_events) {
      CUDA(cuEventRecord(device.event, device.streams[1]));
      CUDA(cuStreamWaitEvent(device.streams[0], device.event, 0));
    }
  }
  CUDA(cuCtxSynchronize());
}

// A fill in one stream and a copy in the other; returns whether the copy came after the fill.
bool fill_and_copy(bool wait) {
  Device device;
  CUDA(cuMemsetD32(device.buffers[0], 1, count));
  CUDA(cuCtxSynchronize());
  CUDA(cuMemsetD32Async(device.buffers[0], 7, count, device.streams[0]));
  CUDA(cuEventRecord(device.event, device.streams[0]));
  if (wait) CUDA(cuStreamWaitEvent(device.streams[1], device.event, 0));
  CUDA(cuMemcpyDtoHAsync(device.host, device.buffers[0], count * 4, device.streams[1]));
  CUDA(cuStreamSynchronize(device.streams[1]));
  return device.host[0] == 7;
}

// Fails only if the producer is late the first time and early the second time.
bool two_buffers() {
  Device device;
  CUDA(cuMemsetD32(device.buffers[0], 1, count));
  CUDA(cuMemsetD32(device.buffers[1], 1, count));
  CUDA(cuCtxSynchronize());
  unsigned* const second = device.host + 1;
  CUDA(cuMemsetD32Async(device.buffers[0], 2, count, device.streams[0]));
  CUDA(cuMemcpyDtoHAsync(device.host, device.buffers[0], 4, device.streams[1]));
  CUDA(cuMemcpyDtoHAsync(second, device.buffers[1], 4, device.streams[1]));
  CUDA(cuMemsetD32Async(device.buffers[1], 2, count, device.streams[0]));
  CUDA(cuCtxSynchronize());
  return !(device.host[0] == 1 && *second == 2);
}

// Two copies that have nothing in common; returns whether the second was there before the first.
// The host waits for neither, or for both.
bool sees_the_second_copy_alone(bool wait) {
  Device device;
  for (const CUdeviceptr buffer : device.buffers) CUDA(cuMemsetD32(buffer, 1, count));
  CUDA(cuCtxSynchronize());
  volatile unsigned* const host = device.host;
  host[0] = 0;
  host[1] = 0;
  for (unsigned i = 0; i < 2; ++i)
    CUDA(cuMemcpyDtoHAsync(device.host + i, device.buffers[i], 4, device.streams[i]));
  if (wait) CUDA(cuCtxSynchronize());
  const bool second = host[1] == 1, first = host[0] == 1;
  CUDA(cuCtxSynchronize());
  return second && !first;
}

// A copy of a pool's memory, which the program frees at once; cuMemFree waits for nothing there.
bool frees_pool_memory(bool wait) {
  Device device;
  CUdeviceptr part;
  CUDA(cuMemAllocAsync(&part, count * 4, device.streams[0]));
  CUDA(cuMemsetD32Async(part, 7, count, device.streams[0]));
  CUDA(cuStreamSynchronize(device.streams[0]));
  CUDA(cuMemcpyDtoHAsync(device.host, part, count * 4, device.streams[0]));
  if (wait) CUDA(cuStreamSynchronize(device.streams[0]));
  CUDA(cuMemFree(part));
  CUDA(cuCtxSynchronize());
  return device.host[0] == 7;
}

// The same while the memory's content is not written yet, so that it comes later than the free.
bool frees_what_is_filled(bool wait) {
  Device device;
  CUdeviceptr part;
  CUDA(cuMemAllocAsync(&part, count * 4, device.streams[0]));
  CUDA(cuMemsetD32Async(part, 7, count, device.streams[0]));
  CUDA(cuMemcpyDtoHAsync(device.host, part, count * 4, device.streams[0]));
  if (wait) CUDA(cuStreamSynchronize(device.streams[0]));
  CUDA(cuMemFree(part));
  CUDA(cuCtxSynchronize());
  return device.host[0] == 7;
}

// The same of kernels, whose memory is not known when they are launched. They write and move a 0.
bool frees_what_kernels_use(bool wait) {
  Device device;
  CUdeviceptr part;
  device.host[0] = 1;
  CUDA(cuMemAllocAsync(&part, count * 4, device.streams[0]));
  launch("last", part, 1, 32, device.streams[0]);
  launch("move", device.buffers[0], 1, 32, device.streams[0], part);
  CUDA(cuMemcpyDtoHAsync(device.host, device.buffers[0], 4, device.streams[0]));
  if (wait) CUDA(cuStreamSynchronize(device.streams[0]));
  CUDA(cuMemFree(part));
  CUDA(cuCtxSynchronize());
  return device.host[0] == 0;
}

// Memory that a launch has allocated is freed while another stream copies it: by a call in its
// stream, or by a node of another graph.
bool frees_memory_of_a_graph(bool wait, bool by_node) {
  Device device;
  const auto [first, second] = device.streams;
  CUgraph graph;
  CUgraphExec executable;
  CUdeviceptr part;
  CUDA(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUDA(cuMemAllocAsync(&part, count * 4, first));
  CUDA(cuMemsetD32Async(part, 7, count, first));
  CUDA(cuStreamEndCapture(first, &graph));
  CUDA(cuGraphInstantiate(&executable, graph, 0));
  CUDA(cuGraphLaunch(executable, first));
  CUDA(cuEventRecord(device.event, first));
  CUDA(cuStreamWaitEvent(second, device.event, 0));
  CUDA(cuMemcpyDtoHAsync(device.host, part, count * 4, second));
  if (wait) {
    CUDA(cuEventRecord(device.event, second));
    CUDA(cuStreamWaitEvent(first, device.event, 0));
  }
  if (by_node) CUDA(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUDA(cuMemFreeAsync(part, first));
  if (by_node) {
    CUDA(cuStreamEndCapture(first, &graph));
    CUDA(cuGraphInstantiate(&executable, graph, 0));
    CUDA(cuGraphLaunch(executable, first));
  }
  CUDA(cuCtxSynchronize());
  return device.host[0] == 7;
}

// Another process copies memory, and this one fills it again when the other's event says that the
// copy is over; `early`: the event is recorded before the copy.
int fills_what_another_process_copies(bool early) {
  struct Names {
    CUipcMemHandle memory;
    CUipcEventHandle copied;
  } names;
  int there[2], back[2];
  char done = 0;
  if (pipe(there) != 0 || pipe(back) != 0) return 3;
  const pid_t reader = fork();
  if (reader == 0) {
    if (read(there[0], &names, sizeof names) != sizeof names) return 3;
    Device device;
    CUdeviceptr memory;
    CUevent copied;
    CUDA(cuIpcOpenMemHandle(&memory, names.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    CUDA(cuIpcOpenEventHandle(&copied, names.copied));
    if (early) CUDA(cuEventRecord(copied, device.streams[0]));
    CUDA(cuMemcpyDtoHAsync(device.host, memory, count * 4, device.streams[0]));
    if (!early) CUDA(cuEventRecord(copied, device.streams[0]));
    if (write(back[1], &done, 1) != 1) return 3;
    CUDA(cuStreamSynchronize(device.streams[0]));
    const bool right = device.host[0] == 7;
    CUDA(cuIpcCloseMemHandle(memory));
    return right ? 0 : 1;
  }
  Device device;
  CUevent copied;
  CUDA(cuEventCreate(&copied, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
  CUDA(cuMemsetD32Async(device.buffers[0], 7, count, device.streams[0]));
  CUDA(cuStreamSynchronize(device.streams[0]));
  CUDA(cuIpcGetMemHandle(&names.memory, device.buffers[0]));
  CUDA(cuIpcGetEventHandle(&names.copied, copied));
  if (write(there[1], &names, sizeof names) != sizeof names) return 3;
  if (read(back[0], &done, 1) != 1) return 3;
  CUDA(cuStreamWaitEvent(device.streams[0], copied, 0));
  CUDA(cuMemsetD32Async(device.buffers[0], 9, count, device.streams[0]));
  int status = 0;
  waitpid(reader, &status, 0);
  CUDA(cuCtxSynchronize());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

// The second copy comes after the first, by the rules of the legacy stream; both calls may wait.
void copy_from_and_to_pageable_memory() {
  Device device;
  CUstream blocking;
  CUDA(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  static char from[256], to[256];
  CUDA(cuMemcpyHtoD(device.buffers[0], from, sizeof from));
  CUDA(cuMemcpyDtoHAsync(to, device.buffers[0], sizeof to, blocking));
  CUDA(cuStreamSynchronize(blocking));
}

// Fills, copies, events and waits in three streams, as `state` chooses; the same in each run.
void run_random(uint64_t state) {
  Device device;
  CUstream streams[3] = {device.streams[0], device.streams[1]};
  CUDA(cuStreamCreate(&streams[2], CU_STREAM_DEFAULT));
  CUevent events[2];
  static char pageable[256];
  for (CUevent& event : events) CUDA(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  const auto choose = [&state](uint64_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<unsigned>((state >> 33) % below);
  };
  for (int i = 0; i < 24; ++i) {
    const CUstream stream = streams[choose(3)];
    const CUdeviceptr buffer = device.buffers[choose(2)] + choose(4) * 256;
    switch (choose(12)) {
      case 0:
      case 1:
      case 2:
        CUDA(cuMemsetD8Async(buffer, static_cast<unsigned char>(i), 256, stream));
        break;
      case 3:
        CUDA(cuMemcpyDtoHAsync(device.host + 64 * choose(4), buffer, 256, stream));
        break;
      case 4:
        CUDA(cuMemcpyDtoDAsync(device.buffers[choose(2)] + 2048, buffer, 512, stream));
        break;
      case 5:
        CUDA(cuEventRecord(events[choose(2)], stream));
        break;
      case 6:
        CUDA(cuStreamWaitEvent(stream, events[choose(2)], 0));
        break;
      case 7:
        if (choose(2))
          CUDA(cuStreamSynchronize(stream));
        else
          CUDA(cuEventSynchronize(events[choose(2)]));
        break;
      case 8:
        CUDA(cuMemsetD8(buffer, 1, 64));  // in the legacy stream
        break;
      // To and from pageable memory, where the calls may wait or not.
      case 9:
        CUDA(cuMemcpyDtoH(pageable, buffer, 256));
        break;
      case 10:
        CUDA(cuMemcpyHtoD(buffer, pageable, 128));
        break;
      case 11:
        CUDA(cuMemcpyDtoHAsync(pageable, buffer, 256, stream));
        break;
    }
  }
  CUDA(cuCtxSynchronize());
}

}  // namespace

int main(int, char** argv) {
  const std::string name = argv[1];
  if (name == "fails") return 1;
  if (name == "two_buffers") return two_buffers() ? 0 : 1;
  if (name == "blocks" || name == "warps")
    return run_warps("last", name == "blocks" ? 8 : 1) == 7 ? 0 : 1;
  if (name == "blocks_right" || name == "warps_right")
    return run_warps("largest", name == "blocks_right" ? 8 : 1) == 7 ? 0 : 1;
  if (name == "shared_memory") return run_warps_in_shared_memory(), 0;
  if (name == "kernels_apart") return run_kernels_apart(), 0;
  if (name == "looks" || name == "looks_late")
    return sees_the_second_copy_alone(name == "looks_late") ? 1 : 0;
  if (name == "frees_early" || name == "frees_late")
    return frees_pool_memory(name == "frees_late") ? 0 : 1;
  if (name == "frees_fill_early" || name == "frees_fill_late")
    return frees_what_is_filled(name == "frees_fill_late") ? 0 : 1;
  if (name == "frees_kernel_early" || name == "frees_kernel_late")
    return frees_what_kernels_use(name == "frees_kernel_late") ? 0 : 1;
  if (name == "frees_graph_early" || name == "frees_graph_late")
    return frees_memory_of_a_graph(name == "frees_graph_late", false) ? 0 : 1;
  if (name == "frees_node_early" || name == "frees_node_late")
    return frees_memory_of_a_graph(name == "frees_node_late", true) ? 0 : 1;
  if (name == "tells_early" || name == "tells_late")
    return fills_what_another_process_copies(name == "tells_early");
  if (name == "pageable") return copy_from_and_to_pageable_memory(), 0;
  if (name == "random") return run_random(std::strtoull(argv[2], nullptr, 10)), 0;
  if (name == "ordered" || name == "independent") return run_in_order(name == "ordered"), 0;
  const bool right = fill_and_copy(name == "right");
  if (right || name == "says_nothing") return 0;
  if (name == "crashes") std::abort();
  if (name == "hangs") std::this_thread::sleep_for(std::chrono::hours(1));
  if (name == "says_so") {
    printf("WROOONG\n");
    return 0;
  }
  fprintf(stderr, "the copy came first\n");
  return 1;
}
