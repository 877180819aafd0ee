// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects that end before the kernels that use them.
#include <atomic>
#include <thread>

#include "harness.hpp"

namespace {

constexpr const char* text = R"(
.version 8.1
.target sm_70
.address_size 64
.visible .entry read(.param .u64 out, .param .u64 handle) {
  .reg .b64 %d<2>; .reg .f32 %f<2>; .reg .b32 %r<4>;
  ld.param.u64 %d0, [out]; ld.param.u64 %d1, [handle];
  mov.f32 %f0, 0f40400000; mov.f32 %f1, 0f40000000;
  tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%d1, {%f0, %f1}];
  st.global.u32 [%d0], %r0;
  ret;
}
.visible .entry read_by_memory(.param .u64 out, .param .u64 place) {
  .reg .b64 %d<3>; .reg .f32 %f<2>; .reg .b32 %r<4>;
  ld.param.u64 %d0, [out]; ld.param.u64 %d2, [place]; ld.volatile.global.u64 %d1, [%d2];
  mov.f32 %f0, 0f40400000; mov.f32 %f1, 0f40000000;
  tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%d1, {%f0, %f1}];
  st.global.u32 [%d0], %r0;
  ret;
}
.visible .entry load(.param .u64 out, .param .u64 handle) {
  .reg .b64 %d<2>; .reg .b32 %r<3>;
  ld.param.u64 %d0, [out]; ld.param.u64 %d1, [handle]; mov.u32 %r1, 12; mov.u32 %r2, 2;
  suld.b.2d.b32.trap {%r0}, [%d1, {%r1, %r2}];
  st.global.u32 [%d0], %r0;
  ret;
}
.visible .entry store(.param .u64 out, .param .u64 handle) {
  .reg .b64 %d<2>; .reg .b32 %r<3>;
  ld.param.u64 %d1, [handle]; mov.u32 %r0, 777; mov.u32 %r1, 12; mov.u32 %r2, 2;
  sust.b.2d.b32.trap [%d1, {%r1, %r2}], {%r0};
  ret;
}
)";

CUcontext context;
CUmodule module;
CUstream stream;
CUdeviceptr out;
CUarray array;
CUtexObject texture;
CUsurfObject surface;

// Element (x, y) is 100 + 8 * y + x.
void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuModuleLoadData(&module, text));
  PREPARE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  PREPARE(cuMemAlloc(&out, 4));
  const CUDA_ARRAY3D_DESCRIPTOR shape{
      8, 8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
  PREPARE(cuArray3DCreate(&array, &shape));
  unsigned elements[64];
  for (unsigned i = 0; i < 64; ++i) elements[i] = 100 + i;
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = elements;
  copy.srcPitch = copy.WidthInBytes = 32;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = 8;
  PREPARE(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC way{};
  way.flags = CU_TRSF_READ_AS_INTEGER;
  for (auto& mode : way.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  PREPARE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  PREPARE(cuSurfObjectCreate(&surface, &resource));
  PREPARE(cuMemsetD32(out, 1, 1));
  PREPARE(cuCtxSynchronize());
}

CUfunction kernel(const char* name) {
  CUfunction found = nullptr;
  PREPARE(cuModuleGetFunction(&found, module, name));
  return found;
}

void launch(const char* name, unsigned long long handle) {
  void* values[] = {&out, &handle};
  PREPARE(cuLaunchKernel(kernel(name), 1, 1, 1, 1, 1, 1, 0, stream, values, nullptr));
}

void say_result() {
  ASK(cuStreamSynchronize(stream));
  unsigned value = 0;
  PREPARE(cuMemcpyDtoH(&value, out, 4));
  conformance::say("result", std::to_string(value).c_str());
}

void say_element() {
  unsigned elements[64] = {};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = elements;
  copy.dstPitch = copy.WidthInBytes = 32;
  copy.Height = 8;
  PREPARE(cuMemcpy2D(&copy));
  conformance::say("element", std::to_string(elements[19]).c_str());
}

// Holds the stream up until `open` is set.
std::atomic<bool> open{false};
void hold() {
  PREPARE(cuLaunchHostFunc(
      stream,
      [](void*) {
        while (!open) std::this_thread::yield();
      },
      nullptr));
}

CASE(texture_destroyed_behind_a_launch) {
  start();
  hold();
  launch("read", texture);
  ASK(cuTexObjectDestroy(texture));
  open = true;
  say_result();
}
CASE(texture_in_memory_destroyed_behind_a_launch) {
  start();
  CUdeviceptr place;
  PREPARE(cuMemAlloc(&place, 8));
  PREPARE(cuMemcpyHtoD(place, &texture, 8));
  hold();
  launch("read_by_memory", place);
  ASK(cuTexObjectDestroy(texture));
  open = true;
  say_result();
}
CASE(surface_destroyed_behind_a_load) {
  start();
  hold();
  launch("load", surface);
  ASK(cuSurfObjectDestroy(surface));
  open = true;
  say_result();
}
CASE(surface_destroyed_behind_a_store) {
  start();
  hold();
  launch("store", surface);
  ASK(cuSurfObjectDestroy(surface));
  open = true;
  ASK(cuStreamSynchronize(stream));
  say_element();
}
CASE(array_destroyed_behind_a_launch) {
  start();
  hold();
  launch("read", texture);
  ASK(cuTexObjectDestroy(texture));
  std::thread opener([] { open = true; });
  ASK(cuArrayDestroy(array));
  opener.join();
  say_result();
}
CASE(texture_destroyed_before_a_launch) {
  start();
  ASK(cuTexObjectDestroy(texture));
  launch("read", texture);
  say_result();
}
CASE(surface_destroyed_before_a_store) {
  start();
  ASK(cuSurfObjectDestroy(surface));
  launch("store", surface);
  ASK(cuStreamSynchronize(stream));
  say_element();
}
CASE(null_texture_read) {
  start();
  launch("read", 0);
  say_result();
}
CASE(null_surface_loaded) {
  start();
  launch("load", 0);
  say_result();
}
CASE(random_texture_read) {
  start();
  launch("read", 0xdeadbeefcafebabe);
  ASK(cuStreamSynchronize(stream));
}
CASE(random_surface_loaded) {
  start();
  launch("load", 0xdeadbeefcafebabe);
  ASK(cuStreamSynchronize(stream));
}
CASE(texture_destroyed_behind_a_graph) {
  start();
  CUgraph graph;
  CUgraphExec exec;
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch("read", texture);
  PREPARE(cuStreamEndCapture(stream, &graph));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuTexObjectDestroy(texture));
  ASK(cuGraphLaunch(exec, stream));
  say_result();
}
CASE(texture_destroyed_in_a_capture) {
  start();
  CUgraph graph;
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch("read", texture);
  ASK(cuTexObjectDestroy(texture));
  ASK(cuStreamEndCapture(stream, &graph));
}

}  // namespace
