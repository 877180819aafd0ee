// SPDX-License-Identifier: Apache-2.0
// Graphics resources while a stream is being captured.
#include <atomic>
#include <thread>

#include "graphics.hpp"

namespace {

using graphics::mapped;
using graphics::new_buffer;
using graphics::registered;

CUstream captured, another;
CUgraph graph;
CUdeviceptr p;

void start() {
  graphics::start();
  PREPARE(cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamCreate(&another, CU_STREAM_NON_BLOCKING));
}
void begin(CUstreamCaptureMode mode) { PREPARE(cuStreamBeginCapture(captured, mode)); }

constexpr CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                         CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                         CU_STREAM_CAPTURE_MODE_RELAXED};

// Calls with the capturing stream itself.
CASE(capture_map) {
  start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  for (CUstreamCaptureMode mode : modes) {
    ASK(static_cast<int>(mode));
    begin(mode);
    ASK(cuGraphicsMapResources(1, &r, captured));
    ASK(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
    ASK(cuStreamEndCapture(captured, &graph));
    ASK(cuGraphicsMapResources(1, &r, captured));
    ASK(cuGraphicsUnmapResources(1, &r, captured));
  }
}
CASE(capture_unmap) {
  start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  for (CUstreamCaptureMode mode : modes) {
    ASK(static_cast<int>(mode));
    begin(mode);
    ASK(cuGraphicsUnmapResources(1, &r, captured));
    ASK(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
    ASK(cuStreamEndCapture(captured, &graph));
    ASK(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
  }
  ASK(cuGraphicsUnmapResources(1, &r, captured));
}
CASE(capture_wrong_calls) {
  start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr)), none = nullptr;
  CUgraphicsResource m = mapped(new_buffer(4096, nullptr));
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  ASK(cuGraphicsMapResources(0, &r, captured));
  ASK(cuStreamEndCapture(captured, &graph));
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  ASK(cuGraphicsMapResources(1, &none, captured));
  ASK(cuStreamEndCapture(captured, &graph));
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  ASK(cuGraphicsMapResources(1, &m, captured));
  ASK(cuStreamEndCapture(captured, &graph));
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  ASK(cuGraphicsUnmapResources(1, &r, captured));
  ASK(cuStreamEndCapture(captured, &graph));
}

// Calls with a stream that is not captured, while one is.
CASE(capture_of_another_stream) {
  start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  for (CUstreamCaptureMode mode : modes) {
    ASK(static_cast<int>(mode));
    begin(mode);
    ASK(cuGraphicsMapResources(1, &r, another));
    ASK(cuGraphicsUnmapResources(1, &r, another));
    ASK(cuStreamEndCapture(captured, &graph));
    ASK(cuGraphicsUnmapResources(1, &r, another));
  }
}
CASE(capture_and_the_legacy_stream) {
  start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  CUstream blocking = nullptr;
  PREPARE(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  for (CUstreamCaptureMode mode : modes) {
    ASK(static_cast<int>(mode));
    begin(mode);
    ASK(cuGraphicsMapResources(1, &r, nullptr));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
    ASK(cuStreamEndCapture(captured, &graph));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
    PREPARE(cuStreamBeginCapture(blocking, mode));
    ASK(cuGraphicsMapResources(1, &r, nullptr));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
    ASK(cuStreamEndCapture(blocking, &graph));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  }
}
CASE(capture_in_another_thread) {
  start();
  CUgraphicsResource r = registered(new_buffer(4096, nullptr));
  for (CUstreamCaptureMode mode : modes) {
    ASK(static_cast<int>(mode));
    std::atomic<bool> begun = false, asked = false;
    std::thread other([&] {
      PREPARE(cuCtxSetCurrent(graphics::context));
      begin(mode);
      begun = true;
      while (!asked) usleep(1000);
      ASK(cuStreamEndCapture(captured, &graph));
    });
    while (!begun) usleep(1000);
    ASK(cuGraphicsMapResources(1, &r, another));
    ASK(cuGraphicsUnmapResources(1, &r, another));
    asked = true;
    other.join();
  }
}

// Calls without a stream.
CASE(capture_register) {
  start();
  const GLuint b = new_buffer(4096, nullptr);
  for (CUstreamCaptureMode mode : modes) {
    CUgraphicsResource r = nullptr;
    ASK(static_cast<int>(mode));
    begin(mode);
    ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
    ASK(cuStreamEndCapture(captured, &graph));
    if (!r) PREPARE(cuGraphicsGLRegisterBuffer(&r, b, 0));
    begin(mode);
    ASK(cuGraphicsUnregisterResource(r));
    ASK(cuStreamEndCapture(captured, &graph));
  }
}
CASE(capture_register_image) {
  start();
  const GLuint texture = graphics::new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  for (CUstreamCaptureMode mode : modes) {
    CUgraphicsResource r = nullptr;
    ASK(static_cast<int>(mode));
    begin(mode);
    ASK(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, 0));
    ASK(cuStreamEndCapture(captured, &graph));
  }
}
CASE(capture_and_other_calls) {
  start();
  const GLuint texture = graphics::new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  CUgraphicsResource r = registered(new_buffer(4096, nullptr)), image = nullptr;
  CUgraphicsResource m = mapped(new_buffer(4096, nullptr));
  CUarray a = nullptr;
  CUmipmappedArray levels = nullptr;
  unsigned count = 0;
  CUdevice device = 0;
  PREPARE(cuGraphicsGLRegisterImage(&image, texture, GL_TEXTURE_2D, 0));
  PREPARE(cuGraphicsMapResources(1, &image, nullptr));
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  ASK(cuGraphicsResourceSetMapFlags(r, 1));
  ASK(cuGraphicsResourceGetMappedPointer(&p, nullptr, m));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, image, 0, 0));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&levels, image));
  ASK(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL));
  ASK(cuMemsetD8Async(p, 1, 4096, captured));
  ASK(cuStreamEndCapture(captured, &graph));
}
CASE(capture_and_buffer_objects) {
  start();
  const GLuint b = new_buffer(4096, nullptr), c = new_buffer(4096, nullptr);
  size_t n = 0;
  PREPARE(cuGLRegisterBufferObject(b));
  for (CUstreamCaptureMode mode : modes) {
    ASK(static_cast<int>(mode));
    begin(mode);
    ASK(cuGLMapBufferObject(&p, &n, b));
    ASK(cuGLUnmapBufferObject(b));
    ASK(cuStreamEndCapture(captured, &graph));
    ASK(cuGLUnmapBufferObject(b));
    begin(mode);
    ASK(cuGLMapBufferObjectAsync(&p, &n, b, captured));
    ASK(cuStreamEndCapture(captured, &graph));
    size_t nodes = 77;
    if (graph && cuGraphGetNodes(graph, nullptr, &nodes) == CUDA_SUCCESS) ASK(nodes);
    ASK(cuGLUnmapBufferObjectAsync(b, captured));
    begin(mode);
    ASK(cuGLRegisterBufferObject(c));
    ASK(cuStreamEndCapture(captured, &graph));
  }
}

}  // namespace
