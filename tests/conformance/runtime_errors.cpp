// SPDX-License-Identifier: Apache-2.0
// Names of errors, which errors become the last one, and which stay.
#include "runtime.hpp"

using namespace conformance;

CASE(error_names) {
  int unknown = 0;
  for (int code = 0; code <= 1100; ++code) {
    const std::string name = cudaGetErrorName(cudaError_t(code));
    if (name == "unrecognized error code") {
      ++unknown;
      continue;
    }
    NOTE(std::to_string(code).c_str(), name);
  }
  ASK(unknown);
  for (int code : {-1, -2147483647, 1101, 9999, 10000, 10001, 65535, 2147483647})
    NOTE(std::to_string(code).c_str(), cudaGetErrorName(cudaError_t(code)));
}

CASE(error_strings) {
  int unknown = 0;
  for (int code = 0; code <= 1100; ++code) {
    const std::string text = cudaGetErrorString(cudaError_t(code));
    if (text == "unrecognized error code") {
      ++unknown;
      continue;
    }
    NOTE(std::to_string(code).c_str(), text);
  }
  ASK(unknown);
  for (int code : {-1, -2147483647, 1101, 9999, 10000, 10001, 65535, 2147483647})
    NOTE(std::to_string(code).c_str(), cudaGetErrorString(cudaError_t(code)));
}

// What is left in the last error by calls that fail, and by calls that succeed after them.
CASE(last_error_invalid_value) {
  void* p;
  ASK(cudaPeekAtLastError());
  ASK(cudaMalloc(nullptr, 4));
  ASK(cudaPeekAtLastError());
  ASK(cudaPeekAtLastError());
  ASK(cudaMalloc(&p, 4));
  ASK(cudaPeekAtLastError());
  ASK(cudaSetDevice(99));
  ASK(cudaPeekAtLastError());
  ASK(cudaFree(p));
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
}

CASE(last_error_not_ready) {
  cudaStream_t stream;
  cudaEvent_t event;
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(cudaEventCreate(&event));
  PREPARE(launch(&spin, 1, 1, 0, stream, uint64_t{300'000'000}));
  PREPARE(cudaEventRecord(event, stream));
  ASK(cudaStreamQuery(stream));
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  ASK(cudaEventQuery(event));
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  float ms;
  ASK(cudaEventElapsedTime(&ms, event, event));
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  ASK(cudaMalloc(nullptr, 1));
  ASK(cudaStreamQuery(stream));
  ASK(cudaGetLastError());
  ASK(cudaStreamSynchronize(stream));
  ASK(cudaStreamQuery(stream));
  ASK(cudaGetLastError());
}

CASE(last_error_of_a_launch) {
  ASK(launch(&empty, 0, 1, 0, nullptr));
  ASK(cudaPeekAtLastError());
  ASK(launch(&empty, 1, 1, 0, nullptr));
  ASK(cudaPeekAtLastError());
  ASK(cudaDeviceSynchronize());
  ASK(cudaGetLastError());
  ASK(launch(&missing, 1, 1, 0, nullptr));
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
}

CASE(last_error_of_the_driver) {
  PREPARE(cudaFree(nullptr));
  CUdeviceptr p;
  ASK(cuMemAlloc(&p, 0));
  ASK(cudaGetLastError());
  ASK(cuCtxSetCurrent(nullptr));
  ASK(cuMemFree(0));
  ASK(cudaGetLastError());
}

// Which calls a fault is told by, and whether anything clears it.
static void ask_what_is_left() {
  void* p = nullptr;
  int n;
  size_t s, t;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaPointerAttributes attributes;
  ASK(cudaGetLastError());
  ASK(cudaPeekAtLastError());
  TRY(cudaDeviceSynchronize());
  TRY(cudaStreamSynchronize(nullptr));
  TRY(cudaStreamQuery(nullptr));
  TRY(cudaMalloc(&p, 4));
  TRY(cudaFree(nullptr));
  TRY(cudaMallocHost(&p, 4));
  TRY(cudaMemGetInfo(&s, &t));
  TRY(cudaStreamCreate(&stream));
  TRY(cudaEventCreate(&event));
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(launch(&empty, 0, 1, 0, nullptr));
  TRY(cudaGetDevice(&n));
  TRY(cudaSetDevice(0));
  TRY(cudaGetDeviceCount(&n));
  TRY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  TRY(cudaDeviceGetLimit(&s, cudaLimitStackSize));
  TRY(cudaMemcpy(&n, &n, 4, cudaMemcpyHostToHost));
  TRY(cudaMemset(nullptr, 0, 0));
  TRY(cudaGetSymbolAddress(&p, numbers));
  TRY(cudaPointerGetAttributes(&attributes, &n));
  TRY(cudaRuntimeGetVersion(&n));
  TRY(cudaMalloc(nullptr, 4));
  ASK(cuCtxSynchronize());
  CUdeviceptr d;
  ASK(cuMemAlloc(&d, 4));
  NOTE("contexts", contexts());
  TRY(cudaDeviceReset());
  TRY(cudaMalloc(&p, 4));
  TRY(cudaDeviceSynchronize());
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_sticky_bad_address) {
  PREPARE(launch(&store, 1, 1, 0, nullptr, uint64_t{0x10000}, 1u));
  ASK(cudaDeviceSynchronize());
  ask_what_is_left();
}

CASE(rt_sticky_bad_address_told_by_copy) {
  int host;
  void* p;
  PREPARE(cudaMalloc(&p, 4));
  PREPARE(launch(&store, 1, 1, 0, nullptr, uint64_t{0x10000}, 1u));
  ASK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
  ASK(cudaPeekAtLastError());
  ASK(cudaFree(p));
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
}

CASE(rt_sticky_misaligned_address) {
  void* p;
  PREPARE(cudaMalloc(&p, 64));
  PREPARE(launch(&store, 1, 1, 0, nullptr, static_cast<char*>(p) + 1, 1u));
  ASK(cudaDeviceSynchronize());
  ask_what_is_left();
}

CASE(rt_sticky_trap) {
  PREPARE(launch(&trap_now, 1, 1, 0, nullptr));
  ASK(cudaDeviceSynchronize());
  ask_what_is_left();
}

CASE(rt_sticky_assert) {
  PREPARE(launch(&assert_now, 1, 1, 0, nullptr));
  ASK(cudaDeviceSynchronize());
  ask_what_is_left();
}

CASE(rt_sticky_fault_in_an_event) {
  cudaEvent_t event, before;
  cudaStream_t stream;
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(cudaEventCreate(&before));
  PREPARE(cudaEventCreate(&event));
  PREPARE(cudaEventRecord(before, stream));
  PREPARE(launch(&trap_now, 1, 1, 0, stream));
  ASK(cudaEventRecord(event, stream));
  ASK(cudaEventSynchronize(event));
  ASK(cudaEventQuery(event));
  float ms;
  ASK(cudaEventElapsedTime(&ms, before, event));
  ASK(cudaEventDestroy(event));
  ASK(cudaStreamDestroy(stream));
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
}

int main(int count, char** names) { return run(count, names); }
