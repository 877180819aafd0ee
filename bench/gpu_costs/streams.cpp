// SPDX-License-Identifier: Apache-2.0
// Streams, events, launches, and waiting for them. "pending" calls are made while a kernel of 100
// microseconds runs; of a wait only what is left after the kernel's end is counted.
#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

constexpr uint64_t busy = 100000;  // nanoseconds that the kernel takes

void create_and_destroy(Costs& costs) {
  costs.repeat(100, .3, [&] {
    CUstream stream = nullptr;
    CUevent event = nullptr;
    costs.timed({"cuStreamCreate", ""}, 1,
                [&] { return cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING); });
    costs.timed({"cuStreamDestroy", ""}, 1, [&] { return cuStreamDestroy(stream); });
    costs.timed({"cuStreamCreateWithPriority", ""}, 1,
                [&] { return cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1); });
    cuStreamDestroy(stream);
    costs.timed({"cuEventCreate", ""}, 1,
                [&] { return cuEventCreate(&event, CU_EVENT_DISABLE_TIMING); });
    costs.timed({"cuEventDestroy", ""}, 1, [&] { return cuEventDestroy(event); });
  });
  // Many at a time: the driver keeps some for later.
  costs.repeat(3, .3, [&] {
    std::vector<CUstream> streams(64);
    for (CUstream& stream : streams)
      costs.timed({"cuStreamCreate", "many"}, 1,
                  [&] { return cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING); });
    for (CUstream stream : streams)
      costs.timed({"cuStreamDestroy", "many"}, 1, [&] { return cuStreamDestroy(stream); });
  });
}

void launches(Costs& costs, const Kernels& kernels, CUstream stream, const std::string& classes) {
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, 1 << 20));
  void* one[] = {&memory};
  std::vector<char> bytes(3072);
  void* large[] = {bytes.data()};
  costs.repeat(40, .3, [&] {
    cuStreamSynchronize(stream);
    for (int i = 0; i < 50; ++i)
      costs.timed({"cuLaunchKernel", i ? classes + "pending" : classes + "idle"}, 1,
                  [&] { return launch(kernels.nothing, stream); });
    cuStreamSynchronize(stream);
    for (int i = 0; i < 20; ++i)
      costs.timed(
          {"cuLaunchKernel", i ? classes + "argument pending" : classes + "argument idle"}, 1,
          [&] { return cuLaunchKernel(kernels.one, 1, 1, 1, 32, 1, 1, 0, stream, one, nullptr); });
    cuStreamSynchronize(stream);
    costs.timed({"cuLaunchKernel", classes + "large-arguments"}, 1, [&] {
      return cuLaunchKernel(kernels.large, 1, 1, 1, 32, 1, 1, 0, stream, large, nullptr);
    });
    cuStreamSynchronize(stream);
    for (int i = 0; i < 20; ++i) {
      CUlaunchConfig config{};
      config.gridDimX = config.gridDimY = config.gridDimZ = 1;
      config.blockDimX = 32;
      config.blockDimY = config.blockDimZ = 1;
      config.hStream = stream;
      costs.timed({"cuLaunchKernelEx", i ? classes + "pending" : classes + "idle"}, 1,
                  [&] { return cuLaunchKernelEx(&config, kernels.nothing, nullptr, nullptr); });
    }
    cuStreamSynchronize(stream);
    costs.timed({"cuLaunchCooperativeKernel", classes}, 1, [&] {
      return cuLaunchCooperativeKernel(kernels.nothing, 1, 1, 1, 32, 1, 1, 0, stream, nullptr);
    });
    cuStreamSynchronize(stream);
    // One kernel, waited for, again and again.
    for (int i = 0; i < 10; ++i) {
      costs.timed({"cuLaunchKernel", classes + "waited"}, 1,
                  [&] { return launch(kernels.nothing, stream); });
      const double begin = now_ns();
      cuStreamSynchronize(stream);
      costs.add({"cuStreamSynchronize", "behind-kernel", "call", "wait"}, 1, now_ns() - begin);
    }
  });
  cuMemFree(memory);
}

// What a wait takes beyond the work's end: the whole, less the launch and the kernel's time.
template <typename Wait>
void overhang(Costs& costs, const Kernels& kernels, CUstream stream, const Row& row, Wait wait) {
  for (const uint64_t ns : {uint64_t{20000}, busy}) {
    costs.repeat(30, .1, [&] {
      cuStreamSynchronize(stream);
      NEED(spin(kernels, ns, stream));
      const double begin = now_ns();
      NEED(wait());
      costs.add(row, static_cast<double>(ns), now_ns() - begin - static_cast<double>(ns));
    });
  }
}

void waits(Costs& costs, const Kernels& kernels, CUstream stream) {
  CUstream other = nullptr;
  CUevent event = nullptr, timing = nullptr, start = nullptr, blocking = nullptr, old = nullptr;
  NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  NEED(cuEventCreate(&old, CU_EVENT_DISABLE_TIMING));
  NEED(cuEventCreate(&timing, CU_EVENT_DEFAULT));
  NEED(cuEventCreate(&start, CU_EVENT_DEFAULT));
  NEED(cuEventCreate(&blocking, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC));
  NEED(cuEventRecord(old, stream));
  costs.repeat(40, .4, [&] {
    NEED(cuCtxSynchronize());
    costs.timed({"cuStreamSynchronize", "idle"}, 1, [&] { return cuStreamSynchronize(stream); });
    costs.timed({"cuStreamQuery", "idle"}, 1, [&] { return cuStreamQuery(stream); });
    costs.timed({"cuCtxSynchronize", "idle"}, 1, [&] { return cuCtxSynchronize(); });
    costs.timed({"cuEventQuery", "idle"}, 1, [&] { return cuEventQuery(old); });
    costs.timed({"cuEventSynchronize", "idle"}, 1, [&] { return cuEventSynchronize(old); });
    costs.timed({"cuEventRecord", "idle"}, 1, [&] { return cuEventRecord(event, stream); });
    costs.timed({"cuEventRecord", "timing idle"}, 1, [&] { return cuEventRecord(start, stream); });
    cuCtxSynchronize();
    costs.timed({"cuStreamWaitEvent", "idle"}, 1,
                [&] { return cuStreamWaitEvent(other, event, 0); });
    cuCtxSynchronize();
    costs.timed({"cuLaunchHostFunc", "idle"}, 1, [&] {
      return cuLaunchHostFunc(
          stream, [](void*) {}, nullptr);
    });
    cuCtxSynchronize();
    // While a kernel runs.
    NEED(spin(kernels, busy, stream));
    costs.timed({"cuStreamQuery", "pending"}, 1, [&] { return cuStreamQuery(stream); });
    costs.timed({"cuEventRecord", "pending"}, 1, [&] { return cuEventRecord(event, stream); });
    costs.timed({"cuEventRecord", "timing pending"}, 1,
                [&] { return cuEventRecord(timing, stream); });
    costs.timed({"cuEventQuery", "pending"}, 1, [&] { return cuEventQuery(event); });
    costs.timed({"cuStreamWaitEvent", "pending"}, 1,
                [&] { return cuStreamWaitEvent(other, event, 0); });
    costs.timed({"cuLaunchHostFunc", "pending"}, 1, [&] {
      return cuLaunchHostFunc(
          stream, [](void*) {}, nullptr);
    });
    cuCtxSynchronize();
    float ms;
    costs.timed({"cuEventElapsedTime", ""}, 1,
                [&] { return cuEventElapsedTime(&ms, start, timing); });
    NEED(spin(kernels, busy, stream));
    CUstream short_lived = nullptr;
    cuStreamCreate(&short_lived, CU_STREAM_NON_BLOCKING);
    NEED(spin(kernels, 1000, short_lived));
    costs.timed({"cuStreamDestroy", "pending"}, 1, [&] { return cuStreamDestroy(short_lived); });
    cuCtxSynchronize();
  });
  overhang(costs, kernels, stream, {"cuStreamSynchronize", "pending", "call", "wait"},
           [&] { return cuStreamSynchronize(stream); });
  overhang(costs, kernels, stream, {"cuCtxSynchronize", "pending", "call", "wait"},
           [&] { return cuCtxSynchronize(); });
  overhang(costs, kernels, stream, {"cuEventSynchronize", "pending", "call", "wait"}, [&] {
    NEED(cuEventRecord(event, stream));
    return cuEventSynchronize(event);
  });
  overhang(costs, kernels, stream, {"cuEventSynchronize", "blocking pending", "call", "wait"}, [&] {
    NEED(cuEventRecord(blocking, stream));
    return cuEventSynchronize(blocking);
  });
  for (const CUevent each : {event, timing, start, blocking, old}) cuEventDestroy(each);
  cuStreamDestroy(other);
}

// What a stream loses when its work goes from one engine to another, and back: a copy from the
// host, a kernel and a copy to it, again and again, less what each takes among its like.
void engines(Costs& costs, const Kernels& kernels, CUstream stream) {
  constexpr int count = 40;
  constexpr size_t size = 4096;
  CUdeviceptr memory = 0;
  void* pinned = nullptr;
  NEED(cuMemAlloc(&memory, size));
  NEED(cuMemAllocHost(&pinned, size));
  const auto in = [&] { NEED(cuMemcpyHtoDAsync(memory, pinned, size, stream)); };
  const auto out = [&] { NEED(cuMemcpyDtoHAsync(pinned, memory, size, stream)); };
  const auto run = [&] { NEED(launch(kernels.nothing, stream)); };
  // From the beginning of the work, which is held back until all is submitted, to its end.
  const auto time_of = [&](auto work) {
    NEED(cuCtxSynchronize());
    NEED(spin(kernels, 600000, stream));
    const double begin = now_ns();
    for (int i = 0; i < count; ++i) work();
    NEED(cuStreamSynchronize(stream));
    return now_ns() - begin - 600000;
  };
  costs.repeat(20, .2, [&] {
    const double alike = time_of(run) + time_of(in) + time_of(out);
    costs.add({"engine-change", "", "call", "wait"}, 1,
              (time_of([&] { in(), run(), out(); }) - alike) / (3 * count));
  });
  cuMemFreeHost(pinned);
  cuMemFree(memory);
}

void memory_operations(Costs& costs, CUstream stream) {
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, 1 << 20));
  NEED(cuMemsetD32(memory, 0, 1));
  costs.repeat(40, .1, [&] {
    costs.timed({"cuStreamWriteValue32", ""}, 1,
                [&] { return cuStreamWriteValue32(stream, memory, 7, 0); });
    costs.timed({"cuStreamWaitValue32", ""}, 1,
                [&] { return cuStreamWaitValue32(stream, memory, 7, CU_STREAM_WAIT_VALUE_GEQ); });
    cuStreamSynchronize(stream);
  });
  cuMemFree(memory);
}

}  // namespace

void measure_streams(Costs& costs) {
  const Kernels kernels;
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  create_and_destroy(costs);
  launches(costs, kernels, stream, "");
  launches(costs, kernels, nullptr, "legacy ");
  waits(costs, kernels, stream);
  engines(costs, kernels, stream);
  memory_operations(costs, stream);
  costs.repeat(5, 2, [&] {
    CUcontext before = nullptr, context = nullptr;
    cuCtxGetCurrent(&before);
    if (!costs.timed({"cuCtxCreate", ""}, 1, [&] { return cuCtxCreate(&context, nullptr, 0, 0); }))
      return;
    costs.timed({"cuCtxDestroy", ""}, 1, [&] { return cuCtxDestroy(context); });
    cuCtxSetCurrent(before);
  });
  cuStreamDestroy(stream);
}

}  // namespace cuvette::bench
