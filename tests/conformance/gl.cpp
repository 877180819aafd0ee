// SPDX-License-Identifier: Apache-2.0
// OpenGL's buffers as graphics resources: registration, mapping, and their order in streams.
#include "gl.hpp"

CASE(gl_info) {
  graphics::start();
  fprintf(stderr, "GL: %s / %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION));
  unsigned n = 0;
  CUdevice d[4];
  ASK(cuGLGetDevices(&n, d, 4, CU_GL_DEVICE_LIST_ALL));
  ASK(n);
  ASK(cuGLGetDevices(&n, nullptr, 0, CU_GL_DEVICE_LIST_ALL));
  ASK(cuGLGetDevices(&n, d, 4, (CUGLDeviceList)77));
  ASK(cuGLGetDevices(nullptr, d, 4, CU_GL_DEVICE_LIST_ALL));
}

CASE(gl_no_gl_context) {
  scene();
  CUgraphicsResource r;
  ASK(cuGraphicsGLRegisterBuffer(&r, 1, 0));
  ASK(cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0));
  unsigned n;
  CUdevice d[4];
  ASK(cuGLGetDevices(&n, d, 4, CU_GL_DEVICE_LIST_ALL));
}

CASE(gl_no_cuda_context) {
  graphics::start_gl(true);
  PREPARE(cuInit(0));
  GLuint b = buffer(1024);
  CUgraphicsResource r;
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
}

CASE(gl_register_buffer) {
  graphics::start();
  GLuint b = buffer(1000);
  CUgraphicsResource r = nullptr, q;
  ASK(cuGraphicsGLRegisterBuffer(nullptr, b, 0));
  ASK(cuGraphicsGLRegisterBuffer(&r, 0, 0));
  ASK(cuGraphicsGLRegisterBuffer(&r, 9999, 0));
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 4));
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 8));
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 3));
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 0x80));
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
  ASK(cuGraphicsGLRegisterBuffer(&q, b, 0));
  ASK(r == q);
  ASK(cuGraphicsUnregisterResource(nullptr));
  GLuint g;
  glGenBuffers(1, &g);
  ASK(cuGraphicsGLRegisterBuffer(&q, g, 0));
  glBindBuffer(GL_ARRAY_BUFFER, g);
  ASK(cuGraphicsGLRegisterBuffer(&q, g, 0));
  GLuint z = buffer(0);
  ASK(cuGraphicsGLRegisterBuffer(&q, z, 0));
  CUdeviceptr p;
  size_t n;
  ASK(cuGraphicsMapResources(1, &r, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(n);
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  ASK(cuGraphicsUnregisterResource(r));
  ASK((int)glGetError());
}

CASE(gl_map_errors) {
  graphics::start();
  GLuint b0 = buffer(4096), b1 = buffer(4096), b2 = buffer(4096);
  CUgraphicsResource a, b, c;
  PREPARE(cuGraphicsGLRegisterBuffer(&a, b0, 0));
  PREPARE(cuGraphicsGLRegisterBuffer(&b, b1, 0));
  PREPARE(cuGraphicsGLRegisterBuffer(&c, b2, 0));
  CUdeviceptr p;
  size_t n;
  CUmipmappedArray m;
  CUarray ar;
  ASK(cuGraphicsMapResources(0, nullptr, 0));
  ASK(cuGraphicsMapResources(0, &a, 0));
  ASK(cuGraphicsMapResources(1, nullptr, 0));
  CUgraphicsResource nul[1] = {nullptr};
  ASK(cuGraphicsMapResources(1, nul, 0));
  ASK(cuGraphicsUnmapResources(0, nullptr, 0));
  ASK(cuGraphicsUnmapResources(1, nullptr, 0));
  ASK(cuGraphicsUnmapResources(1, nul, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, a));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, nullptr));
  ASK(cuGraphicsSubResourceGetMappedArray(&ar, a, 0, 0));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, a));
  ASK(cuGraphicsUnmapResources(1, &a, 0));
  ASK(cuGraphicsMapResources(1, &b, 0));
  CUgraphicsResource ab[2] = {a, b};
  ASK(cuGraphicsMapResources(2, ab, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, a));
  ASK(cuGraphicsMapResources(1, &b, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, b));
  ASK(n);
  ASK(cuGraphicsResourceGetMappedPointer(nullptr, &n, b));
  ASK(cuGraphicsResourceGetMappedPointer(&p, nullptr, b));
  ASK(cuGraphicsResourceGetMappedPointer(nullptr, nullptr, b));
  ASK(cuGraphicsSubResourceGetMappedArray(&ar, b, 0, 0));
  ASK(cuGraphicsSubResourceGetMappedArray(nullptr, b, 0, 0));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, b));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(nullptr, b));
  ASK(cuGraphicsResourceSetMapFlags(b, 0));
  ASK(cuGraphicsResourceSetMapFlags(b, 77));
  ASK(cuGraphicsResourceSetMapFlags(a, 0));
  ASK(cuGraphicsResourceSetMapFlags(a, 1));
  ASK(cuGraphicsResourceSetMapFlags(a, 2));
  ASK(cuGraphicsResourceSetMapFlags(a, 3));
  ASK(cuGraphicsResourceSetMapFlags(a, 4));
  ASK(cuGraphicsResourceSetMapFlags(nullptr, 0));
  ASK(cuGraphicsUnmapResources(1, &b, 0));
  ASK(cuGraphicsUnmapResources(1, &b, 0));
  CUgraphicsResource all[3] = {a, b, c};
  ASK(cuGraphicsMapResources(3, all, 0));
  ASK(cuGraphicsUnregisterResource(b));
  ASK(cuGraphicsUnmapResources(1, &a, 0));
  ASK(cuGraphicsUnmapResources(1, &c, 0));
  ASK(cuGraphicsUnregisterResource(a));
  ASK(cuCtxSynchronize());
}

CASE(gl_map_duplicates) {
  graphics::start();
  GLuint b0 = buffer(4096);
  CUgraphicsResource a;
  PREPARE(cuGraphicsGLRegisterBuffer(&a, b0, 0));
  CUdeviceptr p;
  size_t n;
  CUgraphicsResource aa[2] = {a, a};
  ASK(cuGraphicsMapResources(2, aa, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, a));
}

CASE(gl_unmap_duplicates) {
  graphics::start();
  GLuint b0 = buffer(4096);
  CUgraphicsResource a;
  PREPARE(cuGraphicsGLRegisterBuffer(&a, b0, 0));
  CUdeviceptr p;
  size_t n;
  CUgraphicsResource aa[2] = {a, a};
  PREPARE(cuGraphicsMapResources(1, &a, 0));
  ASK(cuGraphicsUnmapResources(2, aa, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, a));
}

// One resource is mapped and the other is not: does the mapped one stay mapped?
CASE(gl_unmap_partial) {
  graphics::start();
  GLuint b0 = buffer(4096), b1 = buffer(4096);
  CUgraphicsResource a, b;
  PREPARE(cuGraphicsGLRegisterBuffer(&a, b0, 0));
  PREPARE(cuGraphicsGLRegisterBuffer(&b, b1, 0));
  CUdeviceptr p;
  size_t n;
  PREPARE(cuGraphicsMapResources(1, &b, 0));
  CUgraphicsResource ab[2] = {a, b}, ba[2] = {b, a};
  ASK(cuGraphicsUnmapResources(2, ab, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, b));
  ASK(cuGraphicsMapResources(1, &b, 0));
  ASK(cuGraphicsUnmapResources(2, ba, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, b));
}

// One resource is free and the other is mapped already: does the free one stay free?
CASE(gl_map_partial) {
  graphics::start();
  GLuint b0 = buffer(4096), b1 = buffer(4096);
  CUgraphicsResource a, b;
  PREPARE(cuGraphicsGLRegisterBuffer(&a, b0, 0));
  PREPARE(cuGraphicsGLRegisterBuffer(&b, b1, 0));
  CUdeviceptr p;
  size_t n;
  PREPARE(cuGraphicsMapResources(1, &b, 0));
  CUgraphicsResource ab[2] = {a, b};
  ASK(cuGraphicsMapResources(2, ab, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, a));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, b));
}

// Registered in one OpenGL context, and mapped while another one is current.
CASE(gl_two_gl_contexts) {
  graphics::start();
  GLuint b0 = buffer(4096);
  CUgraphicsResource a;
  PREPARE(cuGraphicsGLRegisterBuffer(&a, b0, 0));
  EGLint at[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
  EGLContext first = eglGetCurrentContext(),
             shared = eglCreateContext(graphics::display, EGL_NO_CONFIG_KHR, first, at),
             other = eglCreateContext(graphics::display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, at);
  eglMakeCurrent(graphics::display, 0, 0, shared);
  ASK(cuGraphicsMapResources(1, &a, 0));
  ASK(cuGraphicsUnmapResources(1, &a, 0));
  eglMakeCurrent(graphics::display, 0, 0, other);
  ASK(cuGraphicsMapResources(1, &a, 0));
  ASK(cuGraphicsUnmapResources(1, &a, 0));
  eglMakeCurrent(graphics::display, 0, 0, first);
  ASK(cuGraphicsMapResources(1, &a, 0));
  ASK(cuGraphicsUnmapResources(1, &a, 0));
  ASK(cuGraphicsUnregisterResource(a));
}

CASE(gl_mapped_pointer) {
  graphics::start();
  GLuint b = buffer(4096);
  CUgraphicsResource r;
  PREPARE(cuGraphicsGLRegisterBuffer(&r, b, 0));
  PREPARE(cuGraphicsMapResources(1, &r, 0));
  CUdeviceptr p, q;
  size_t n, s;
  PREPARE(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(n);
  ASK((int)(p % 16));
  ASK(cuMemGetAddressRange(&q, &s, p));
  ASK(q == p);
  ASK(s);
  unsigned u = 0;
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  ASK(u);
  ASK(cuMemFree(p));
  ASK(cuMemsetD8(p, 1, n));
  ASK(cuMemsetD8(p, 1, n + 1));
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  char h[16];
  ASK(cuMemcpyDtoH(h, p, 16));
  ASK(cuMemGetAddressRange(&q, &s, p));
  ASK(cuGraphicsMapResources(1, &r, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&q, &n, r));
  ASK(p == q);
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  ASK(cuCtxSynchronize());
}

CASE(gl_data_flow) {
  graphics::start();
  unsigned char init[4096];
  for (int i = 0; i < 4096; ++i) init[i] = (unsigned char)(i * 7);
  GLuint b = buffer(4096, init);
  CUgraphicsResource r;
  PREPARE(cuGraphicsGLRegisterBuffer(&r, b, 0));
  CUdeviceptr p;
  size_t n;
  unsigned char h[4096], g[4096];
  PREPARE(cuGraphicsMapResources(1, &r, 0));
  PREPARE(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  PREPARE(cuMemcpyDtoH(h, p, 4096));
  ASK(memcmp(h, init, 4096) == 0);
  PREPARE(cuMemsetD8(p, 0x5a, 2048));
  PREPARE(cuGraphicsUnmapResources(1, &r, 0));
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 4096, g);
  ASK((int)g[0]);
  ASK((int)g[2047]);
  ASK(g[2048] == init[2048]);
  memset(g, 0x33, 100);
  glBufferSubData(GL_ARRAY_BUFFER, 100, 100, g);
  PREPARE(cuGraphicsMapResources(1, &r, 0));
  PREPARE(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  PREPARE(cuMemcpyDtoH(h, p, 4096));
  ASK((int)h[99]);
  ASK((int)h[100]);
  ASK((int)h[199]);
  ASK((int)h[200]);
  PREPARE(cuGraphicsUnmapResources(1, &r, 0));
  PREPARE(cuGraphicsResourceSetMapFlags(r, CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
  PREPARE(cuGraphicsMapResources(1, &r, 0));
  PREPARE(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  PREPARE(cuMemsetD8(p, 0x11, 4096));
  PREPARE(cuGraphicsUnmapResources(1, &r, 0));
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 4096, g);
  ASK((int)g[0]);
  ASK((int)g[4095]);
  glBufferData(GL_ARRAY_BUFFER, 8192, nullptr, GL_DYNAMIC_DRAW);
  ASK(cuGraphicsMapResources(1, &r, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(n);
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  glDeleteBuffers(1, &b);
  ASK(cuGraphicsMapResources(1, &r, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  ASK(cuGraphicsUnregisterResource(r));
}
static volatile int gate;
static void wait_gate(void*) {
  while (!gate) usleep(100);
}

// Mapping and unmapping order the work in the stream that they are given.
CASE(gl_stream_order) {
  graphics::start();
  GLuint b = buffer(4096);
  CUgraphicsResource r;
  PREPARE(cuGraphicsGLRegisterBuffer(&r, b, 0));
  CUstream s;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CUdeviceptr p;
  size_t n;
  struct timespec t0, t1;
  auto timed = [&](const char* what, auto f) {
    clock_gettime(CLOCK_MONOTONIC, &t0);
    CUresult e = f();
    clock_gettime(CLOCK_MONOTONIC, &t1);
    conformance::answer(what, e);
    double ms = (t1.tv_sec - t0.tv_sec) * 1e3 + (t1.tv_nsec - t0.tv_nsec) / 1e6;
    conformance::answer(what, ms < 150 ? "returned before the work" : "returned after the work");
  };
  signal(SIGALRM, [](int) { gate = 1; });
  gate = 0;
  PREPARE(cuLaunchHostFunc(s, wait_gate, nullptr));
  ualarm(300000, 0);
  timed("map behind busy stream", [&] { return cuGraphicsMapResources(1, &r, s); });
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  gate = 1;
  PREPARE(cuStreamSynchronize(s));
  ualarm(0, 0);
  gate = 0;
  PREPARE(cuLaunchHostFunc(s, wait_gate, nullptr));
  PREPARE(cuMemsetD8Async(p, 0x42, 4096, s));
  ualarm(300000, 0);
  timed("unmap behind busy stream", [&] { return cuGraphicsUnmapResources(1, &r, s); });
  unsigned char g[16];
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 16, g);
  ASK((int)g[0]);
  gate = 1;
  PREPARE(cuStreamSynchronize(s));
  ualarm(0, 0);
  gate = 0;
  PREPARE(cuLaunchHostFunc(s, wait_gate, nullptr));
  ualarm(300000, 0);
  timed("unregister behind busy stream", [&] { return cuGraphicsUnregisterResource(r); });
  gate = 1;
  ASK(cuCtxSynchronize());
  ualarm(0, 0);
}

CASE(gl_capture) {
  graphics::start();
  GLuint b = buffer(4096);
  CUgraphicsResource r;
  PREPARE(cuGraphicsGLRegisterBuffer(&r, b, 0));
  CUstream s;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CUgraph g;
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuGraphicsMapResources(1, &r, s));
  ASK(cuStreamEndCapture(s, &g));
  ASK(cuGraphicsUnmapResources(1, &r, s));
  ASK(cuCtxSynchronize());
}

// A thread without a current OpenGL context maps a resource.
CASE(gl_threads) {
  graphics::start();
  GLuint b = buffer(4096);
  CUgraphicsResource r;
  PREPARE(cuGraphicsGLRegisterBuffer(&r, b, 0));
  eglMakeCurrent(graphics::display, 0, 0, EGL_NO_CONTEXT);
  ASK(cuGraphicsMapResources(1, &r, 0));
  CUdeviceptr p;
  size_t n;
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  ASK(cuGraphicsUnregisterResource(r));
}

int main(int argc, char** argv) { return conformance::run(argc, argv); }
