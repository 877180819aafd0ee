// SPDX-License-Identifier: Apache-2.0
// Many threads on the same streams, events and memory. The tsan preset runs it under
// ThreadSanitizer.
#include <cuda.h>

#include <random>

#include "tests/api/driver/gate.hpp"

namespace {

constexpr int thread_count = 8, rounds = 250;

TEST(Stress, EightThreadsOnSharedStreamsEventsAndMemory) {
  const Scene scene;
  const CUstream streams[] = {new_stream(),
                              new_stream(),
                              new_stream(CU_STREAM_DEFAULT),
                              new_stream(CU_STREAM_DEFAULT),
                              nullptr,
                              CU_STREAM_PER_THREAD};
  const CUevent events[] = {new_event(), new_event(CU_EVENT_DEFAULT),
                            new_event(CU_EVENT_BLOCKING_SYNC), new_event(CU_EVENT_DEFAULT)};
  constexpr size_t size = 64 << 10;
  const CUdeviceptr shared = new_memory(size);
  std::atomic<int> called{0}, launched{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      OK(cuCtxSetCurrent(scene.context));
      std::mt19937 random(t);
      const CUdeviceptr own = new_memory(size);
      std::vector<unsigned> host(size / 4);
      for (int i = 0; i < rounds; ++i) {
        const CUstream stream = streams[random() % std::size(streams)];
        const CUevent event = events[random() % std::size(events)];
        float time;
        switch (random() % 14) {
          case 0:
            OK(cuMemsetD32Async(shared, random(), size / 4, stream));
            break;
          case 1:
            OK(cuMemcpyDtoDAsync(own, shared, size, stream));
            break;
          case 2:
            OK(cuEventRecord(event, stream));
            break;
          case 3:
          case 4:
            OK(cuStreamWaitEvent(stream, event, 0));
            break;
          case 5:
            OK(cuEventSynchronize(event));
            break;
          case 6:
            OK(cuStreamSynchronize(stream));
            break;
          case 7:
            EXPECT_NE(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
            break;
          case 8:
            cuEventElapsedTime(&time, events[1], events[3]);
            break;
          case 9:
            ++launched;
            OK(cuLaunchHostFunc(
                stream, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &called));
            break;
          case 10:
            OK(cuMemcpyHtoDAsync(own, host.data(), 4096, stream));
            break;
          case 11: {
            // A stream of its own, from creation to destruction.
            const CUstream mine = new_stream(random() % 2);
            const unsigned value = random();
            OK(cuMemsetD32Async(own, value, size / 4, mine));
            OK(cuMemcpyDtoHAsync(host.data(), own, size, mine));
            OK(cuStreamSynchronize(mine));
            OK(cuStreamDestroy(mine));
            break;
          }
          case 12: {
            const CUevent mine = new_event();
            OK(cuEventRecord(mine, stream));
            OK(cuStreamWaitEvent(streams[random() % std::size(streams)], mine, 0));
            OK(cuEventDestroy(mine));
            break;
          }
          case 13: {
            CUdeviceptr fleeting;
            OK(cuMemAlloc(&fleeting, 4096));
            OK(cuMemsetD8Async(fleeting, 1, 4096, stream));
            OK(cuMemFree(fleeting));
            break;
          }
        }
      }
      OK(cuCtxSynchronize());
      OK(cuMemFree(own));
    });
  for (std::thread& thread : threads) thread.join();
  OK(cuCtxSynchronize());
  EXPECT_EQ(called, launched);
  for (const CUevent event : events) OK(cuEventDestroy(event));
}

// A ring of threads hands on one buffer by events; each adds to its value.
TEST(Stress, ABufferIsHandedOnByEvents) {
  const Scene scene;
  constexpr int ring = 8, laps = 40;
  const CUdeviceptr memory = new_memory(4096);
  OK(cuMemsetD32(memory, 0, 1024));
  OK(cuCtxSynchronize());
  const CUevent event = new_event();
  unsigned* pinned;
  OK(cuMemAllocHost(reinterpret_cast<void**>(&pinned), 4096));
  std::atomic<int> turn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < ring; ++t)
    threads.emplace_back([&, t] {
      OK(cuCtxSetCurrent(scene.context));
      const CUstream stream = new_stream();
      for (int lap = 0; lap < laps; ++lap) {
        while (turn.load() % ring != t) std::this_thread::yield();
        OK(cuStreamWaitEvent(stream, event, 0));
        OK(cuMemcpyDtoHAsync(pinned, memory, 4096, stream));
        OK(cuLaunchHostFunc(
            stream,
            [](void* data) {
              auto* numbers = static_cast<unsigned*>(data);
              for (int i = 0; i < 1024; ++i) ++numbers[i];
            },
            pinned));
        OK(cuMemcpyHtoDAsync(memory, pinned, 4096, stream));
        OK(cuEventRecord(event, stream));
        ++turn;
      }
      OK(cuStreamDestroy(stream));
    });
  for (std::thread& thread : threads) thread.join();
  OK(cuCtxSynchronize());
  unsigned last = 0;
  OK(cuMemcpyDtoH(&last, memory + 4092, 4));
  EXPECT_EQ(last, unsigned{ring * laps});
  OK(cuMemFreeHost(pinned));
}

// Several threads create and destroy contexts at the same time.
TEST(Stress, ContextsComeAndGo) {
  OK(cuInit(0));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 20; ++i) {
        CUcontext context;
        OK(cuCtxCreate(&context, nullptr, 0, 0));
        std::atomic<int> called{0};
        for (const CUstream stream : {new_stream(), CUstream{nullptr}, CU_STREAM_PER_THREAD}) {
          OK(cuMemsetD8Async(new_memory(4096), 1, 4096, stream));
          OK(cuLaunchHostFunc(
              stream, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &called));
        }
        OK(cuCtxDestroy(context));
        EXPECT_EQ(called, 3);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
