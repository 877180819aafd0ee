// SPDX-License-Identifier: Apache-2.0
// What the runtime makes of contexts that the driver API created, retained, released or reset.
#include "runtime.hpp"

using namespace conformance;

namespace {

void ask_flags_and_reset() {
  unsigned flags = 0;
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  NOTE("after cudaGetDeviceFlags", contexts());
  TRY(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  NOTE("after cudaSetDeviceFlags", contexts());
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  CUcontext before = nullptr, after = nullptr;
  ASK(cuCtxGetCurrent(&before));
  TRY(cudaDeviceReset());
  NOTE("after cudaDeviceReset", contexts());
  ASK(cuCtxGetCurrent(&after));
  ASK(before == after);
  ASK(after == nullptr);
}

}  // namespace

CASE(rt_created_context) {
  CUcontext own;
  PREPARE(cuInit(0));
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  NOTE("contexts", contexts());
  ask_flags_and_reset();
  ASK(cuCtxDestroy(own));
}

CASE(rt_created_beside_primary) {
  CUcontext own, primary;
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  NOTE("contexts", contexts());
  ask_flags_and_reset();
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuCtxDestroy(own));
}

CASE(rt_retained_by_driver) {
  CUcontext primary;
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  PREPARE(cuCtxSetCurrent(primary));
  NOTE("contexts", contexts());
  ask_flags_and_reset();
  ASK(cuDevicePrimaryCtxRelease(0));
}

CASE(rt_released_by_driver) {
  CUcontext primary;
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  PREPARE(cuCtxSetCurrent(primary));
  PREPARE(cuDevicePrimaryCtxRelease(0));
  NOTE("contexts", contexts());
  ask_flags_and_reset();
  void* p = nullptr;
  TRY(cudaMalloc(&p, 16));
  NOTE("contexts", contexts());
}

CASE(rt_released_under_runtime) {
  void* p = nullptr;
  PREPARE(cudaMalloc(&p, 16));
  ASK(cuDevicePrimaryCtxRelease(0));
  NOTE("contexts", contexts());
  TRY(cudaMemset(p, 0, 16));
  TRY(cudaFree(p));
  ask_flags_and_reset();
}

CASE(rt_reset_by_driver) {
  void* p = nullptr;
  PREPARE(cudaMalloc(&p, 16));
  PREPARE(cuDevicePrimaryCtxReset(0));
  NOTE("contexts", contexts());
  ask_flags_and_reset();
  TRY(cudaMalloc(&p, 16));
  NOTE("contexts", contexts());
}

CASE(rt_destroyed_context) {
  CUcontext own;
  PREPARE(cuInit(0));
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  void* p = nullptr;
  TRY(cudaMalloc(&p, 16));
  ASK(cuCtxDestroy(own));
  NOTE("contexts", contexts());
  int device = -7;
  TRY(cudaGetDevice(&device));
  ASK(device);
  TRY(cudaFree(p));
  TRY(cudaMalloc(&p, 16));
  NOTE("contexts", contexts());
}

CASE(rt_popped_context) {
  CUcontext own, popped, current;
  PREPARE(cuInit(0));
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  cudaStream_t s;
  TRY(cudaStreamCreate(&s));
  PREPARE(cuCtxPopCurrent(&popped));
  TRY(cudaStreamQuery(s));
  ASK(cuCtxGetCurrent(&current));
  ASK(current == own);
  ASK(current == nullptr);
  NOTE("contexts", contexts());
  TRY(cudaStreamDestroy(s));
  ASK(cuCtxPushCurrent(own));
  TRY(cudaSetDevice(0));
  ASK(cuCtxGetCurrent(&current));
  ASK(current == own);
  ASK(cuCtxPopCurrent(&popped));
  ASK(popped == own);
  ASK(cuCtxPopCurrent(&popped));
}

CASE(rt_end_capture_without_graph) {
  cudaStream_t s;
  cudaGraph_t g = nullptr;
  cudaStreamCaptureStatus status;
  PREPARE(cudaStreamCreate(&s));
  TRY(cudaStreamEndCapture(s, nullptr));
  ASK(cuStreamEndCapture(s, nullptr));
  TRY(cudaStreamEndCapture(s, &g));
  TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamEndCapture(s, nullptr));
  TRY(cudaStreamIsCapturing(s, &status));
  ASK(int(status));
  TRY(cudaStreamEndCapture(s, &g));
  ASK(g != nullptr);
  PREPARE(cudaStreamDestroy(s));
  PREPARE(cudaStreamCreate(&s));
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuStreamEndCapture(s, nullptr));
  TRY(cudaStreamIsCapturing(s, &status));
  ASK(int(status));
  CUgraph captured = nullptr;
  ASK(cuStreamEndCapture(s, &captured));
  ASK(captured != nullptr);
  TRY(cudaStreamEndCapture(nullptr, &g));
  TRY(cudaStreamEndCapture(cudaStreamLegacy, &g));
  TRY(cudaStreamEndCapture(cudaStreamPerThread, &g));
}

int main(int count, char** names) { return run(count, names); }
