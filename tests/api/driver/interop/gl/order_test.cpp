// SPDX-License-Identifier: Apache-2.0
// The order that mapping and unmapping establish between OpenGL's work and a stream's.
#include <algorithm>

#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// Opens `gate` after a while, and records that it did.
class LateOpener {
 public:
  explicit LateOpener(Gate& gate)
      : thread_([this, &gate] {
          let_things_happen();
          opened = true;
          gate.open();
        }) {}
  ~LateOpener() { thread_.join(); }

  std::atomic<bool> opened = false;

 private:
  std::thread thread_;
};

// A registered buffer, and a stream that is ordered with no other.
class Frame {
 public:
  Frame()
      : buffer(new_buffer(pattern(1 << 16, 1))),
        resource(register_buffer(buffer)),
        stream(new_stream(CU_STREAM_NON_BLOCKING)) {}
  ~Frame() {
    EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_SUCCESS);
    delete_buffer(buffer);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const GlScene scene;
  const GLuint buffer;
  const CUgraphicsResource resource;
  const CUstream stream;
};

// Measured: mapping does not wait for the stream.
TEST(cuGraphicsMapResources, ReturnsBeforeTheStreamsWork) {
  const Frame frame;
  Gate gate(frame.stream);
  OK(map(frame.resource, frame.stream));
  const CUdeviceptr address = address_of(frame.resource);
  EXPECT_EQ(cuStreamQuery(frame.stream), CUDA_ERROR_NOT_READY);
  OK(cuMemsetD8Async(address, 7, 1 << 16, frame.stream));
  gate.open();
  OK(unmap(frame.resource, frame.stream));
  EXPECT_EQ(gl_content(frame.buffer), Bytes(1 << 16, 7));
}

// "Any CUDA work issued in stream before this call will complete before any subsequently issued
// graphics work begins."
TEST(cuGraphicsUnmapResources, ReturnsAfterTheStreamsWork) {
  const Frame frame;
  OK(map(frame.resource, frame.stream));
  Gate gate(frame.stream);
  OK(cuMemsetD8Async(address_of(frame.resource), 8, 1 << 16, frame.stream));
  const LateOpener opener(gate);
  OK(unmap(frame.resource, frame.stream));
  EXPECT_TRUE(opener.opened);
  EXPECT_EQ(gl_content(frame.buffer), Bytes(1 << 16, 8));
}

// It does not order the work of other streams; that is up to the program.
TEST(cuGraphicsUnmapResources, DoesNotWaitForOtherStreams) {
  const Frame frame;
  const CUstream other = new_stream(CU_STREAM_NON_BLOCKING);
  OK(map(frame.resource, frame.stream));
  Gate gate(other);
  OK(unmap(frame.resource, frame.stream));
  EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuStreamDestroy(other));
}

TEST(cuGraphicsUnmapResources, FollowsAnEvent) {
  const Frame frame;
  const CUstream other = new_stream(CU_STREAM_NON_BLOCKING);
  const CUevent written = new_event();
  OK(map(frame.resource, frame.stream));
  Gate gate(other);
  OK(cuMemsetD8Async(address_of(frame.resource), 9, 1 << 16, other));
  OK(cuEventRecord(written, other));
  OK(cuStreamWaitEvent(frame.stream, written, 0));
  const LateOpener opener(gate);
  OK(unmap(frame.resource, frame.stream));
  EXPECT_TRUE(opener.opened);
  EXPECT_EQ(gl_content(frame.buffer), Bytes(1 << 16, 9));
  OK(cuEventDestroy(written));
  OK(cuStreamDestroy(other));
}

// "Any graphics calls issued before cuGraphicsMapResources() will complete before any subsequent
// CUDA work issued in stream begins."
TEST(cuGraphicsMapResources, ComesAfterOpenGLsWork) {
  const Frame frame;
  const GLuint source = new_buffer(1 << 16);
  for (unsigned round = 0; round < 50; ++round) {
    const Bytes drawn = pattern(1 << 16, round);
    glNamedBufferSubData(source, 0, 1 << 16, drawn.data());
    glCopyNamedBufferSubData(source, frame.buffer, 0, 0, 1 << 16);
    OK(map(frame.resource, frame.stream));
    Bytes seen(1 << 16);
    OK(cuMemcpyDtoHAsync(seen.data(), address_of(frame.resource), seen.size(), frame.stream));
    OK(cuStreamSynchronize(frame.stream));
    ASSERT_EQ(seen, drawn);
    OK(unmap(frame.resource, frame.stream));
  }
  delete_buffer(source);
}

// Blocking streams are ordered with the legacy stream, and so with a mapping in it.
TEST(cuGraphicsUnmapResources, InTheLegacyStreamWaitsForBlockingStreams) {
  const Frame frame;
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  OK(map(frame.resource, nullptr));
  Gate gate(blocking);
  OK(cuMemsetD8Async(address_of(frame.resource), 4, 1 << 16, blocking));
  const LateOpener opener(gate);
  OK(unmap(frame.resource, nullptr));
  EXPECT_TRUE(opener.opened);
  EXPECT_EQ(gl_content(frame.buffer), Bytes(1 << 16, 4));
  OK(cuStreamDestroy(blocking));
}

// OpenGL and CUDA take turns writing many frames.
TEST(cuGraphicsMapResources, TakesTurnsWithOpenGL) {
  const Frame frame;
  glNamedBufferSubData(frame.buffer, 0, 1 << 16, Bytes(1 << 16).data());
  const GLuint counter = new_buffer(1 << 16);
  for (unsigned number = 1; number <= 100; ++number) {
    OK(map(frame.resource, frame.stream));
    OK(cuMemsetD32Async(address_of(frame.resource), number, 1 << 14, frame.stream));
    OK(unmap(frame.resource, frame.stream));
    glCopyNamedBufferSubData(frame.buffer, counter, 0, 0, 1 << 16);
    unsigned last = 0;
    glGetNamedBufferSubData(counter, (1 << 16) - 4, 4, &last);
    ASSERT_EQ(last, number);
  }
  delete_buffer(counter);
}

TEST(cuGraphicsMapResources, IsNoWorkOfACapturedStream) {
  const Frame frame;
  OK(cuStreamBeginCapture(frame.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(map(frame.resource, frame.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(frame.stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_FALSE(is_mapped(frame.resource));
  EXPECT_EQ(unmap(frame.resource, frame.stream), CUDA_ERROR_NOT_MAPPED);
  OK(map(frame.resource, frame.stream));
  OK(unmap(frame.resource, frame.stream));
}

TEST(cuGraphicsUnmapResources, IsNoWorkOfACapturedStream) {
  const Frame frame;
  OK(map(frame.resource, frame.stream));
  OK(cuStreamBeginCapture(frame.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(unmap(frame.resource, frame.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(frame.stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_TRUE(is_mapped(frame.resource));
  OK(unmap(frame.resource, frame.stream));
}

// A host function of the stream runs between mapping and unmapping.
TEST(cuGraphicsMapResources, LetsHostFunctionsRunInBetween) {
  const Frame frame;
  Log log;
  OK(map(frame.resource, frame.stream));
  log.note(frame.stream, 1);
  OK(cuMemsetD8Async(address_of(frame.resource), 5, 1 << 16, frame.stream));
  log.note(frame.stream, 2);
  OK(unmap(frame.resource, frame.stream));
  log.append(3);
  EXPECT_EQ(log.entries(), (std::vector<int>{1, 2, 3}));
}

}  // namespace
