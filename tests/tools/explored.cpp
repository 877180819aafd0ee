// SPDX-License-Identifier: Apache-2.0
// A program for `cuvette explore` to run: correct, or wrong in one way.
#include <cuda.h>

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

}  // namespace

int main(int, char** argv) {
  const std::string name = argv[1];
  if (name == "fails") return 1;
  if (name == "two_buffers") return two_buffers() ? 0 : 1;
  const bool right = fill_and_copy(name == "right");
  if (right) return 0;
  if (name == "crashes") std::abort();
  if (name == "hangs") std::this_thread::sleep_for(std::chrono::hours(1));
  if (name == "says_so") {
    printf("WROOONG\n");
    return 0;
  }
  fprintf(stderr, "the copy came first\n");
  return 1;
}
