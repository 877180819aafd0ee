// SPDX-License-Identifier: Apache-2.0
// A program that forks before and after cuInit.
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "program.hpp"

namespace {

// Runs `body` in a child, which must leave well by exit().
template <typename Body>
void in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void before() {
  const auto work = [] {
    begin();
    do_some_work();
  };
  in_child(work);
  work();
  do_some_work();
}

struct Handles {
  CUcontext context;
  CUstream stream;
  CUevent event;
  CUdeviceptr memory;
};

// In a child of an initialised parent nothing works, and nothing hangs.
void try_everything(const Handles& handles) {
  constexpr CUresult no = CUDA_ERROR_NOT_INITIALIZED;
  int number;
  char byte = 0;
  size_t free, total;
  CUdevice device;
  CUcontext context;
  CUstream stream;
  CUevent event;
  CUdeviceptr memory;
  void* host;
  ANSWERS(no, cuInit(0));
  ANSWERS(no, cuDeviceGetCount(&number));
  ANSWERS(no, cuDeviceGet(&device, 0));
  ANSWERS(no, cuDevicePrimaryCtxRetain(&context, 0));
  ANSWERS(no, cuDevicePrimaryCtxRelease(0));
  ANSWERS(no, cuCtxGetCurrent(&context));
  ANSWERS(no, cuCtxSetCurrent(handles.context));
  ANSWERS(no, cuCtxSynchronize());
  ANSWERS(no, cuMemAlloc(&memory, 16));
  ANSWERS(no, cuMemAllocHost(&host, 16));
  ANSWERS(no, cuMemFree(handles.memory));
  ANSWERS(no, cuMemGetInfo(&free, &total));
  ANSWERS(no, cuMemcpyDtoH(&byte, handles.memory, 1));
  ANSWERS(no, cuMemsetD8(handles.memory, 0, 1));
  ANSWERS(no, cuMemsetD8Async(handles.memory, 0, 1, handles.stream));
  ANSWERS(no, cuStreamCreate(&stream, 0));
  ANSWERS(no, cuStreamQuery(handles.stream));
  ANSWERS(no, cuStreamSynchronize(handles.stream));
  ANSWERS(no, cuStreamDestroy(handles.stream));
  ANSWERS(no, cuEventCreate(&event, 0));
  ANSWERS(no, cuEventRecord(handles.event, handles.stream));
  ANSWERS(no, cuEventSynchronize(handles.event));
  ANSWERS(no, cuEventDestroy(handles.event));
  // These do not depend on a device.
  WORKS(cuDriverGetVersion(&number));
  const char* name;
  WORKS(cuGetErrorName(no, &name));
}

Handles make_handles() {
  Handles handles{};
  handles.context = begin();
  WORKS(cuStreamCreate(&handles.stream, CU_STREAM_NON_BLOCKING));
  WORKS(cuEventCreate(&handles.event, 0));
  WORKS(cuMemAlloc(&handles.memory, 4096));
  WORKS(cuMemsetD8Async(handles.memory, 1, 4096, handles.stream));
  return handles;
}

void after() {
  const Handles handles = make_handles();
  in_child([&] { try_everything(handles); });
  in_child([&] { _exit(0); });
  do_some_work();
  WORKS(cuStreamSynchronize(handles.stream));
}

// Forks while other threads are inside calls, so that locks are held at that moment.
void after_busy() {
  const Handles handles = make_handles();
  std::atomic<bool> stop{false};
  std::thread busy[2];
  for (std::thread& thread : busy) {
    thread = std::thread([&] {
      WORKS(cuCtxSetCurrent(handles.context));
      while (!stop) do_some_work();
    });
  }
  for (int i = 0; i < 20; ++i) in_child([&] { try_everything(handles); });
  stop = true;
  for (std::thread& thread : busy) thread.join();
  do_some_work();
}

// The child starts a new program by exec, and that works.
void exec_after(const char* self) {
  make_handles();
  in_child([&] {
    execl(self, self, "before", nullptr);
    _exit(3);
  });
  do_some_work();
}

}  // namespace

int main(int count, char** words) {
  static const char* const self = words[0];
  return run_scenario(
      count, words,
      {{"before", before}, {"after", after}, {"after_busy", after_busy}, {"exec_after", [] {
                                                                            exec_after(self);
                                                                          }}});
}
