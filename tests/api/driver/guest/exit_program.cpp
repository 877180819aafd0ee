// SPDX-License-Identifier: Apache-2.0
// A program that exits in the middle of its work, and one that makes calls during its exit.
#include <atomic>
#include <thread>

#include "program.hpp"

namespace {

// The calls of a program that cleans up late. All handles were made before.
struct Late {
  CUcontext context;
  CUstream stream;
  CUevent event;
  CUdeviceptr memory;
} late;

void call_everything(CUresult answer) {
  int count;
  CUcontext context;
  CUdeviceptr memory;
  CUstream stream;
  ANSWERS(answer, cuDeviceGetCount(&count));
  ANSWERS(answer, cuCtxGetCurrent(&context));
  ANSWERS(answer, cuMemAlloc(&memory, 16));
  ANSWERS(answer, cuStreamCreate(&stream, 0));
  ANSWERS(answer, cuStreamSynchronize(late.stream));
  ANSWERS(answer, cuCtxSynchronize());
  ANSWERS(answer, cuMemsetD8(late.memory, 0, 1));
  ANSWERS(answer, cuMemFree(late.memory));
  ANSWERS(answer, cuEventDestroy(late.event));
  ANSWERS(answer, cuStreamDestroy(late.stream));
  ANSWERS(answer, cuDevicePrimaryCtxRelease(0));
}

// Its destructor runs after the exit handlers that main registers.
struct StaticObject {
  bool calls = false;
  ~StaticObject() {
    if (!calls) return;
    call_everything(CUDA_ERROR_DEINITIALIZED);
    printf("static object gone\n");
  }
} static_object;

void make_late() {
  late.context = begin();
  WORKS(cuStreamCreate(&late.stream, 0));
  WORKS(cuEventCreate(&late.event, 0));
  WORKS(cuMemAlloc(&late.memory, 4096));
}

void calls_from_static_object() {
  static_object.calls = true;
  make_late();
}

void calls_from_handler_before() {
  atexit([] {
    call_everything(CUDA_ERROR_DEINITIALIZED);
    printf("handler done\n");
  });
  make_late();
}

// A handler registered after cuInit runs while everything still exists.
void calls_from_handler_after() {
  make_late();
  atexit([] {
    call_everything(CUDA_SUCCESS);
    printf("handler done\n");
  });
}

void sleep_for_ever(void*) {
  for (;;) pause();
}

CUstream blocked_stream() {
  begin();
  CUstream stream;
  WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  WORKS(cuLaunchHostFunc(stream, sleep_for_ever, nullptr));
  CUdeviceptr memory;
  WORKS(cuMemAlloc(&memory, 4096));
  WORKS(cuMemsetD8Async(memory, 1, 4096, stream));
  return stream;
}

void pending_host_function() { blocked_stream(); }

void pending_queue() {
  begin();
  CUdeviceptr memory;
  WORKS(cuMemAlloc(&memory, 64 << 10));
  for (int i = 0; i < 100000; ++i) WORKS(cuMemsetD8Async(memory, 1, 64 << 10, nullptr));
}

void from_second_thread() {
  const CUstream stream = blocked_stream();
  std::thread([] {
    usleep(50000);
    exit(0);
  }).detach();
  cuStreamSynchronize(stream);
  REQUIRE(false && "the stream never completes");
}

// Threads keep calling while the process exits: every call returns something, and none crashes.
void while_others_call() {
  const CUcontext context = begin();
  static std::atomic<int> running{0};
  for (int i = 0; i < 3; ++i) {
    std::thread([context] {
      WORKS(cuCtxSetCurrent(context));
      ++running;
      CUdeviceptr memory;
      for (;;) {
        if (cuMemAlloc(&memory, 4096) != CUDA_SUCCESS) continue;
        cuMemsetD8Async(memory, 1, 4096, nullptr);
        cuMemFree(memory);
      }
    }).detach();
  }
  while (running < 3) usleep(1000);
  usleep(20000);
}

// Holds imported, allocated and touched memory until the process is killed.
void hold() {
  begin();
  Imported imported(1 << 20);
  CUdeviceptr memory, managed;
  void* host;
  CUstream stream;
  WORKS(cuMemAlloc(&memory, 1 << 20));
  WORKS(cuMemAllocHost(&host, 1 << 20));
  WORKS(cuMemAllocManaged(&managed, 1 << 20, CU_MEM_ATTACH_GLOBAL));
  WORKS(cuStreamCreate(&stream, 0));
  WORKS(cuMemsetD8(memory, 1, 1 << 20));
  WORKS(cuMemcpyDtoD(imported.address, memory, 1 << 20));
  memset(host, 1, 1 << 20);
  printf("ready\n");
  fflush(stdout);
  sleep_for_ever(nullptr);
}

// Uses as much as the limit on the address space leaves.
void limited() {
  CUdevice device;
  CUcontext context;
  const CUresult started = cuInit(0);
  if (started != CUDA_SUCCESS) {
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, started);
    printf("cuInit: out of memory\n");
    return;
  }
  WORKS(cuDeviceGet(&device, 0));
  WORKS(cuDevicePrimaryCtxRetain(&context, device));
  WORKS(cuCtxSetCurrent(context));
  do_some_work();
  size_t free, total;
  WORKS(cuMemGetInfo(&free, &total));
  CUdeviceptr memory;
  // A driver keeps a little for itself: `free` is not exact to the byte.
  ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&memory, total + (size_t{64} << 20)));
  ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&memory, size_t{1} << 50));
  void* host;
  ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocHost(&host, size_t{16} << 30));
  WORKS(cuMemAlloc(&memory, free / 2));
  WORKS(cuMemFree(memory));
  Imported imported(1 << 20);
  WORKS(cuMemsetD8(imported.address, 1, 1 << 20));
  do_some_work();
  printf("cuInit: success\n");
}

}  // namespace

int main(int count, char** words) {
  return run_scenario(count, words,
                      {{"static_object", calls_from_static_object},
                       {"handler_before", calls_from_handler_before},
                       {"handler_after", calls_from_handler_after},
                       {"pending_host_function", pending_host_function},
                       {"pending_queue", pending_queue},
                       {"second_thread", from_second_thread},
                       {"others_call", while_others_call},
                       {"hold", hold},
                       {"limited", limited}});
}
