// SPDX-License-Identifier: Apache-2.0
// Sequences of calls in any order, with live, stale and random handles, null pointers and odd
// sizes. Nothing may crash or hang. Host pointers are null or valid: a program's own bad pointer is
// its own fault.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/handles.hpp"
#include "tests/fuzz/input.hpp"

namespace {

constexpr size_t host_size = 1 << 20;
char host[host_size];

void set_scene() {
  static bool up = false;
  if (!up && cuInit(0) != CUDA_SUCCESS) std::abort();
  if (!up) stderr = std::fopen("/dev/null", "w");
  up = true;
}

void nothing(void*) {}
void CUDA_CB no_callback(CUstream, CUresult, void*) {}

struct Run {
  Input& input;
  Handles<CUcontext> contexts;
  Handles<CUstream> streams;
  Handles<CUevent> events;
  Handles<CUdeviceptr> memory;

  CUdevice device() { return input.below(8) ? 0 : static_cast<CUdevice>(input.number()); }
  CUdeviceptr address() { return memory.any(input) + (input.below(4) ? 0 : input.byte()); }
  void* pointer() { return input.below(16) ? host : nullptr; }
  // At most what the host's buffer holds, or more than any allocation.
  size_t host_bytes() {
    const uint64_t size = input.size();
    return size <= host_size || size >= (uint64_t{1} << 40) ? size : host_size;
  }

  void contexts_step() {
    CUcontext* place = contexts.place(input);
    CUcontext other;
    unsigned flags;
    int active;
    size_t value;
    switch (input.below(14)) {
      case 0:
        contexts.keep(cuDevicePrimaryCtxRetain(place, device()), place);
        break;
      case 1:
        cuDevicePrimaryCtxRelease(device());
        break;
      case 2:
        cuDevicePrimaryCtxReset(device());
        break;
      case 3:
        cuDevicePrimaryCtxSetFlags(device(), input.byte());
        break;
      case 4:
        cuDevicePrimaryCtxGetState(device(), &flags, &active);
        break;
      case 5:
        contexts.keep(cuCtxCreate(place, nullptr, input.below(8), device()), place);
        break;
      case 6:
        cuCtxDestroy(contexts.any(input));
        break;
      case 7:
        cuCtxPushCurrent(contexts.any(input));
        break;
      case 8:
        cuCtxPopCurrent(input.flip() ? &other : nullptr);
        break;
      case 9:
        cuCtxSetFlags(input.byte());
        break;
      case 10:
        cuCtxSetLimit(static_cast<CUlimit>(input.byte()), input.size());
        break;
      case 11:
        cuCtxGetLimit(&value, static_cast<CUlimit>(input.byte()));
        break;
      default:
        cuCtxSetCurrent(contexts.any(input));
        break;
    }
  }

  void memory_step() {
    CUdeviceptr* place = memory.place(input);
    void* pinned = nullptr;
    size_t pitch;
    unsigned type;
    switch (input.below(10)) {
      case 0:
        memory.keep(cuMemAlloc(place, input.size()), place);
        break;
      case 1:
        memory.keep(cuMemAllocPitch(place, &pitch, input.size(), input.byte(), input.byte()),
                    place);
        break;
      case 2:
        memory.keep(cuMemAllocManaged(place, input.size(), input.below(4)), place);
        break;
      case 3:
        if (cuMemHostAlloc(&pinned, input.size() % (1 << 22), input.below(16)) == CUDA_SUCCESS)
          cuMemFreeHost(pinned);
        break;
      case 4:
        cuMemHostRegister(pointer(), host_bytes(), input.byte());
        break;
      case 5:
        cuMemHostUnregister(pointer());
        break;
      case 6:
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address());
        break;
      case 7:
        cuMemGetAddressRange(place, input.flip() ? &pitch : nullptr, address());
        break;
      default:
        cuMemFree(address());
        break;
    }
  }

  void copy_step() {
    const CUstream stream = streams.any(input);
    CUDA_MEMCPY3D box{};
    switch (input.below(10)) {
      case 0:
        cuMemcpyHtoD(address(), pointer(), host_bytes());
        break;
      case 1:
        cuMemcpyDtoH(pointer(), address(), host_bytes());
        break;
      case 2:
        cuMemcpyDtoD(address(), address(), input.size());
        break;
      case 3:
        cuMemcpyHtoDAsync(address(), pointer(), host_bytes(), stream);
        break;
      case 4:
        cuMemcpyDtoHAsync(pointer(), address(), host_bytes(), stream);
        break;
      case 5:
        cuMemcpyDtoDAsync(address(), address(), input.size(), stream);
        break;
      case 6:
        cuMemsetD32Async(address(), input.byte(), input.size(), stream);
        break;
      case 7:
        cuMemsetD2D8(address(), input.size(), 1, input.size(), input.size());
        break;
      case 8:
        box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        box.srcDevice = address();
        box.dstDevice = address();
        box.srcPitch = input.size();
        box.dstPitch = input.size();
        box.srcHeight = input.size();
        box.dstHeight = input.byte();
        box.dstXInBytes = input.size();
        box.srcZ = input.byte();
        box.WidthInBytes = input.size();
        box.Height = input.size();
        box.Depth = input.byte();
        cuMemcpy3DAsync(input.below(16) ? &box : nullptr, stream);
        break;
      default:
        cuMemsetD8(address(), input.byte(), input.size());
        break;
    }
  }

  void order_step() {
    CUstream* stream = streams.place(input);
    CUevent* event = events.place(input);
    float time;
    switch (input.below(14)) {
      case 0:
        streams.keep(cuStreamCreateWithPriority(stream, input.below(4), input.byte() - 128),
                     stream);
        break;
      case 1:
        cuStreamDestroy(streams.any(input));
        break;
      case 2:
        cuStreamQuery(streams.any(input));
        break;
      case 3:
        cuStreamSynchronize(streams.any(input));
        break;
      case 4:
        events.keep(cuEventCreate(event, input.below(8)), event);
        break;
      case 5:
        cuEventDestroy(events.any(input));
        break;
      case 6:
        cuEventRecord(events.any(input), streams.any(input));
        break;
      case 7:
        cuStreamWaitEvent(streams.any(input), events.any(input), input.below(4));
        break;
      case 8:
        cuEventQuery(events.any(input));
        break;
      case 9:
        cuEventSynchronize(events.any(input));
        break;
      case 10:
        cuEventElapsedTime(&time, events.any(input), events.any(input));
        break;
      case 11:
        cuLaunchHostFunc(streams.any(input), input.below(8) ? nothing : nullptr, nullptr);
        break;
      case 12:
        cuStreamAddCallback(streams.any(input), no_callback, nullptr, input.below(2));
        break;
      default:
        cuCtxSynchronize();
        break;
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_scene();
  Input input(data, size);
  Run run{input, {}, {}, {}, {}};
  CUcontext context;
  if (cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) std::abort();
  while (!input.empty()) {
    switch (input.below(5)) {
      case 0:
        run.contexts_step();
        break;
      case 1:
        run.memory_step();
        break;
      case 2:
        run.copy_step();
        break;
      default:
        run.order_step();
        break;
    }
  }
  // Ends everything: the contexts that are left of this run, then the primary one.
  for (CUcontext* top = &context; cuCtxPopCurrent(top) == CUDA_SUCCESS;) {
  }
  for (const CUcontext one : run.contexts.all()) cuCtxDestroy(one);
  cuDevicePrimaryCtxReset(0);
  return 0;
}
