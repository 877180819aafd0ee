// SPDX-License-Identifier: Apache-2.0
// Graphics resources while a stream is captured, with the results of an H200 (tests/conformance).
#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

constexpr CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                         CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                         CU_STREAM_CAPTURE_MODE_RELAXED};

// While it lives, a stream is captured.
class Captured {
 public:
  explicit Captured(CUstreamCaptureMode mode) : stream(new_stream()) {
    EXPECT_EQ(cuStreamBeginCapture(stream, mode), CUDA_SUCCESS);
  }
  ~Captured() { EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS); }
  CUresult end() const {
    CUgraph graph = nullptr;
    const CUresult result = cuStreamEndCapture(stream, &graph);
    if (graph) {
      EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    }
    return result;
  }
  const CUstream stream;
};

TEST(cuGraphicsMapResources, CannotBeCaptured) {
  const GlScene scene;
  CUgraphicsResource resource = register_buffer(new_buffer(4096));
  for (CUstreamCaptureMode mode : modes) {
    const Captured captured(mode);
    EXPECT_EQ(map(resource, captured.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_FALSE(is_mapped(resource));
    EXPECT_EQ(captured.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(map(resource, captured.stream));
    OK(unmap(resource, captured.stream));
  }
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGraphicsUnmapResources, CannotBeCaptured) {
  const GlScene scene;
  CUgraphicsResource resource = register_buffer(new_buffer(4096));
  OK(map(resource));
  for (CUstreamCaptureMode mode : modes) {
    const Captured captured(mode);
    EXPECT_EQ(unmap(resource, captured.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_TRUE(is_mapped(resource));
    EXPECT_EQ(captured.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGraphicsMapResources, WithWrongArgumentsSparesTheCapture) {
  const GlScene scene;
  CUgraphicsResource none = nullptr;
  const Captured captured(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuGraphicsMapResources(0, &none, captured.stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map(none, captured.stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(captured.end(), CUDA_SUCCESS);
}

// In a stream that is not captured, these are unsafe calls, which a relaxed capture allows.
TEST(cuGraphicsMapResources, IsUnsafeWhileAnotherStreamIsCaptured) {
  const GlScene scene;
  CUgraphicsResource resource = register_buffer(new_buffer(4096));
  CUstream another = new_stream();
  for (CUstreamCaptureMode mode : modes) {
    const Captured captured(mode);
    const bool relaxed = mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult expected = relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    EXPECT_EQ(map(resource, another), expected);
    EXPECT_EQ(unmap(resource, another), expected);
    EXPECT_EQ(captured.end(), relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  OK(cuStreamDestroy(another));
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGraphicsGLRegisterBuffer, IsUnsafeDuringACapture) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  for (CUstreamCaptureMode mode : modes) {
    const bool relaxed = mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult expected = relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    CUgraphicsResource resource = nullptr;
    const Captured first(mode);
    EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, buffer, 0), expected);
    first.end();
    if (!resource) resource = register_buffer(buffer);
    const Captured second(mode);
    EXPECT_EQ(cuGraphicsUnregisterResource(resource), expected);
    second.end();
    if (!relaxed) {
      OK(cuGraphicsUnregisterResource(resource));
    }
  }
}

}  // namespace
