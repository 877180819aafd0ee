// SPDX-License-Identifier: Apache-2.0
// Which calls a capture forbids, depending on its mode, on the calling thread's mode, and on which
// thread calls.
#include <cudaProfiler.h>

#include <functional>
#include <thread>

#include "harness.hpp"

namespace {

const char* const code =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry nothing() { ret; }\n";

CUcontext context;
// The captured stream, and a stream for work beside it.
CUstream s, beside;

struct Call {
  const char* name;
  std::function<CUresult()> make;
};

std::vector<Call> calls() {
  // What the calls make, use or destroy. All of it exists, since a driver may crash on invalid
  // handles.
  static CUdeviceptr p, q, managed, to_free, to_free_later, made;
  static void *h, *own, *host_to_free;
  static CUevent recorded, e, event_to_destroy;
  static CUstream fresh, stream_to_destroy;
  static CUmodule module, loaded, to_unload;
  static CUfunction nothing;
  static CUgraph graph;
  static CUgraphExec exec, other, exec_to_destroy;
  static CUarray array, array_to_destroy, bound;
  static CUmemoryPool pool, pool_to_destroy;
  static char pageable[4096], registered[4096];
  static CUtexObject texture, texture_to_destroy;
  static CUlibrary library, library_to_unload;
  static const CUDA_ARRAY_DESCRIPTOR flat{64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  PREPARE(cuMemAlloc(&p, 4096));
  PREPARE(cuMemAlloc(&to_free, 4096));
  PREPARE(cuMemAllocAsync(&to_free_later, 64, beside));
  PREPARE(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  PREPARE(cuMemAllocHost(&own, 4096));
  PREPARE(cuMemAllocHost(&host_to_free, 4096));
  static_cast<void>(cuMemHostUnregister(pageable));
  static_cast<void>(cuMemHostUnregister(registered));
  PREPARE(cuMemHostRegister(registered, sizeof registered, 0));
  PREPARE(cuEventCreate(&recorded, 0));
  PREPARE(cuEventCreate(&event_to_destroy, 0));
  PREPARE(cuEventRecord(recorded, beside));
  PREPARE(cuModuleLoadData(&module, code));
  PREPARE(cuModuleLoadData(&to_unload, code));
  PREPARE(cuLibraryLoadData(&library_to_unload, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  PREPARE(cuModuleGetFunction(&nothing, module, "nothing"));
  PREPARE(cuGraphCreate(&graph, 0));
  CUgraphNode node;
  PREPARE(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  PREPARE(cuGraphInstantiate(&exec_to_destroy, graph, 0));
  PREPARE(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, beside, nullptr, nullptr));
  PREPARE(cuStreamCreate(&stream_to_destroy, CU_STREAM_NON_BLOCKING));
  PREPARE(cuArrayCreate(&bound, &flat));
  PREPARE(cuArrayCreate(&array_to_destroy, &flat));
  PREPARE(cuMemPoolCreate(&pool_to_destroy, &properties));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = bound;
  const CUDA_TEXTURE_DESC reading{};
  PREPARE(cuTexObjectCreate(&texture_to_destroy, &resource, &reading, nullptr));
  PREPARE(cuCtxSynchronize());
  return {
      {"cuMemAlloc", [] { return cuMemAlloc(&q, 4096); }},
      {"cuMemFree", [] { return cuMemFree(to_free); }},
      {"cuMemFree of null", [] { return cuMemFree(0); }},
      {"cuMemAllocManaged", [] { return cuMemAllocManaged(&q, 4096, CU_MEM_ATTACH_GLOBAL); }},
      {"cuMemAllocHost", [] { return cuMemAllocHost(&h, 4096); }},
      {"cuMemFreeHost", [] { return cuMemFreeHost(host_to_free); }},
      {"cuMemHostRegister", [] { return cuMemHostRegister(pageable, sizeof pageable, 0); }},
      {"cuMemHostUnregister", [] { return cuMemHostUnregister(registered); }},
      {"cuMemGetInfo",
       [] {
         size_t a, b;
         return cuMemGetInfo(&a, &b);
       }},
      {"cuPointerGetAttribute",
       [] {
         unsigned u;
         return cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p);
       }},
      {"cuMemcpyHtoD", [] { return cuMemcpyHtoD(p, pageable, 16); }},
      {"cuMemcpyDtoD", [] { return cuMemcpyDtoD(p, p + 64, 16); }},
      {"cuMemsetD8", [] { return cuMemsetD8(p, 1, 16); }},
      {"cuMemcpyHtoDAsync, pinned", [] { return cuMemcpyHtoDAsync(p, own, 16, beside); }},
      {"cuMemcpyHtoDAsync, pageable", [] { return cuMemcpyHtoDAsync(p, pageable, 16, beside); }},
      {"cuMemcpyDtoHAsync, pageable", [] { return cuMemcpyDtoHAsync(pageable, p, 16, beside); }},
      {"cuMemsetD8Async", [] { return cuMemsetD8Async(p, 1, 16, beside); }},
      {"cuMemAllocAsync", [] { return cuMemAllocAsync(&made, 64, beside); }},
      {"cuMemFreeAsync", [] { return cuMemFreeAsync(to_free_later, beside); }},
      {"cuMemPoolCreate",
       [] {
         CUmemPoolProps properties{};
         properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
         properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
         return cuMemPoolCreate(&pool, &properties);
       }},
      {"cuMemPoolTrimTo", [] { return cuMemPoolTrimTo(pool_to_destroy, 0); }},
      {"cuMemPoolDestroy", [] { return cuMemPoolDestroy(pool_to_destroy); }},
      {"cuMemPrefetchAsync",
       [] {
         CUmemLocation here{};
         here.type = CU_MEM_LOCATION_TYPE_DEVICE;
         return cuMemPrefetchAsync(managed, 4096, here, 0, beside);
       }},
      {"cuStreamCreate", [] { return cuStreamCreate(&fresh, CU_STREAM_NON_BLOCKING); }},
      {"cuStreamDestroy", [] { return cuStreamDestroy(stream_to_destroy); }},
      {"cuStreamQuery of another stream", [] { return cuStreamQuery(beside); }},
      {"cuStreamSynchronize of another stream", [] { return cuStreamSynchronize(beside); }},
      {"cuStreamQuery of null", [] { return cuStreamQuery(nullptr); }},
      {"cuStreamSynchronize of null", [] { return cuStreamSynchronize(nullptr); }},
      {"cuStreamWaitEvent of another stream",
       [] { return cuStreamWaitEvent(beside, recorded, 0); }},
      {"cuEventCreate", [] { return cuEventCreate(&e, 0); }},
      {"cuEventRecord in another stream", [] { return cuEventRecord(recorded, beside); }},
      {"cuEventQuery", [] { return cuEventQuery(recorded); }},
      {"cuEventSynchronize", [] { return cuEventSynchronize(recorded); }},
      {"cuEventElapsedTime",
       [] {
         float ms;
         return cuEventElapsedTime(&ms, recorded, recorded);
       }},
      {"cuEventDestroy", [] { return cuEventDestroy(event_to_destroy); }},
      {"cuCtxSynchronize", [] { return cuCtxSynchronize(); }},
      {"cuCtxSetLimit", [] { return cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048); }},
      {"cuModuleLoadData", [] { return cuModuleLoadData(&loaded, code); }},
      {"cuModuleGetFunction",
       [] {
         CUfunction f;
         return cuModuleGetFunction(&f, module, "nothing");
       }},
      {"cuModuleUnload", [] { return cuModuleUnload(to_unload); }},
      {"cuLibraryLoadData",
       [] { return cuLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0); }},
      {"cuLibraryUnload", [] { return cuLibraryUnload(library_to_unload); }},
      {"cuFuncSetAttribute",
       [] {
         return cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024);
       }},
      {"cuLaunchKernel in another stream",
       [] { return cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, beside, nullptr, nullptr); }},
      {"cuLaunchKernel in null",
       [] { return cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr); }},
      {"cuArrayCreate", [] { return cuArrayCreate(&array, &flat); }},
      {"cuTexObjectCreate",
       [] {
         CUDA_RESOURCE_DESC resource{};
         resource.resType = CU_RESOURCE_TYPE_ARRAY;
         resource.res.array.hArray = bound;
         CUDA_TEXTURE_DESC reading{};
         return cuTexObjectCreate(&texture, &resource, &reading, nullptr);
       }},
      {"cuTexObjectDestroy", [] { return cuTexObjectDestroy(texture_to_destroy); }},
      {"cuArrayDestroy", [] { return cuArrayDestroy(array_to_destroy); }},
      {"cuGraphInstantiate", [] { return cuGraphInstantiate(&other, graph, 0); }},
      {"cuGraphUpload", [] { return cuGraphUpload(exec, beside); }},
      {"cuGraphLaunch", [] { return cuGraphLaunch(exec, beside); }},
      {"cuGraphExecDestroy", [] { return cuGraphExecDestroy(exec_to_destroy); }},
      {"cuIpcGetMemHandle",
       [] {
         CUipcMemHandle handle;
         return cuIpcGetMemHandle(&handle, p);
       }},
      {"cuProfilerStart", [] { return cuProfilerStart(); }},
  };
}

const char* name(CUstreamCaptureMode mode) {
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL         ? "global"
         : mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ? "thread-local"
                                                       : "relaxed";
}

// Makes each call by itself beside a capture of this mode by this thread or another one.
void ask_all(CUstreamCaptureMode mode, bool same) {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuStreamCreate(&s, 0));
  PREPARE(cuStreamCreate(&beside, CU_STREAM_NON_BLOCKING));
  for (CUstreamCaptureMode own :
       {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        CU_STREAM_CAPTURE_MODE_RELAXED}) {
    const std::vector<Call> all = calls();
    for (const Call& call : all) {
      CUresult result{};
      PREPARE(cuStreamSynchronize(beside));
      PREPARE(cuStreamBeginCapture(s, mode));
      const auto make = [&] {
        CUstreamCaptureMode exchanged = own;
        PREPARE(cuCtxSetCurrent(context));
        PREPARE(cuThreadExchangeStreamCaptureMode(&exchanged));
        result = call.make();
        PREPARE(cuThreadExchangeStreamCaptureMode(&exchanged));
      };
      if (same)
        make();
      else
        std::thread(make).join();
      CUgraph graph = nullptr;
      const CUresult ended = cuStreamEndCapture(s, &graph);
      if (graph) cuGraphDestroy(graph);
      const char *said = "?", *then = "?";
      cuGetErrorName(result, &said);
      cuGetErrorName(ended, &then);
      conformance::say((std::string(name(own)) + " thread: " + call.name).c_str(),
                       (std::string(said) + ", then " + then).c_str());
    }
  }
}

CASE(beside_a_global_capture) { ask_all(CU_STREAM_CAPTURE_MODE_GLOBAL, true); }
CASE(beside_a_thread_local_capture) { ask_all(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, true); }
CASE(beside_a_relaxed_capture) { ask_all(CU_STREAM_CAPTURE_MODE_RELAXED, true); }
CASE(beside_another_threads_global_capture) { ask_all(CU_STREAM_CAPTURE_MODE_GLOBAL, false); }
CASE(beside_another_threads_thread_local_capture) {
  ask_all(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, false);
}
CASE(beside_another_threads_relaxed_capture) { ask_all(CU_STREAM_CAPTURE_MODE_RELAXED, false); }

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
