// SPDX-License-Identifier: Apache-2.0
// explored_load MODE FRAMES: a correct program for `cuvette explore` to run, whose own time is
// about FRAMES milliseconds: each frame the host computes for about that long, between what MODE
// gives a device to do. bench/tools/explore_cost measures what exploring it costs.
#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "examples/need.hpp"

namespace {

constexpr size_t bytes = 64 << 10;

// About a millisecond of a core: always the same work.
uint64_t compute(uint64_t value) {
  for (int i = 0; i < 330'000; ++i) {
    value += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value ^= value >> 27;
  }
  return value;
}

struct Frames {
  Frames() {
    CUcontext context;
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    for (CUstream& stream : streams) NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (CUevent& event : events) NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    NEED(cuMemAlloc(&input, bytes));
    NEED(cuMemAlloc(&output, bytes));
    NEED(cuMemAllocHost(reinterpret_cast<void**>(&staging), bytes));
    NEED(cuMemAllocHost(reinterpret_cast<void**>(&result), bytes));
  }

  // Copies to the device in one stream, across and back in the other.
  void submit(uint64_t seed) {
    memset(staging, static_cast<int>(seed), bytes);
    NEED(cuMemcpyHtoDAsync(input, staging, bytes, streams[0]));
    NEED(cuEventRecord(events[0], streams[0]));
    NEED(cuStreamWaitEvent(streams[1], events[0], 0));
    NEED(cuMemcpyDtoDAsync(output, input, bytes, streams[1]));
    NEED(cuMemcpyDtoHAsync(result, output, bytes, streams[1]));
    NEED(cuEventRecord(events[1], streams[1]));
  }

  void run(const char* mode, int frames) {
    uint64_t value = 1;
    for (int frame = 0; frame < frames; ++frame) {
      if (strcmp(mode, "sleeps") == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      } else {
        value = compute(value);
      }
      submit(static_cast<uint64_t>(frame));
      if (strcmp(mode, "calls") == 0) {
        const auto count = [](void* data) { ++*static_cast<int*>(data); };
        NEED(cuLaunchHostFunc(streams[1], count, &called));
        NEED(cuStreamSynchronize(streams[1]));
      } else if (strcmp(mode, "is_woken") == 0) {
        NEED(cuLaunchHostFunc(streams[1], wake, this));
        std::unique_lock lock(mutex);
        woken.wait(lock, [&] { return called == frame + 1; });
      } else if (strcmp(mode, "polls") == 0) {
        CUresult answer;
        while ((answer = cuEventQuery(events[1])) == CUDA_ERROR_NOT_READY) {
        }
        NEED(answer);
      } else {
        NEED(cuEventSynchronize(events[1]));
      }
      if (result[bytes - 1] != static_cast<uint8_t>(frame)) std::exit(1);
    }
    printf("%llu\n", static_cast<unsigned long long>(value));
  }

  static void wake(void* data) {
    auto* const self = static_cast<Frames*>(data);
    const std::lock_guard lock(self->mutex);
    ++self->called;
    self->woken.notify_one();
  }

  std::mutex mutex;
  std::condition_variable woken;
  CUstream streams[2];
  CUevent events[2];
  CUdeviceptr input = 0, output = 0;
  uint8_t *staging = nullptr, *result = nullptr;
  int called = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Frames().run(argv[1], atoi(argv[2]));
}
