// SPDX-License-Identifier: Apache-2.0
// Threads: what each has of its own, and the default streams, legacy and per thread.
#include <thread>

#include "runtime.hpp"

using namespace conformance;

// What the headers name these functions if a program asks for a default stream per thread.
extern "C" {
cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t cudaMemcpy_ptds(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemset_ptds(void*, int, size_t);
cudaError_t cudaMemcpyAsync_ptsz(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t, unsigned*);
cudaError_t cudaEventRecord_ptsz(cudaEvent_t, cudaStream_t);
cudaError_t cudaMemcpyFromSymbol_ptds(void*, const void*, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t cudaMallocAsync_ptsz(void**, size_t, cudaStream_t);
cudaError_t cudaFreeAsync_ptsz(void*, cudaStream_t);
}

template <typename Function>
static void elsewhere(Function function) {
  std::thread(function).join();
}

CASE(rt_last_error_of_a_thread) {
  ASK(cudaMalloc(nullptr, 4));
  elsewhere([] {
    ASK(cudaPeekAtLastError());
    ASK(cudaSetDevice(99));
    ASK(cudaPeekAtLastError());
  });
  ASK(cudaPeekAtLastError());
  elsewhere([] { ASK(cudaGetLastError()); });
  ASK(cudaGetLastError());
}

CASE(rt_fault_in_another_thread) {
  PREPARE(cudaFree(nullptr));
  elsewhere([] {
    ASK(launch(&trap_now, 1, 1, 0, nullptr));
    ASK(cudaDeviceSynchronize());
    ASK(cudaGetLastError());
  });
  ASK(cudaPeekAtLastError());
  ASK(cudaDeviceSynchronize());
  ASK(cudaPeekAtLastError());
  elsewhere([] {
    ASK(cudaPeekAtLastError());
    ASK(cudaDeviceSynchronize());
  });
}

CASE(rt_device_of_a_thread) {
  int n = -7;
  NOTE("before", contexts());
  elsewhere([] { PREPARE(cudaSetDevice(0)); });
  NOTE("after another thread's cudaSetDevice", contexts());
  TRY(cudaGetDevice(&n));
  ASK(n);
  elsewhere([] {
    NOTE("in a new thread", contexts());
    void* p;
    TRY(cudaMalloc(&p, 4));
    NOTE("after its cudaMalloc", contexts());
  });
  NOTE("here", contexts());
  void* p;
  TRY(cudaMalloc(&p, 4));
  NOTE("here after cudaMalloc", contexts());
  elsewhere([] { TRY(cudaDeviceReset()); });
  NOTE("here after another thread's cudaDeviceReset", contexts());
  TRY(cudaMalloc(&p, 4));
  NOTE("here after another cudaMalloc", contexts());
}

CASE(rt_configuration_of_a_thread) {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  ASK(__cudaPushCallConfiguration(3, 4, 5, nullptr));
  elsewhere([&] { ASK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream)); });
  ASK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ASK(grid.x);
}

CASE(rt_capture_mode_of_a_thread) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  TRY(cudaThreadExchangeStreamCaptureMode(&mode));
  elsewhere([] {
    cudaStreamCaptureMode other = cudaStreamCaptureModeThreadLocal;
    TRY(cudaThreadExchangeStreamCaptureMode(&other));
    ASK(int(other));
  });
  mode = cudaStreamCaptureModeGlobal;
  TRY(cudaThreadExchangeStreamCaptureMode(&mode));
  ASK(int(mode));
}

CASE(rt_capture_from_another_thread) {
  static cudaStream_t s;
  cudaGraph_t g;
  PREPARE(cudaStreamCreate(&s));
  for (int mode : {0, 1, 2}) {
    PREPARE(cudaStreamBeginCapture(s, cudaStreamCaptureMode(mode)));
    elsewhere([] {
      void* p;
      cudaGraph_t graph;
      TRY(cudaMalloc(&p, 4));
      TRY(cudaStreamEndCapture(s, &graph));
    });
    TRY(cudaStreamEndCapture(s, &g));
  }
}

CASE(rt_default_streams) {
  cudaStream_t blocking, free;
  PREPARE(cudaStreamCreate(&blocking));
  PREPARE(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
  PREPARE(launch(&spin, 1, 1, 0, blocking, uint64_t{400'000'000}));
  TRY(cudaStreamQuery(blocking));
  TRY(cudaStreamQuery(free));
  TRY(cudaStreamQuery(nullptr));
  TRY(cudaStreamQuery(cudaStreamLegacy));
  TRY(cudaStreamQuery(cudaStreamPerThread));
  TRY(cudaStreamSynchronize(cudaStreamPerThread));
  TRY(cudaStreamQuery(blocking));
  TRY(cudaStreamSynchronize(free));
  TRY(cudaStreamQuery(blocking));
  TRY(cudaStreamSynchronize(nullptr));
  TRY(cudaStreamQuery(blocking));
}

CASE(rt_per_thread_stream) {
  PREPARE(launch(&spin, 1, 1, 0, cudaStreamPerThread, uint64_t{400'000'000}));
  TRY(cudaStreamQuery(cudaStreamPerThread));
  elsewhere([] { TRY(cudaStreamQuery(cudaStreamPerThread)); });
  TRY(cudaStreamSynchronize(cudaStreamPerThread));
  unsigned long long here, there;
  PREPARE(cudaStreamGetId(cudaStreamPerThread, &here));
  elsewhere([&] { PREPARE(cudaStreamGetId(cudaStreamPerThread, &there)); });
  ASK(here == there);
}

CASE(rt_per_thread_functions) {
  void* p;
  unsigned flags, value = 9;
  cudaEvent_t event;
  cudaStreamCaptureStatus status;
  PREPARE(cudaMalloc(&p, 64));
  TRY(cudaLaunchKernel_ptsz(&empty, 1, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchKernel_ptsz(&empty, 0, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchKernel_ptsz(unregistered, 1, 1, nullptr, 0, nullptr));
  TRY(cudaMemset_ptds(p, 0, 64));
  TRY(cudaMemcpy_ptds(&value, p, 4, cudaMemcpyDeviceToHost));
  ASK(value);
  TRY(cudaMemcpy_ptds(&value, p, 4, cudaMemcpyKind(9)));
  TRY(cudaMemcpyAsync_ptsz(&value, p, 4, cudaMemcpyDeviceToHost, nullptr));
  TRY(cudaStreamGetFlags_ptsz(nullptr, &flags));
  ASK(flags);
  TRY(cudaStreamGetFlags(nullptr, &flags));
  ASK(flags);
  PREPARE(cudaEventCreate(&event));
  TRY(cudaEventRecord_ptsz(event, nullptr));
  TRY(cudaMemcpyFromSymbol_ptds(&value, numbers, 4, 0, cudaMemcpyDeviceToHost));
  ASK(value);
  TRY(cudaMallocAsync_ptsz(&p, 64, nullptr));
  TRY(cudaFreeAsync_ptsz(p, nullptr));
  uint64_t ns = 400'000'000;
  void* arguments[] = {&ns};
  PREPARE(cudaLaunchKernel_ptsz(&spin, 1, 1, arguments, 0, nullptr));
  TRY(cudaStreamQuery_ptsz(nullptr));
  TRY(cudaStreamQuery(cudaStreamPerThread));
  TRY(cudaStreamSynchronize_ptsz(nullptr));
  TRY(cudaStreamQuery_ptsz(nullptr));
  cudaStream_t capturing;
  cudaGraph_t g;
  PREPARE(cudaStreamCreate(&capturing));
  PREPARE(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeRelaxed));
  TRY(cudaStreamIsCapturing_ptsz(nullptr, &status));
  TRY(cudaStreamIsCapturing(nullptr, &status));
  TRY(cudaStreamEndCapture(capturing, &g));
}

int main(int count, char** names) { return run(count, names); }
