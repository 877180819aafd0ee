// SPDX-License-Identifier: Apache-2.0
// Buffers of OpenGL that CUDA writes in each frame: mapped one by one, then all in one call.
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
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  constexpr unsigned count = 6;
  GLuint names[count];
  CUgraphicsResource resources[count];
  for (unsigned i = 0; i < count; ++i) {
    names[i] = gl.buffer(size_t{3} << 20);
    TIMED(cuGraphicsGLRegisterBuffer, &resources[i], names[i], 0u);
  }
  for (int frame = 0; frame < 60; ++frame) {
    const bool one_by_one = frame < 30;
    for (const GLuint name : names) gl.clear(name);
    for (unsigned i = 0; i < (one_by_one ? count : 1); ++i)
      TIMED(cuGraphicsMapResources, one_by_one ? 1u : count, &resources[i], stream);
    for (const CUgraphicsResource each : resources) {
      CUdeviceptr address = 0;
      size_t size = 0;
      TIMED(cuGraphicsResourceGetMappedPointer, &address, &size, each);
      scene.launch(address, stream);
    }
    for (unsigned i = 0; i < (one_by_one ? count : 1); ++i)
      TIMED(cuGraphicsUnmapResources, one_by_one ? 1u : count, &resources[i], stream);
  }
  for (const CUgraphicsResource each : resources) TIMED(cuGraphicsUnregisterResource, each);
  TIMED(cuStreamDestroy, stream);
}
