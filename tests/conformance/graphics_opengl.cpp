// SPDX-License-Identifier: Apache-2.0
// Graphics resources and OpenGL contexts: those of other threads, of other share groups and of
// OpenGL ES, and destroyed ones.
#include <thread>

#include "graphics.hpp"

namespace {

using graphics::make_current;
using graphics::mapped;
using graphics::new_buffer;
using graphics::registered;

CASE(opengl_released_while_mapped) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr)), q = nullptr;
  CUdeviceptr p = 0;
  size_t n = 0;
  make_current(EGL_NO_CONTEXT);
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuMemsetD8(p, 1, n));
  ASK(cuGraphicsResourceSetMapFlags(r, 0));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsMapResources(1, &q, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  make_current(gl);
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  make_current(EGL_NO_CONTEXT);
  ASK(cuGraphicsResourceSetMapFlags(r, 1));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  make_current(gl);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(opengl_missing_at_unmap) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  make_current(EGL_NO_CONTEXT);
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  make_current(gl);
  SURVIVE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(opengl_missing_at_unregister) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  make_current(EGL_NO_CONTEXT);
  ASK(cuGraphicsUnregisterResource(r));
  make_current(gl);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}

CASE(opengl_in_another_thread) {
  graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  CUgraphicsResource q = registered(new_buffer(4096, nullptr));
  std::thread([&] {
    CUdeviceptr p = 0;
    size_t n = 0;
    PREPARE(cuCtxSetCurrent(graphics::context));
    ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
    ASK(cuGraphicsResourceSetMapFlags(q, 0));
    ASK(cuGraphicsMapResources(1, &q, nullptr));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
    ASK(cuGraphicsUnregisterResource(q));
  }).join();
  CUdeviceptr p = 0;
  size_t n = 0;
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
}

CASE(opengl_shared_in_another_thread) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource q = registered(b);
  const EGLContext shared = graphics::new_gl(true, gl);
  std::thread([&] {
    CUdeviceptr p = 0;
    size_t n = 0;
    CUgraphicsResource third = nullptr;
    eglBindAPI(EGL_OPENGL_API);
    ASK(make_current(shared));
    PREPARE(cuCtxSetCurrent(graphics::context));
    ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
    ASK(cuGraphicsGLRegisterBuffer(&third, b, 0));
    ASK(cuGraphicsMapResources(1, &q, nullptr));
    ASK(cuGraphicsUnmapResources(1, &q, nullptr));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
    ASK(cuGraphicsUnregisterResource(r));
    make_current(EGL_NO_CONTEXT);
  }).join();
  ASK(cuGraphicsMapResources(1, &q, nullptr));
  ASK(cuGraphicsUnmapResources(1, &q, nullptr));
  ASK(cuGraphicsUnregisterResource(q));
}

// Names belong to a share group: is it the registered buffer that is mapped?
CASE(opengl_foreign) {
  const EGLContext gl = graphics::start();
  const unsigned first = 0x11111111, second = 0x22222222;
  const GLuint b = new_buffer(4, &first);
  CUgraphicsResource r = registered(b), q = nullptr;
  const EGLContext foreign = graphics::new_gl(true, EGL_NO_CONTEXT);
  make_current(foreign);
  ASK(new_buffer(4, &second) == b);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  CUdeviceptr p = 0;
  unsigned content = 0;
  ASK(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
  ASK(cuMemcpyDtoH(&content, p, 4));
  ASK(content == first);
  ASK(cuMemsetD8(p, 0x33, 4));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &content);
  ASK(content == second);
  ASK(cuGraphicsGLRegisterBuffer(&q, b, 0));
  CUgraphicsResource both[] = {r, q};
  ASK(cuGraphicsMapResources(2, both, nullptr));
  ASK(cuGraphicsUnmapResources(2, both, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
  make_current(gl);
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &content);
  ASK(content);
  ASK(cuGraphicsMapResources(1, &q, nullptr));
  ASK(cuGraphicsUnregisterResource(q));
}
CASE(opengl_foreign_without_the_buffer) {
  graphics::start();
  new_buffer(4096, nullptr);
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  make_current(graphics::new_gl(true, EGL_NO_CONTEXT));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(static_cast<int>(glGetError()));
}

// Does the resource belong to the share group or to the context? What is left when the context is
// destroyed?
CASE(opengl_destroyed) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  const EGLContext foreign = graphics::new_gl(true, EGL_NO_CONTEXT);
  make_current(foreign);
  eglDestroyContext(graphics::display, gl);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(opengl_destroyed_shared) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  const EGLContext shared = graphics::new_gl(true, gl);
  make_current(shared);
  eglDestroyContext(graphics::display, gl);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(opengl_destroyed_while_mapped) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  CUdeviceptr p = 0;
  PREPARE(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
  make_current(EGL_NO_CONTEXT);
  eglDestroyContext(graphics::display, gl);
  SURVIVE(cuMemsetD8(p, 1, 4096));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  make_current(graphics::new_gl(true, EGL_NO_CONTEXT));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(opengl_terminated) {
  graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  make_current(EGL_NO_CONTEXT);
  eglTerminate(graphics::display);
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuCtxSynchronize());
}

CASE(opengl_es) {
  graphics::start_gl(true);
  eglBindAPI(EGL_OPENGL_ES_API);
  const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
  const EGLContext es =
      eglCreateContext(graphics::display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
  graphics::need("no OpenGL ES context", es != EGL_NO_CONTEXT && make_current(es));
  graphics::start_cuda();
  const auto generate = reinterpret_cast<PFNGLGENBUFFERSPROC>(eglGetProcAddress("glGenBuffers"));
  const auto bind = reinterpret_cast<PFNGLBINDBUFFERPROC>(eglGetProcAddress("glBindBuffer"));
  const auto specify = reinterpret_cast<PFNGLBUFFERDATAPROC>(eglGetProcAddress("glBufferData"));
  GLuint b = 0;
  generate(1, &b);
  bind(GL_ARRAY_BUFFER, b);
  specify(GL_ARRAY_BUFFER, 4096, nullptr, GL_DYNAMIC_DRAW);
  CUgraphicsResource r = nullptr;
  CUdeviceptr p = 0;
  size_t n = 0;
  unsigned count = 0;
  CUdevice device = 0;
  ASK(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL));
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(n);
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  eglBindAPI(EGL_OPENGL_API);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
}

// Both APIs may be current in one thread.
CASE(opengl_and_es) {
  const EGLContext gl = graphics::start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  eglBindAPI(EGL_OPENGL_ES_API);
  ASK(eglGetCurrentContext() == gl);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
}

// The devices of an OpenGL context.
CASE(opengl_devices) {
  graphics::start();
  unsigned n = 77;
  CUdevice d[4] = {9, 9, 9, 9};
  for (unsigned list : {0u, 1u, 2u, 3u, 4u, 0xffffffffu}) {
    ASK(list);
    n = 77;
    d[0] = 9;
    ASK(cuGLGetDevices(&n, d, 4, static_cast<CUGLDeviceList>(list)));
    ASK(n);
    ASK(d[0]);
  }
  n = 77;
  d[0] = 9;
  ASK(cuGLGetDevices(&n, d, 0, CU_GL_DEVICE_LIST_ALL));
  ASK(n);
  ASK(d[0]);
  ASK(cuGLGetDevices(&n, nullptr, 1, CU_GL_DEVICE_LIST_ALL));
  ASK(cuGLGetDevices(&n, nullptr, 0, CU_GL_DEVICE_LIST_CURRENT_FRAME));
  ASK(cuGLGetDevices(nullptr, nullptr, 0, CU_GL_DEVICE_LIST_ALL));
}
CASE(opengl_devices_without_opengl) {
  graphics::start_cuda();
  unsigned n = 77;
  CUdevice d[4] = {9, 9, 9, 9};
  ASK(cuGLGetDevices(nullptr, d, 4, CU_GL_DEVICE_LIST_ALL));
  ASK(cuGLGetDevices(&n, d, 4, static_cast<CUGLDeviceList>(77)));
  ASK(cuGLGetDevices(&n, d, 0, CU_GL_DEVICE_LIST_ALL));
  CUgraphicsResource r = nullptr;
  ASK(cuGraphicsGLRegisterBuffer(nullptr, 1, 0));
  ASK(cuGraphicsGLRegisterBuffer(&r, 0, 0));
  ASK(cuGraphicsGLRegisterBuffer(&r, 1, 77));
  ASK(cuGraphicsGLRegisterImage(nullptr, 1, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsGLRegisterImage(&r, 1, 0, 0));
  ASK(cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 77));
}

}  // namespace
