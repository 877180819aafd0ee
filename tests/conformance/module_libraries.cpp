// SPDX-License-Identifier: Apache-2.0
// Libraries and their kernels, which belong to no context.
#include "modules.hpp"

namespace {

using namespace conformance;

CUresult load(CUlibrary* library, const char* text) {
  return cuLibraryLoadData(library, text, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
void* number(size_t value) { return reinterpret_cast<void*>(value); }

CASE(library_loading) {
  PREPARE(cuInit(0));
  CUlibrary l = nullptr;
  ASK(load(nullptr, program));
  ASK(load(&l, nullptr));
  ASK(load(&l, "bad"));
  ASK(load(&l, ""));
  ASK(load(&l, ".version 7.8\n.target sm_100\n.address_size 64\n.visible .entry k() { ret; }\n"));
  CUlibrary lazy = nullptr;
  ASK(load(&lazy, wrong_body));
  CUkernel k = nullptr;
  unsigned n = 99;
  if (lazy) {
    ASK(cuLibraryGetKernelCount(&n, lazy));
    ASK(cuLibraryGetKernel(&k, lazy, "k"));
  }
  ASK(cuLibraryLoadFromFile(&l, "/does/not/exist", nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASK(cuLibraryLoadFromFile(&l, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
  void* value = number(1);
  ASK(cuLibraryLoadData(&l, program, nullptr, nullptr, 0, &option, &value, 1));
  option = CU_LIBRARY_BINARY_IS_PRESERVED;
  ASK(cuLibraryLoadData(&l, program, nullptr, nullptr, 0, &option, nullptr, 1));
  option = static_cast<CUlibraryOption>(7);
  ASK(cuLibraryLoadData(&l, program, nullptr, nullptr, 0, &option, &value, 1));
  option = CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE;
  value = nullptr;
  SURVIVE(cuLibraryLoadData(&l, program, nullptr, nullptr, 0, &option, &value, 1));
  CUjit_option jit = static_cast<CUjit_option>(1000);
  ASK(cuLibraryLoadData(&l, program, &jit, &value, 1, nullptr, nullptr, 0));
  ASK(load(&l, program));
  ASK(cuLibraryGetKernelCount(nullptr, l));
  ASK(cuLibraryGetKernelCount(&n, nullptr));
  ASK(cuLibraryGetKernelCount(&n, l));
  ASK(n);
  ASK(cuLibraryGetKernel(nullptr, l, "plain"));
  ASK(cuLibraryGetKernel(&k, nullptr, "plain"));
  ASK(cuLibraryGetKernel(&k, l, nullptr));
  ASK(cuLibraryGetKernel(&k, l, "none"));
  ASK(cuLibraryGetKernel(&k, l, "seen"));
  ASK(cuLibraryGetKernel(&k, l, "plain"));
  const char* name = nullptr;
  ASK(cuKernelGetName(&name, k));
  ASK(name != nullptr && strcmp(name, "plain") == 0);
  ASK(cuKernelGetName(nullptr, k));
  ASK(cuKernelGetName(&name, nullptr));
  CUlibrary of = nullptr;
  ASK(cuKernelGetLibrary(&of, k));
  ASK(of == l);
  ASK(cuKernelGetLibrary(nullptr, k));
  ASK(cuKernelGetLibrary(&of, nullptr));
  CUkernel all[16] = {}, again;
  ASK(cuLibraryEnumerateKernels(all, 3, l));
  ASK(all[2] != nullptr);
  ASK(all[3] != nullptr);
  ASK(cuLibraryEnumerateKernels(all, 0, l));
  ASK(cuLibraryEnumerateKernels(nullptr, 3, l));
  ASK(cuLibraryEnumerateKernels(all, 3, nullptr));
  ASK(cuLibraryGetKernel(&again, l, "plain"));
  ASK(again == k);
  // Without a context:
  CUmodule m;
  CUfunction f;
  CUdeviceptr d;
  size_t bytes;
  void* pointer;
  ASK(cuLibraryGetModule(&m, l));
  ASK(cuLibraryGetGlobal(&d, &bytes, l, "number"));
  ASK(cuLibraryGetManaged(&d, &bytes, l, "managed"));
  ASK(cuLibraryGetUnifiedFunction(&pointer, l, "none"));
  ASK(cuKernelGetFunction(&f, k));
  int v = 0;
  ASK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
  size_t offset = 0, size = 0;
  ASK(cuKernelGetParamInfo(k, 1, &offset, &size));
  ASK(cuLibraryUnload(nullptr));
  ASK(cuLibraryUnload(l));
}

CASE(library_in_context) {
  start();
  CUlibrary l = nullptr;
  PREPARE(load(&l, program));
  CUkernel k = nullptr, shares = nullptr;
  PREPARE(cuLibraryGetKernel(&k, l, "plain"));
  PREPARE(cuLibraryGetKernel(&shares, l, "shares"));
  CUmodule m = nullptr, again = nullptr;
  CUfunction f = nullptr, g = nullptr;
  CUdeviceptr d = 0, e = 0;
  size_t bytes = 0;
  void* pointer = nullptr;
  ASK(cuLibraryGetModule(nullptr, l));
  ASK(cuLibraryGetModule(&m, nullptr));
  ASK(cuLibraryGetModule(&m, l));
  ASK(cuLibraryGetModule(&again, l));
  ASK(m == again);
  ASK(cuModuleUnload(m));
  ASK(cuModuleGetFunction(&g, m, "plain"));
  ASK(cuKernelGetFunction(nullptr, k));
  ASK(cuKernelGetFunction(&f, nullptr));
  ASK(cuKernelGetFunction(&f, k));
  ASK(f == g);
  ASK(static_cast<void*>(f) == static_cast<void*>(k));
  CUmodule of = nullptr;
  ASK(cuFuncGetModule(&of, f));
  ASK(of == m);
  ASK(cuLibraryGetGlobal(nullptr, nullptr, l, "number"));
  ASK(cuLibraryGetGlobal(&d, nullptr, nullptr, "number"));
  ASK(cuLibraryGetGlobal(&d, nullptr, l, nullptr));
  ASK(cuLibraryGetGlobal(&d, &bytes, l, "none"));
  ASK(cuLibraryGetGlobal(&d, &bytes, l, "large"));
  ASK(bytes);
  ASK(cuModuleGetGlobal(&e, nullptr, m, "large"));
  ASK(d == e);
  ASK(cuLibraryGetGlobal(&d, &bytes, l, "managed"));
  ASK(cuLibraryGetManaged(&e, &bytes, l, "managed"));
  ASK(d == e);
  ASK(bytes);
  ASK(cuLibraryGetManaged(&e, &bytes, l, "number"));
  ASK(cuLibraryGetManaged(&e, &bytes, l, "none"));
  ASK(cuLibraryGetManaged(nullptr, nullptr, l, "managed"));
  ASK(cuLibraryGetUnifiedFunction(&pointer, l, "none"));
  ASK(cuLibraryGetUnifiedFunction(&pointer, l, "plain"));
  ASK(cuLibraryGetUnifiedFunction(nullptr, l, "none"));
  const char* name = nullptr;
  ASK(cuFuncGetName(&name, reinterpret_cast<CUfunction>(k)));
  int v = 0;
  ASK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                         reinterpret_cast<CUfunction>(k)));
  ASK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shares, 0));
  ASK(v);
  ASK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shares, -1));
  ASK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shares, 1000));
  ASK(cuKernelGetAttribute(&v, static_cast<CUfunction_attribute>(99), shares, 0));
  ASK(cuKernelGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shares, 0));
  ASK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, nullptr, 0));
  constexpr auto dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  ASK(cuKernelSetAttribute(dynamic, 1000, k, 0));
  ASK(cuKernelGetAttribute(&v, dynamic, k, 0));
  ASK(v);
  ASK(cuFuncGetAttribute(&v, dynamic, f));
  ASK(v);
  ASK(cuFuncSetAttribute(f, dynamic, 2000));
  ASK(cuFuncGetAttribute(&v, dynamic, f));
  ASK(v);
  ASK(cuKernelGetAttribute(&v, dynamic, k, 0));
  ASK(v);
  ASK(cuKernelSetAttribute(dynamic, 3000, k, 0));
  ASK(cuFuncGetAttribute(&v, dynamic, f));
  ASK(v);
  ASK(cuKernelSetAttribute(dynamic, 232449, k, 0));
  ASK(cuKernelSetAttribute(dynamic, -1, k, 0));
  ASK(cuKernelSetAttribute(dynamic, 1, k, 1000));
  ASK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1, k, 0));
  ASK(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0));
  ASK(cuKernelSetCacheConfig(k, static_cast<CUfunc_cache>(9), 0));
  ASK(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 1000));
  ASK(cuKernelSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1, 0));
  size_t offset = 0, size = 0;
  ASK(cuKernelGetParamInfo(k, 1, &offset, &size));
  ASK(offset);
  ASK(size);
  ASK(cuKernelGetParamInfo(k, 4, &offset, &size));
  ASK(cuKernelGetParamInfo(k, 0, nullptr, &size));
  ASK(cuKernelGetParamInfo(k, 0, &offset, nullptr));
  ASK(cuKernelGetParamInfo(nullptr, 0, &offset, &size));
  CUfunctionLoadingState state{};
  CUfunction other;
  PREPARE(cuKernelGetFunction(&other, shares));
  ASK(cuFuncIsLoaded(&state, other));
  CUcontext second = nullptr;
  PREPARE(cuCtxCreate_v4(&second, nullptr, 0, 0));
  ASK(cuLibraryGetModule(&again, l));
  ASK(m == again);
  ASK(cuKernelGetFunction(&g, k));
  ASK(f == g);
  ASK(cuFuncGetAttribute(&v, dynamic, g));
  ASK(v);
  ASK(cuLibraryGetGlobal(&e, nullptr, l, "large"));
  ASK(d == e);
  ASK(cuCtxDestroy(second));
  PREPARE(cuCtxSetCurrent(context));
  ASK(cuLibraryGetModule(&again, l));
  ASK(m == again);
  ASK(cuLibraryUnload(l));
  SURVIVE(cuModuleGetFunction(&g, m, "plain"));
  SURVIVE(cuFuncGetName(&name, f));
  SURVIVE(cuKernelGetName(&name, k));
}

CASE(library_wrong_body) {
  start();
  CUlibrary l = nullptr;
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, number(sizeof log)};
  ASK(cuLibraryLoadData(&l, wrong_body, options, values, 2, nullptr, nullptr, 0));
  ASK(log[0] != 0);
  if (!l) return;
  CUkernel k = nullptr;
  CUfunction f = nullptr;
  CUmodule m = nullptr;
  ASK(cuLibraryGetKernel(&k, l, "k"));
  ASK(cuLibraryGetModule(&m, l));
  ASK(log[0] != 0);
  if (k) ASK(cuKernelGetFunction(&f, k));
}

}  // namespace
