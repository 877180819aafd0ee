// SPDX-License-Identifier: Apache-2.0
// Graphics resources with other, missing and destroyed CUDA and OpenGL contexts, and with those of
// other threads; and invalid handles.
#include <thread>

#include "graphics.hpp"

namespace {

using graphics::make_current;
using graphics::mapped;
using graphics::new_buffer;
using graphics::registered;

CUcontext own, other;

// Opens OpenGL and makes two CUDA contexts, of which `own` is current.
EGLContext start_two() {
  const EGLContext gl = graphics::start_gl(true);
  PREPARE(cuInit(0));
  PREPARE(cuCtxCreate(&other, nullptr, 0, 0));
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  return gl;
}

CUcontext context_of(CUdeviceptr address) {
  CUcontext context = nullptr;
  PREPARE(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address));
  return context;
}

CASE(graphics_another_context) {
  start_two();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUdeviceptr p = 0;
  size_t n = 0;
  PREPARE(cuCtxSetCurrent(other));
  ASK(cuGraphicsResourceSetMapFlags(r, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  if (p) ASK(context_of(p) == own);
  if (p) ASK(cuMemsetD8(p, 1, n));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(cuCtxSynchronize());
  PREPARE(cuCtxSetCurrent(own));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(graphics_another_context_while_mapped) {
  start_two();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  CUdeviceptr p = 0;
  size_t n = 0;
  PREPARE(cuCtxSetCurrent(other));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  PREPARE(cuCtxSetCurrent(own));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
}
CASE(graphics_image_in_another_context) {
  start_two();
  const GLuint texture = graphics::new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  CUgraphicsResource r = nullptr;
  CUarray a = nullptr;
  CUmipmappedArray m = nullptr;
  PREPARE(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, 0));
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  PREPARE(cuCtxSetCurrent(other));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  if (a) graphics::say("shape", graphics::shape(a));
}
CASE(graphics_no_context) {
  start_two();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  CUgraphicsResource q = registered(new_buffer(4096, nullptr)), created = nullptr;
  const GLuint b = new_buffer(4096, nullptr);
  CUdeviceptr p = 0;
  size_t n = 0;
  CUarray a = nullptr;
  CUmipmappedArray m = nullptr;
  unsigned count = 0;
  CUdevice device = 0;
  CUcontext popped = nullptr;
  PREPARE(cuCtxPopCurrent(&popped));
  PREPARE(cuCtxPopCurrent(&popped));
  ASK(cuGraphicsGLRegisterBuffer(&created, b, 0));
  ASK(cuGraphicsGLRegisterBuffer(nullptr, 0, 77));
  ASK(cuGraphicsGLRegisterImage(nullptr, 0, 0, 77));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, nullptr));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  ASK(cuGraphicsResourceSetMapFlags(q, 0));
  ASK(cuGraphicsResourceSetMapFlags(q, 77));
  ASK(cuGraphicsMapResources(1, &q, nullptr));
  ASK(cuGraphicsMapResources(0, nullptr, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsUnmapResources(0, nullptr, nullptr));
  ASK(cuGraphicsUnregisterResource(q));
  ASK(cuGraphicsUnregisterResource(nullptr));
  ASK(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL));
}
CASE(graphics_before_init) {
  // Without EGL, because asking NVIDIA's EGL for CUDA's devices initialises CUDA.
  CUgraphicsResource r = nullptr;
  CUdeviceptr p = 0;
  size_t n = 0;
  CUarray a = nullptr;
  CUmipmappedArray m = nullptr;
  CUdevice device = 0;
  unsigned count = 0;
  ASK(cuGraphicsGLRegisterBuffer(&r, 1, 0));
  ASK(cuGraphicsGLRegisterBuffer(nullptr, 0, 77));
  ASK(cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsMapResources(0, nullptr, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsResourceSetMapFlags(r, 77));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL));
  ASK(cuGLInit());
  ASK(cuGLRegisterBufferObject(1));
  ASK(cuGLCtxCreate(nullptr, 0, 0));
}
CASE(graphics_of_two_contexts_in_one_call) {
  start_two();
  CUgraphicsResource both[2] = {registered(new_buffer(4096, nullptr)), nullptr};
  PREPARE(cuCtxSetCurrent(other));
  both[1] = registered(new_buffer(4096, nullptr));
  CUdeviceptr p = 0;
  size_t n = 0;
  ASK(cuGraphicsMapResources(2, both, nullptr));
  PREPARE(cuCtxSetCurrent(own));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, both[0]));
  ASK(cuGraphicsMapResources(2, both, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, both[0]));
}
CASE(graphics_one_buffer_in_two_contexts) {
  start_two();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = registered(b);
  PREPARE(cuCtxSetCurrent(other));
  CUgraphicsResource q = nullptr;
  ASK(cuGraphicsGLRegisterBuffer(&q, b, 0));
  ASK(cuGraphicsMapResources(1, &q, nullptr));
  PREPARE(cuCtxSetCurrent(own));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
}

// Destroys the context of the registration and makes another one current, or none.
void destroy_own(bool another) {
  PREPARE(cuCtxDestroy(own));
  PREPARE(cuCtxSetCurrent(another ? other : nullptr));
}
CASE(graphics_destroyed_context_map) {
  start_two();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  destroy_own(true);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
}
CASE(graphics_destroyed_context_unregister) {
  start_two();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  destroy_own(true);
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(graphics_destroyed_context_pointer) {
  start_two();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  CUdeviceptr p = 0;
  size_t n = 0;
  destroy_own(true);
  SURVIVE(cuGraphicsResourceGetMappedPointer(&p, &n, r));
}
CASE(graphics_destroyed_context_flags) {
  start_two();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  destroy_own(true);
  SURVIVE(cuGraphicsResourceSetMapFlags(r, 0));
}
CASE(graphics_destroyed_context_unmap) {
  start_two();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = mapped(b), q = nullptr;
  destroy_own(true);
  SURVIVE(cuGraphicsGLRegisterBuffer(&q, b, 0));
  SURVIVE(cuGraphicsMapResources(1, &q, nullptr));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
}
CASE(graphics_destroyed_context_none_current) {
  start_two();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  destroy_own(false);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(graphics_destroyed_context_current) {
  start_two();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  std::thread([] { PREPARE(cuCtxDestroy(own)); }).join();
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(graphics_primary_context_reset) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  PREPARE(cuDevicePrimaryCtxReset(0));
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(graphics_destroyed_context_and_opengl) {
  start_two();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = mapped(b);
  ASK(r != nullptr);
  PREPARE(cuCtxDestroy(own));
  glBufferData(GL_ARRAY_BUFFER, 8192, nullptr, GL_DYNAMIC_DRAW);
  ASK(static_cast<int>(glGetError()));
  glDeleteBuffers(1, &b);
  ASK(static_cast<int>(glGetError()));
}

CASE(graphics_unregistered_twice) {
  graphics::start();
  const CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(graphics_unregistered_map) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
}
CASE(graphics_unregistered_unmap) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
}
CASE(graphics_unregistered_pointer) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUdeviceptr p = 0;
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
}
CASE(graphics_unregistered_array) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUarray a = nullptr;
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
}
CASE(graphics_unregistered_levels) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUmipmappedArray m = nullptr;
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
}
CASE(graphics_unregistered_flags) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsResourceSetMapFlags(r, 0));
}
CASE(graphics_garbage_handle) {
  graphics::start();
  static uint64_t zeros[2048];
  CUgraphicsResource r = reinterpret_cast<CUgraphicsResource>(zeros);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}

CASE(graphics_stream_of_another_context) {
  start_two();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUstream foreign = nullptr;
  PREPARE(cuCtxSetCurrent(other));
  PREPARE(cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING));
  PREPARE(cuCtxSetCurrent(own));
  ASK(cuGraphicsMapResources(1, &r, foreign));
  CUdeviceptr p = 0;
  ASK(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
  ASK(cuGraphicsUnmapResources(1, &r, foreign));
  PREPARE(cuCtxSetCurrent(other));
  ASK(cuGraphicsMapResources(1, &r, foreign));
}
CASE(graphics_streams) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUstream s = nullptr, t = nullptr;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamCreate(&t, CU_STREAM_DEFAULT));
  ASK(cuGraphicsMapResources(1, &r, s));
  ASK(cuGraphicsUnmapResources(1, &r, t));
  ASK(cuGraphicsMapResources(1, &r, CU_STREAM_LEGACY));
  ASK(cuGraphicsUnmapResources(1, &r, CU_STREAM_PER_THREAD));
}
CASE(graphics_stale_stream_map) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUstream s = nullptr;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamDestroy(s));
  SURVIVE(cuGraphicsMapResources(1, &r, s));
  CUdeviceptr p = 0;
  SURVIVE(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
}
CASE(graphics_stale_stream_unmap) {
  graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  CUstream s = nullptr;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamDestroy(s));
  SURVIVE(cuGraphicsUnmapResources(1, &r, s));
  CUdeviceptr p = 0;
  SURVIVE(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
}

}  // namespace
