// SPDX-License-Identifier: Apache-2.0
// The driver API beside the runtime, resets of the device, several host threads.
#include <atomic>
#include <vector>

#include "runtime_questions.hpp"

using namespace conformance;

CASE(rq_contexts_of_the_driver) {
  CUcontext own, other, current, primary;
  void *p, *q;
  cudaStream_t s;
  cudaEvent_t e;
  int n;
  PREPARE(cuInit(0));
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  PREPARE(cudaMalloc(&p, 64));
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaEventCreate(&e));
  PREPARE(cuCtxCreate(&other, nullptr, 0, 0));
  // Handles and memory of another context of the same device.
  TRY(cudaMemset(p, 1, 64));
  TRY(cudaMemcpy(bytes, p, 4, cudaMemcpyDeviceToHost));
  TRY(cudaStreamSynchronize(s));
  TRY(cudaStreamQuery(s));
  TRY(launch(&empty, 1, 1, 0, s));
  TRY(cudaEventRecord(e, s));
  TRY(cudaEventRecord(e, nullptr));
  TRY(cudaStreamWaitEvent(nullptr, e, 0));
  TRY(cudaEventSynchronize(e));
  TRY(cudaMemsetAsync(p, 1, 64, s));
  TRY(cudaMallocAsync(&q, 64, s));
  TRY(cudaFree(p));
  TRY(cudaEventDestroy(e));
  TRY(cudaStreamDestroy(s));
  ASK(cuCtxDestroy(other));
  TRY(cudaGetDevice(&n));
  ASK(cuCtxGetCurrent(&current));
  ASK(current == nullptr);
  NOTE("contexts", contexts());
  TRY(cudaMalloc(&p, 64));
  NOTE("contexts", contexts());
  ASK(cuCtxGetCurrent(&current));
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  ASK(current == primary);
  ASK(cuCtxPushCurrent(own));
  TRY(cudaDeviceSynchronize());
  TRY(cudaMemset(p, 1, 64));
  TRY(cudaSetDevice(0));
  ASK(cuCtxGetCurrent(&current));
  ASK(current == primary);
  CUcontext popped = nullptr;
  ASK(cuCtxPopCurrent(&popped));
  ASK(popped == primary);
  ASK(cuCtxGetCurrent(&current));
  ASK(current == own);
  ASK(current == primary);
  ASK(current == nullptr);
}

CASE(rq_context_flags) {
  unsigned flags, had;
  int active;
  for (unsigned wanted : {0u, 1u, 2u, 4u, 8u, 16u, 31u, 32u, 3u, 5u, 128u}) {
    TOLD(cudaSetDeviceFlags(wanted), "flags ", wanted);
    flags = had = 99;
    TRY(cudaGetDeviceFlags(&flags));
    ASK(flags);
    ASK(cuDevicePrimaryCtxGetState(0, &had, &active));
    NOTE("state", text(had, " ", active));
  }
  PREPARE(cudaFree(nullptr));
  for (unsigned wanted : {0u, 1u, 4u, 8u, 16u, 3u}) {
    TOLD(cudaSetDeviceFlags(wanted), "then flags ", wanted);
    TRY(cudaGetDeviceFlags(&flags));
    ASK(flags);
    ASK(cuCtxGetFlags(&had));
    ASK(had);
  }
  for (unsigned wanted : {0u, 1u, 8u, 99u})
    for (unsigned init : {0u, 1u, 2u}) {
      TOLD(cudaInitDevice(0, wanted, init), "init with ", wanted, ", ", init);
      TRY(cudaGetDeviceFlags(&flags));
      ASK(flags);
    }
}

CASE(rq_driver_errors) {
  PREPARE(cudaFree(nullptr));
  CUdeviceptr d;
  CUstream s;
  CUfunction f;
  CUmodule m;
  leave_an_error();
  ASK(cuMemAlloc(&d, 0));
  ASK(cudaPeekAtLastError());
  ASK(cuStreamCreate(&s, 99));
  ASK(cuModuleLoadData(&m, "nonsense"));
  ASK(cudaGetLastError());
  PREPARE(cuModuleLoadData(&m, kernels_ptx));
  ASK(cuModuleGetFunction(&f, m, "nothing"));
  ASK(cudaGetLastError());
  PREPARE(cuModuleGetFunction(&f, m, "trap_now"));
  ASK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  ASK(cuCtxSynchronize());
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  ASK(cudaDeviceSynchronize());
  ASK(cudaGetLastError());
  ASK(cuCtxSynchronize());
  TRY(cudaMalloc(reinterpret_cast<void**>(&d), 4));
  TRY(cudaDeviceReset());
  ASK(cuCtxSynchronize());
}

CASE(rq_primary_context) {
  CUcontext primary, current;
  void* p;
  unsigned flags;
  int active;
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  NOTE("contexts", contexts());
  PREPARE(cudaMalloc(&p, 64));
  NOTE("contexts", contexts());
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(active);
  TRY(cudaMemset(p, 0, 4));
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(active);
  TRY(cudaMemset(p, 0, 4));
  NOTE("contexts", contexts());
  TRY(cudaFree(nullptr));
  NOTE("contexts", contexts());
  ASK(cuCtxSetCurrent(nullptr));
  NOTE("contexts", contexts());
  TRY(cudaDeviceSynchronize());
  NOTE("contexts", contexts());
  ASK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  ASK(cuCtxGetCurrent(&current));
  TRY(cudaDeviceReset());
  NOTE("contexts", contexts());
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
}

// Everything that was there before a reset.
CASE(rq_after_a_reset) {
  void *d, *host, *managed, *ordered;
  cudaStream_t s;
  cudaEvent_t e, recorded;
  cudaArray_t a;
  cudaMemPool_t pool, made;
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaFunction_t f;
  cudaKernel_t k;
  cudaTextureObject_t t;
  cudaPointerAttributes attributes;
  const cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
  PREPARE(cudaMalloc(&d, 64));
  PREPARE(cudaMallocHost(&host, 64));
  PREPARE(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
  PREPARE(cudaMallocAsync(&ordered, 64, nullptr));
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaEventCreate(&e));
  PREPARE(cudaEventCreate(&recorded));
  PREPARE(cudaEventRecord(recorded, s));
  PREPARE(cudaMallocArray(&a, &words, 4, 4, 0));
  PREPARE(cudaDeviceGetDefaultMemPool(&pool, 0));
  PREPARE(cudaGraphCreate(&g, 0));
  PREPARE(cudaGraphInstantiate(&x, g, 0));
  PREPARE(cudaGetFuncBySymbol(&f, &empty));
  PREPARE(cudaGetKernel(&k, &empty));
  PREPARE(cudaHostRegister(bytes, 4096, 0));
  cudaResourceDesc r = {};
  cudaTextureDesc desc = {};
  r.res.array.array = a;
  PREPARE(cudaCreateTextureObject(&t, &r, &desc, nullptr));
  PREPARE(cudaDeviceSynchronize());
  leave_an_error();
  ASK(cudaDeviceReset());
  ASK(cudaGetLastError());
  TRY(cudaFree(nullptr));
  for (void* p : {d, host, managed, ordered, static_cast<void*>(bytes)}) {
    memset(&attributes, 0x55, sizeof attributes);
    TRY(cudaPointerGetAttributes(&attributes, p));
    ASK(int(attributes.type));
  }
  TRY(launch(k, 1, 1, 0, nullptr));
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaDeviceSynchronize());
  TRY(cudaFree(d));
  TRY(cudaFreeHost(host));
  TRY(cudaFree(managed));
  TRY(cudaFreeAsync(ordered, nullptr));
  TRY(cudaHostUnregister(bytes));
  TRY(cudaDeviceGetDefaultMemPool(&made, 0));
  TRY(cudaGraphDestroy(g));
  TRY(cudaStreamQuery(cudaStreamPerThread));
  TRY(cudaDestroyTextureObject(t));
  TRY(cudaEventQuery(recorded));
  TRY(cudaEventDestroy(recorded));
  TRY(cudaEventSynchronize(e));
  TRY(cudaGraphExecDestroy(x));
}

CASE(rq_resets) {
  NOTE("contexts", contexts());
  TRY(cudaDeviceReset());
  NOTE("contexts", contexts());
  TRY(cudaDeviceReset());
  PREPARE(cudaFree(nullptr));
  NOTE("contexts", contexts());
  cudaStream_t s;
  cudaGraph_t g;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  TRY(cudaDeviceReset());
  TRY(cudaStreamEndCapture(s, &g));
  NOTE("contexts", contexts());
  void* p;
  TRY(cudaMalloc(&p, 4));
  // Work that runs when the reset comes.
  PREPARE(cudaMallocHost(&p, 64));
  PREPARE(launch(&spin, 1, 1, 0, nullptr, uint64_t{200'000'000}));
  TRY(cudaDeviceReset());
  TRY(cudaDeviceSynchronize());
  PREPARE(launch(&trap_now, 1, 1, 0, nullptr));
  TRY(cudaDeviceReset());
  TRY(cudaDeviceSynchronize());
}

CASE(rq_faults) {
  const struct {
    const char* name;
    cudaError_t (*tell)();
  } tellers[] = {
      {"cudaMemcpy", [] { return cudaMemcpy(bytes, bytes + 64, 4, cudaMemcpyDefault); }},
      {"cudaMemset", [] { return cudaMemset(nullptr, 0, 4); }},
      {"cudaStreamSynchronize", [] { return cudaStreamSynchronize(nullptr); }},
      {"cudaStreamQuery",
       [] {
         cudaError_t result;
         while ((result = cudaStreamQuery(nullptr)) == cudaErrorNotReady) {
         }
         return result;
       }},
      {"cudaDeviceReset", [] { return cudaDeviceReset(); }},
      {"cudaGetLastError after a while",
       [] {
         usleep(200'000);
         return cudaGetLastError();
       }},
      {"a launch after a while",
       [] {
         usleep(200'000);
         return launch(&empty, 1, 1, 0, nullptr);
       }},
      {"cudaMalloc after a while",
       [] {
         usleep(200'000);
         void* p;
         return cudaMalloc(&p, 4);
       }},
      {"cudaEventCreate after a while",
       [] {
         usleep(200'000);
         cudaEvent_t e;
         return cudaEventCreate(&e);
       }},
      {"cudaMemGetInfo after a while",
       [] {
         usleep(200'000);
         size_t a, b;
         return cudaMemGetInfo(&a, &b);
       }},
      {"cudaFuncGetAttributes after a while",
       [] {
         usleep(200'000);
         cudaFuncAttributes a;
         return cudaFuncGetAttributes(&a, &empty);
       }},
      {"cudaSetDevice after a while",
       [] {
         usleep(200'000);
         return cudaSetDevice(0);
       }},
      {"cudaGraphCreate after a while",
       [] {
         usleep(200'000);
         cudaGraph_t g;
         return cudaGraphCreate(&g, 0);
       }},
      {"cudaHostAlloc after a while",
       [] {
         usleep(200'000);
         void* p;
         return cudaHostAlloc(&p, 64, 0);
       }},
      {"cudaStreamBeginCapture after a while",
       [] {
         usleep(200'000);
         return cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed);
       }},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessor after a while",
       [] {
         usleep(200'000);
         int n;
         return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &empty, 32, 0);
       }},
  };
  for (const auto& one : tellers) {
    alarm(60);
    const pid_t child = fork();
    if (child == 0) {
      alarm(50);
      PREPARE(launch(&trap_now, 1, 1, 0, nullptr));
      const cudaError_t told = one.tell();
      const cudaError_t peeked = cudaPeekAtLastError(), got = cudaGetLastError(),
                        again = cudaGetLastError(), after = cudaDeviceSynchronize();
      NOTE(one.name, text(cudaGetErrorName(told), ", peek ", cudaGetErrorName(peeked), ", get ",
                          cudaGetErrorName(got), ", again ", cudaGetErrorName(again), ", after ",
                          cudaGetErrorName(after)));
      fflush(stdout);
      _exit(0);
    }
    int how = 0;
    waitpid(child, &how, 0);
    if (WIFSIGNALED(how)) NOTE(one.name, text("ends by signal ", WTERMSIG(how)));
  }
}

// Errors, devices, capture modes and default streams of threads that run at once.
CASE(rq_threads) {
  static std::atomic<int> wrong;
  static void* d;
  PREPARE(cudaMalloc(&d, 64 * 4));
  PREPARE(cudaMemset(d, 0, 64 * 4));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      for (int round = 0; round < 20; ++round) {
        if (cudaPeekAtLastError() != cudaSuccess) ++wrong;
        if (i % 2) leave_an_error();
        if (cudaGetLastError() != (i % 2 ? cudaErrorInvalidDevice : cudaSuccess)) ++wrong;
        if (launch(&add_one, 1, 1, 0, cudaStreamPerThread, static_cast<unsigned*>(d) + i)) ++wrong;
        if (cudaStreamSynchronize(cudaStreamPerThread)) ++wrong;
        unsigned value = 0;
        if (cudaMemcpyAsync(&value, static_cast<unsigned*>(d) + i, 4, cudaMemcpyDeviceToHost,
                            cudaStreamPerThread))
          ++wrong;
        if (cudaStreamSynchronize(cudaStreamPerThread) || value != unsigned(round) + 1) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  ASK(wrong.load());
  elsewhere([] {
    int n = -7;
    TRY(cudaGetDevice(&n));
    ASK(n);
    CUcontext current;
    ASK(cuCtxGetCurrent(&current));
    ASK(current == nullptr);
    TRY(cudaStreamQuery(nullptr));
    ASK(cuCtxGetCurrent(&current));
    ASK(current == nullptr);
  });
  // A capture that another thread must not disturb.
  static cudaStream_t s;
  cudaGraph_t g;
  PREPARE(cudaStreamCreate(&s));
  for (int mode : {0, 1, 2}) {
    PREPARE(cudaStreamBeginCapture(s, cudaStreamCaptureMode(mode)));
    elsewhere([] {
      void* p;
      cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
      TRY(cudaStreamQuery(s));
      TRY(cudaMalloc(&p, 64));
      TRY(cudaThreadExchangeStreamCaptureMode(&relaxed));
      TRY(cudaMalloc(&p, 64));
      TRY(cudaDeviceSynchronize());
      TRY(cudaEventQuery(nullptr));
    });
    TRY(cudaStreamEndCapture(s, &g));
  }
}

int main(int count, char** names) { return run(count, names); }
