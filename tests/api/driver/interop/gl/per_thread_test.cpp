// SPDX-License-Identifier: Apache-2.0
// Mapping in stream 0 of a program built for per-thread default streams.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// Here cuGraphicsMapResources is cuGraphicsMapResources_ptsz.
TEST(cuGraphicsMapResources, MeansTheThreadsOwnStream) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  OK(map(resource));
  Gate gate(CU_STREAM_PER_THREAD);
  OK(cuMemsetD8Async(address_of(resource), 3, 4096, CU_STREAM_PER_THREAD));
  std::atomic<bool> opened = false;
  std::thread opener([&] {
    let_things_happen();
    opened = true;
    gate.open();
  });
  OK(unmap(resource));
  EXPECT_TRUE(opened) << "it waits for the thread's stream";
  opener.join();
  EXPECT_EQ(gl_content(buffer), Bytes(4096, 3));
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

TEST(cuGraphicsUnmapResources, DoesNotWaitForOtherThreadsStreams) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  std::atomic<bool> busy = false, done = false;
  std::thread other([&] {
    OK(cuCtxSetCurrent(scene.cuda.context));
    Gate gate(CU_STREAM_PER_THREAD);
    EXPECT_TRUE(eventually([&] { return gate.entered(); }));
    busy = true;
    EXPECT_TRUE(eventually([&] { return done.load(); }));
  });
  EXPECT_TRUE(eventually([&] { return busy.load(); }));
  OK(map(resource));
  OK(unmap(resource));
  done = true;
  other.join();
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

}  // namespace
