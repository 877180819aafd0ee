// SPDX-License-Identifier: Apache-2.0
// OpenGL's buffers as they were used by name before CUDA 3.0, and the entry points from before CUDA
// 3.2 and 6.5.
#include <dlfcn.h>

#include "graphics.hpp"

namespace {

using graphics::make_current;
using graphics::new_buffer;

CUdeviceptr p, q;
size_t n;

CASE(deprecated_init) {
  const EGLContext gl = graphics::start();
  ASK(cuGLInit());
  ASK(cuGLInit());
  make_current(EGL_NO_CONTEXT);
  ASK(cuGLInit());
  make_current(gl);
  PREPARE(cuCtxSetCurrent(nullptr));
  ASK(cuGLInit());
}
CASE(deprecated_without_context) {
  graphics::start_gl(true);
  PREPARE(cuInit(0));
  const GLuint b = new_buffer(4096, nullptr);
  ASK(cuGLInit());
  ASK(cuGLRegisterBufferObject(b));
  ASK(cuGLRegisterBufferObject(0));
  ASK(cuGLSetBufferObjectMapFlags(b, 0));
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLMapBufferObjectAsync(&p, &n, b, nullptr));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLUnmapBufferObjectAsync(b, nullptr));
  ASK(cuGLUnregisterBufferObject(b));
}
CASE(deprecated_without_opengl) {
  graphics::start_cuda();
  ASK(cuGLInit());
  ASK(cuGLRegisterBufferObject(1));
  ASK(cuGLRegisterBufferObject(0));
  ASK(cuGLSetBufferObjectMapFlags(1, 0));
  ASK(cuGLSetBufferObjectMapFlags(1, 77));
  ASK(cuGLMapBufferObject(&p, &n, 1));
  ASK(cuGLUnmapBufferObject(1));
  ASK(cuGLUnregisterBufferObject(1));
}
CASE(deprecated_context) {
  graphics::start_gl(true);
  CUcontext c = nullptr, current = nullptr;
  unsigned flags = 0;
  PREPARE(cuInit(0));
  ASK(cuGLCtxCreate(nullptr, 0, 0));
  ASK(cuGLCtxCreate(&c, 0, 1000));
  ASK(cuGLCtxCreate(&c, 3, 0));
  ASK(cuGLCtxCreate(&c, 0x4000, 0));
  ASK(cuGLCtxCreate(nullptr, 3, 1000));
  ASK(cuGLCtxCreate(&c, CU_CTX_SCHED_YIELD, 0));
  ASK(cuCtxGetCurrent(&current));
  ASK(c != nullptr && c == current);
  ASK(cuCtxGetFlags(&flags));
  ASK(flags);
  ASK(cuGLRegisterBufferObject(new_buffer(4096, nullptr)));
  make_current(EGL_NO_CONTEXT);
  CUcontext d = nullptr;
  ASK(cuGLCtxCreate(&d, 0, 0));
  ASK(cuCtxDestroy(c));
}

CASE(deprecated_register) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr), empty = new_buffer(0, nullptr);
  GLuint generated = 0;
  glGenBuffers(1, &generated);
  ASK(cuGLRegisterBufferObject(0));
  ASK(cuGLRegisterBufferObject(9999));
  ASK(cuGLRegisterBufferObject(generated));
  ASK(cuGLRegisterBufferObject(empty));
  ASK(cuGLRegisterBufferObject(b));
  ASK(cuGLRegisterBufferObject(b));
  ASK(cuGLUnregisterBufferObject(b));
  ASK(cuGLUnregisterBufferObject(b));
  ASK(cuGLUnregisterBufferObject(b));
  ASK(cuGLUnregisterBufferObject(0));
  ASK(cuGLUnregisterBufferObject(9999));
}
CASE(deprecated_flags) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  ASK(cuGLSetBufferObjectMapFlags(b, 0));
  ASK(cuGLSetBufferObjectMapFlags(b, 77));
  ASK(cuGLSetBufferObjectMapFlags(0, 0));
  PREPARE(cuGLRegisterBufferObject(b));
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 0x80000000u})
    ASK(cuGLSetBufferObjectMapFlags(b, flags));
  PREPARE(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLSetBufferObjectMapFlags(b, 0));
  ASK(cuGLSetBufferObjectMapFlags(b, 77));
}
CASE(deprecated_map) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  CUstream s = nullptr;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLMapBufferObject(&p, &n, 0));
  ASK(cuGLMapBufferObject(nullptr, nullptr, b));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLUnmapBufferObjectAsync(b, s));
  PREPARE(cuGLRegisterBufferObject(b));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLUnmapBufferObjectAsync(b, s));
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(n);
  ASK(cuMemsetD8(p, 1, 4096));
  ASK(cuGLMapBufferObject(&q, &n, b));
  ASK(cuGLMapBufferObjectAsync(&q, &n, b, s));
  ASK(cuGLRegisterBufferObject(b));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLMapBufferObjectAsync(&q, &n, b, s));
  ASK(p == q);
  ASK(cuGLUnmapBufferObjectAsync(b, s));
  ASK(cuGLUnmapBufferObjectAsync(b, s));
  ASK(cuGLMapBufferObjectAsync(&q, &n, b, nullptr));
  ASK(cuGLUnmapBufferObjectAsync(b, s));
  ASK(cuGLUnregisterBufferObject(b));
}
CASE(deprecated_map_without_outs) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  PREPARE(cuGLRegisterBufferObject(b));
  SURVIVE(cuGLMapBufferObject(nullptr, &n, b));
  SURVIVE(cuGLUnmapBufferObject(b));
  SURVIVE(cuGLMapBufferObject(&p, nullptr, b));
  SURVIVE(cuGLUnmapBufferObject(b));
  SURVIVE(cuGLMapBufferObject(nullptr, nullptr, b));
  SURVIVE(cuGLUnmapBufferObject(b));
}
CASE(deprecated_unregister_while_mapped) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  PREPARE(cuGLRegisterBufferObject(b));
  PREPARE(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLUnregisterBufferObject(b));
  ASK(cuMemsetD8(p, 1, 4096));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLUnregisterBufferObject(b));
  ASK(cuGLRegisterBufferObject(b));
  ASK(cuGLMapBufferObject(&q, &n, b));
  ASK(p == q);
}
CASE(deprecated_stale_stream) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  CUstream s = nullptr;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamDestroy(s));
  PREPARE(cuGLRegisterBufferObject(b));
  SURVIVE(cuGLMapBufferObjectAsync(&p, &n, b, s));
}

// Does registering a buffer object by name make one more graphics resource?
CASE(deprecated_beside_resource) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = graphics::registered(b);
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLUnregisterBufferObject(b));
  ASK(cuGLRegisterBufferObject(b));
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&q, &n, r));
  ASK(p == q);
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGraphicsResourceGetMappedPointer(&q, &n, r));
  ASK(cuGLUnregisterBufferObject(b));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
}
CASE(deprecated_deleted) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  PREPARE(cuGLRegisterBufferObject(b));
  glDeleteBuffers(1, &b);
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLUnregisterBufferObject(b));
}
CASE(deprecated_in_other_contexts) {
  const EGLContext gl = graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  PREPARE(cuGLRegisterBufferObject(b));
  make_current(EGL_NO_CONTEXT);
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLSetBufferObjectMapFlags(b, 0));
  make_current(graphics::new_gl(true, gl));
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLUnmapBufferObject(b));
  make_current(graphics::new_gl(true, EGL_NO_CONTEXT));
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLUnmapBufferObject(b));
  make_current(gl);
  CUcontext other = nullptr;
  PREPARE(cuCtxCreate(&other, nullptr, 0, 0));
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLRegisterBufferObject(b));
  ASK(cuGLUnregisterBufferObject(b));
}
CASE(deprecated_unregister_without_opengl) {
  const EGLContext gl = graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  PREPARE(cuGLRegisterBufferObject(b));
  make_current(EGL_NO_CONTEXT);
  ASK(cuGLUnregisterBufferObject(b));
  make_current(gl);
  ASK(cuGLMapBufferObject(&p, &n, b));
  ASK(cuGLUnregisterBufferObject(b));
}
CASE(deprecated_unmap_without_opengl) {
  const EGLContext gl = graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  PREPARE(cuGLRegisterBufferObject(b));
  PREPARE(cuGLMapBufferObject(&p, &n, b));
  make_current(EGL_NO_CONTEXT);
  ASK(cuGLUnmapBufferObject(b));
  make_current(gl);
  ASK(cuGLUnmapBufferObject(b));
  ASK(cuGLMapBufferObject(&p, &n, b));
}

// Calls an old entry point, which has 32-bit addresses and sizes.
template <typename... Arguments>
CUresult former(const char* symbol, Arguments... arguments) {
  using Function = CUresult(Arguments...);
  const auto function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, symbol));
  graphics::need(symbol, function != nullptr);
  return function(arguments...);
}
CASE(former_map_buffer_object) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  PREPARE(cuGLRegisterBufferObject(b));
  unsigned place[2] = {0, 77}, size[2] = {0, 77};
  SURVIVE(former("cuGLMapBufferObject", place, size, b));
  ASK(size[0]);
  ASK(place[1]);
  ASK(size[1]);
  SURVIVE(cuGLUnmapBufferObject(b));
  SURVIVE(former("cuGLMapBufferObjectAsync", place, size, b, CUstream{nullptr}));
  ASK(size[0]);
  ASK(place[1]);
  ASK(size[1]);
}
CASE(former_mapped_pointer) {
  graphics::start();
  CUgraphicsResource r = graphics::mapped(new_buffer(4096, nullptr));
  unsigned place[2] = {0, 77}, size[2] = {0, 77};
  SURVIVE(former("cuGraphicsResourceGetMappedPointer", place, size, r));
  ASK(size[0]);
  ASK(place[1]);
  ASK(size[1]);
}
CASE(former_map_flags) {
  graphics::start();
  CUgraphicsResource r = graphics::registered(new_buffer(4096, nullptr));
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u})
    ASK(former("cuGraphicsResourceSetMapFlags", r, flags));
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  ASK(former("cuGraphicsResourceSetMapFlags", r, 0u));
}
CASE(former_devices) {
  graphics::start();
  unsigned count = 0;
  CUdevice device = 9;
  SURVIVE(former("cuGLGetDevices", &count, &device, 1u, CU_GL_DEVICE_LIST_ALL));
  ASK(count);
  ASK(device);
  SURVIVE(former("cuGLGetDevices", &count, &device, 1u, CU_GL_DEVICE_LIST_NEXT_FRAME));
}
CASE(former_context) {
  graphics::start_gl(true);
  PREPARE(cuInit(0));
  CUcontext c = nullptr;
  SURVIVE(former("cuGLCtxCreate", &c, 0u, 0));
  ASK(c != nullptr);
}

}  // namespace
