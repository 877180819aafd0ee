// SPDX-License-Identifier: Apache-2.0
// One buffer of OpenGL, filled by a kernel in each frame before OpenGL reads it; the host waits.
#include "bench/gpu_costs/opengl.hpp"
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  cuvette::bench::OpenGL gl;
  const std::string why = gl.open();
  if (!why.empty()) {
    std::fprintf(stderr, "skipped: %s\n", why.c_str());
    return 77;
  }
  const timed::Scene scene;
  CUstream stream = nullptr;
  CUgraphicsResource resource = nullptr;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  const GLuint name = gl.buffer(size_t{5} << 20);
  gl.finish();
  TIMED(cuGraphicsGLRegisterBuffer, &resource, name, 0u);
  for (int frame = 0; frame < 80; ++frame) {
    CUdeviceptr address = 0;
    size_t size = 0;
    TIMED(cuGraphicsMapResources, 1u, &resource, stream);
    TIMED(cuGraphicsResourceGetMappedPointer, &address, &size, resource);
    scene.launch(address, stream);
    scene.launch(address + 1024, stream);
    TIMED(cuGraphicsUnmapResources, 1u, &resource, stream);
    TIMED(cuStreamSynchronize, stream);
  }
  TIMED(cuGraphicsUnregisterResource, resource);
  TIMED(cuStreamDestroy, stream);
}
