// SPDX-License-Identifier: Apache-2.0
// The driver API beside the runtime: contexts, handles, libraries, entry points and logs.
#include "runtime.hpp"

using namespace conformance;

static cudaDriverEntryPointQueryResult found;

CASE(rt_own_context) {
  CUcontext own, current, primary;
  void *p, *q;
  CUdeviceptr d;
  int n = -7;
  unsigned flags;
  size_t limit;
  cudaStream_t s;
  PREPARE(cuInit(0));
  PREPARE(cuCtxCreate(&own, nullptr, CU_CTX_SCHED_YIELD, 0));
  TRY(cudaGetDevice(&n));
  ASK(n);
  NOTE("after cudaGetDevice", contexts());
  TRY(cudaFree(nullptr));
  NOTE("after cudaFree", contexts());
  TRY(cudaMalloc(&p, 64));
  ASK(cuCtxGetCurrent(&current));
  ASK(current == own);
  CUcontext of = nullptr;
  ASK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, CUdeviceptr(p)));
  ASK(of == own);
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  TRY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  TRY(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaGetSymbolAddress(&q, numbers));
  TRY(cudaStreamCreate(&s));
  TRY(launch(&bump_numbers, 1, 1, 0, s));
  TRY(cudaStreamSynchronize(s));
  unsigned value = 0;
  TRY(cudaMemcpyFromSymbol(&value, numbers, 4, 0, cudaMemcpyDeviceToHost));
  ASK(value);
  NOTE("after all", contexts());
  TRY(cudaSetDevice(0));
  ASK(cuCtxGetCurrent(&current));
  ASK(current == own);
  NOTE("after cudaSetDevice", contexts());
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  ASK(current == primary);
  TRY(cudaMemcpyFromSymbol(&value, numbers, 4, 0, cudaMemcpyDeviceToHost));
  ASK(value);
  TRY(launch(&empty, 1, 1, 0, s));
  TRY(cudaStreamSynchronize(s));
  TRY(cudaMemset(p, 0, 64));
  TRY(cudaFree(p));
  ASK(cuCtxSetCurrent(own));
  TRY(cudaMemcpyFromSymbol(&value, numbers, 4, 0, cudaMemcpyDeviceToHost));
  ASK(value);
  TRY(cudaDeviceReset());
  ASK(cuCtxGetCurrent(&current));
  ASK(current == own);
  NOTE("after cudaDeviceReset", contexts());
  ASK(cuMemAlloc(&d, 4));
}

CASE(rt_own_context_destroyed) {
  CUcontext own;
  void* p;
  PREPARE(cuInit(0));
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  TRY(cudaMalloc(&p, 64));
  ASK(cuCtxDestroy(own));
  NOTE("contexts", contexts());
  TRY(cudaMalloc(&p, 64));
  NOTE("contexts after cudaMalloc", contexts());
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_popped_context) {
  PREPARE(cudaFree(nullptr));
  CUcontext popped;
  void* p;
  ASK(cuCtxPopCurrent(&popped));
  NOTE("contexts", contexts());
  TRY(cudaMalloc(&p, 64));
  NOTE("contexts after cudaMalloc", contexts());
  ASK(cuDevicePrimaryCtxRelease(0));
  NOTE("contexts after a release", contexts());
  TRY(cudaMalloc(&p, 64));
  NOTE("contexts after another cudaMalloc", contexts());
}

CASE(rt_primary_reset_by_the_driver) {
  void* p;
  PREPARE(cudaMalloc(&p, 64));
  ASK(cuDevicePrimaryCtxReset(0));
  NOTE("contexts", contexts());
  TRY(cudaMalloc(&p, 64));
  NOTE("contexts after cudaMalloc", contexts());
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_shared_handles) {
  void* p;
  CUdeviceptr d;
  cudaStream_t s;
  CUstream ds;
  cudaEvent_t e;
  CUevent de;
  unsigned flags;
  PREPARE(cudaMalloc(&p, 64));
  ASK(cuMemFree(CUdeviceptr(p)));
  ASK(cuMemAlloc(&d, 64));
  TRY(cudaFree(reinterpret_cast<void*>(d)));
  PREPARE(cudaStreamCreate(&s));
  ASK(cuStreamGetFlags(s, &flags));
  ASK(flags);
  ASK(cuStreamDestroy(s));
  ASK(cuStreamCreate(&ds, CU_STREAM_NON_BLOCKING));
  TRY(cudaStreamGetFlags(ds, &flags));
  ASK(flags);
  TRY(launch(&empty, 1, 1, 0, ds));
  TRY(cudaStreamDestroy(ds));
  PREPARE(cudaEventCreate(&e));
  ASK(cuEventRecord(e, nullptr));
  ASK(cuEventDestroy(e));
  ASK(cuEventCreate(&de, 0));
  TRY(cudaEventRecord(de, nullptr));
  TRY(cudaEventDestroy(de));
  cudaFunction_t f = nullptr;
  TRY(cudaGetFuncBySymbol(&f, &empty));
  ASK(f != nullptr);
  ASK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  const char* name = nullptr;
  ASK(cuFuncGetName(&name, f));
  NOTE("name", name ? name : "none");
  TRY(cudaGetFuncBySymbol(&f, unregistered));
  TRY(cudaGetFuncBySymbol(&f, nullptr));
  TRY(cudaGetFuncBySymbol(&f, &missing));
  cudaKernel_t k = nullptr;
  TRY(cudaGetKernel(&k, &empty));
  ASK(k != nullptr);
  name = nullptr;
  ASK(cuKernelGetName(&name, k));
  NOTE("name of the kernel", name ? name : "none");
  TRY(launch(k, 1, 1, 0, nullptr));
  TRY(cudaGetKernel(&k, nullptr));
  TRY(cudaGetKernel(&k, &missing));
  cudaFuncAttributes a;
  PREPARE(cudaGetKernel(&k, &bounded));
  TRY(cudaFuncGetAttributes(&a, k));
  ASK(a.maxThreadsPerBlock);
  CUmodule module;
  CUfunction own;
  PREPARE(cuModuleLoadData(&module, kernels_ptx));
  PREPARE(cuModuleGetFunction(&own, module, "empty"));
  TRY(launch(own, 1, 1, 0, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_libraries) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  void* p = nullptr;
  size_t size = 0;
  unsigned count = 99;
  TRY(cudaLibraryLoadData(&library, "nonsense", nullptr, nullptr, 0, nullptr, nullptr, 0));
  TRY(cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  TRY(cudaLibraryLoadFromFile(&library, "/nowhere", nullptr, nullptr, 0, nullptr, nullptr, 0));
  TRY(cudaLibraryLoadData(&library, kernels_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  TRY(cudaLibraryGetKernel(&kernel, library, "empty"));
  TRY(cudaLibraryGetKernel(&kernel, library, "nothing"));
  TRY(cudaLibraryGetKernel(&kernel, library, nullptr));
  TRY(cudaLibraryGetKernel(&kernel, nullptr, "empty"));
  TRY(cudaLibraryGetKernelCount(&count, library));
  ASK(count);
  cudaKernel_t all[32];
  TRY(cudaLibraryEnumerateKernels(all, 32, library));
  TRY(cudaLibraryEnumerateKernels(all, 1, library));
  TRY(cudaLibraryEnumerateKernels(all, 0, library));
  TRY(cudaLibraryGetGlobal(&p, &size, library, "numbers"));
  ASK(size);
  TRY(cudaLibraryGetGlobal(&p, &size, library, "table"));
  TRY(cudaLibraryGetGlobal(&p, &size, library, "nothing"));
  TRY(cudaLibraryGetManaged(&p, &size, library, "numbers"));
  TRY(cudaLibraryGetUnifiedFunction(&p, library, "nothing"));
  PREPARE(cudaLibraryGetKernel(&kernel, library, "bounded"));
  cudaFuncAttributes a;
  TRY(cudaFuncGetAttributes(&a, kernel));
  ASK(a.maxThreadsPerBlock);
  TRY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024,
                                      0));
  TRY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024,
                                      9));
  TRY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttribute(2), 1024, 0));
  TRY(launch(kernel, 1, 64, 0, nullptr));
  TRY(launch(kernel, 1, 65, 0, nullptr));
  TRY(cudaDeviceSynchronize());
  TRY(cudaLibraryUnload(library));
  TRY(cudaLibraryUnload(nullptr));
}

CASE(rt_entry_points) {
  void* p;
  const auto by_version = [&](const char* symbol, unsigned version, unsigned long long flags) {
    found = cudaDriverEntryPointQueryResult(77);
    p = &found;
    answer_last((std::string(symbol) + " of " + std::to_string(version) + ", flags " +
                 std::to_string(flags))
                    .c_str(),
                cudaGetDriverEntryPointByVersion(symbol, &p, version, flags, &found));
    ASK(int(found));
    ASK(p == nullptr);
  };
  by_version("cuMemAlloc", 2000, 0);
  by_version("cuMemAlloc", 13000, 0);
  by_version("cuMemAlloc", 99000, 0);
  by_version("cuMemAlloc", 0, 0);
  by_version("cuMemAlloc_v2", 13000, 0);
  by_version("cuNothing", 13000, 0);
  by_version("", 13000, 0);
  by_version("cuMemcpyHtoD", 13000, cudaEnablePerThreadDefaultStream);
  by_version("cuMemcpyHtoD", 13000, cudaEnableLegacyStream);
  by_version("cuMemcpyHtoD", 13000, 3);
  by_version("cuMemcpyHtoD", 13000, 4);
  by_version("cuCtxCreate", 1000, 0);
  by_version("cuGreenCtxCreate", 11000, 0);
  by_version("cudaMalloc", 13000, 0);
  TRY(cudaGetDriverEntryPointByVersion("cuInit", &p, 13000, 0, nullptr));
  int version = 0;
  TRY(cudaRuntimeGetVersion(&version));
  ASK(version / 1000);
}

CASE(rt_exported_tables) {
  const void* table = nullptr;
  cudaUUID_t id = {};
  TRY(cudaGetExportTable(&table, &id));
  ASK(table == nullptr);
}

CASE(rt_logs) {
  cudaLogIterator at = 0;
  char text[512];
  size_t size = sizeof text;
  PREPARE(cudaFree(nullptr));
  TRY(cudaLogsCurrent(&at, 0));
  TRY(cudaLogsCurrent(nullptr, 0));
  TRY(cudaLogsCurrent(&at, 1));
  TRY(cudaLogsDumpToMemory(&at, text, &size, 0));
  TRY(cudaLogsDumpToMemory(&at, text, &size, 1));
  size = 0;
  TRY(cudaLogsDumpToMemory(&at, text, &size, 0));
  TRY(cudaLogsDumpToMemory(&at, nullptr, &size, 0));
  TRY(cudaLogsDumpToMemory(&at, text, nullptr, 0));
  TRY(cudaLogsDumpToFile(&at, "/nowhere/at/all", 0));
  cudaLogsCallbackHandle handle;
  TRY(cudaLogsRegisterCallback(nullptr, nullptr, &handle));
  TRY(cudaLogsRegisterCallback([](void*, cudaLogLevel, char*, size_t) {}, nullptr, &handle));
  TRY(cudaLogsUnregisterCallback(handle));
}

int main(int count, char** names) { return run(count, names); }
