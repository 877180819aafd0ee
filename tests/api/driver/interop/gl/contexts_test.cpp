// SPDX-License-Identifier: Apache-2.0
// Which OpenGL context is current when CUDA is called: the registering one, one that shares with
// it, a foreign one, one current in another thread, or none.
#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// A buffer of 4096 bytes registered in scene.gl.
class OneResource {
 public:
  OneResource() : buffer(new_buffer(pattern(4096, 3))), resource(register_buffer(buffer)) {}
  OneResource(const OneResource&) = delete;
  OneResource& operator=(const OneResource&) = delete;
  // The registering context must be current.
  ~OneResource() {
    EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_SUCCESS);
    delete_buffer(buffer);
  }

  const GLuint buffer;
  const CUgraphicsResource resource;
};

// Maps, reads, writes `value` and unmaps.
void use(CUgraphicsResource resource, uint8_t value) {
  OK(map(resource));
  const CUdeviceptr address = address_of(resource);
  const Bytes whole = pattern(4096, 3);
  EXPECT_EQ(cuda_content(address + 1, 4095), Bytes(whole.begin() + 1, whole.end()));
  OK(cuMemsetD8(address, value, 1));
  OK(unmap(resource));
}

TEST(cuGraphicsMapResources, WorksInAContextThatShares) {
  GlScene scene;
  const OneResource one;
  const auto shared = scene.gl.shared();
  shared->make_current();
  use(one.resource, 7);
  EXPECT_TRUE(shared->is_current());
  EXPECT_EQ(gl_content(one.buffer)[0], 7);
  scene.gl.make_current();
  EXPECT_EQ(gl_content(one.buffer)[0], 7);
}

// Measured: mapping works with a current context that shares nothing, where the name means another
// buffer.
TEST(cuGraphicsMapResources, FindsTheRightBufferInAForeignContext) {
  GlScene scene;
  const OneResource one;
  EglContext foreign(EglContext::Api::core);
  foreign.make_current();
  const GLuint same_name = new_buffer(Bytes(4096, 0x77));
  EXPECT_EQ(same_name, one.buffer) << "else this test shows nothing";
  use(one.resource, 8);
  EXPECT_TRUE(foreign.is_current()) << "the caller's context is the caller's again";
  EXPECT_EQ(gl_content(same_name), Bytes(4096, 0x77)) << "nobody touched this one";
  delete_buffer(same_name);
  EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  scene.gl.make_current();
  EXPECT_EQ(gl_content(one.buffer)[0], 8);
}

TEST(cuGraphicsMapResources, FindsItAlsoWhereTheNameMeansNothing) {
  GlScene scene;
  const OneResource one;
  EglContext foreign(EglContext::Api::gles);
  foreign.make_current();
  use(one.resource, 8);
  EXPECT_TRUE(foreign.is_current());
  scene.gl.make_current();
}

TEST(cuGraphicsUnmapResources, WorksInAForeignContext) {
  GlScene scene;
  const OneResource one;
  EglContext foreign(EglContext::Api::core);
  OK(map(one.resource));
  OK(cuMemsetD8(address_of(one.resource), 9, 1));
  foreign.make_current();
  OK(unmap(one.resource));
  EXPECT_TRUE(foreign.is_current());
  scene.gl.make_current();
  EXPECT_EQ(gl_content(one.buffer)[0], 9);
}

TEST(cuGraphicsUnregisterResource, WorksInAForeignContext) {
  GlScene scene;
  EglContext foreign(EglContext::Api::core);
  const GLuint buffer = new_buffer(16);
  const CUgraphicsResource resource = register_buffer(buffer);
  foreign.make_current();
  OK(cuGraphicsUnregisterResource(resource));
  EXPECT_TRUE(foreign.is_current());
  scene.gl.make_current();
  delete_buffer(buffer);
}

// Measured: nothing can be mapped without a context.
TEST(cuGraphicsMapResources, NeedsAnOpenGLContext) {
  GlScene scene;
  const OneResource one;
  scene.gl.release();
  EXPECT_EQ(map(one.resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  EXPECT_EQ(unmap(one.resource), CUDA_ERROR_NOT_MAPPED);
  EXPECT_FALSE(is_mapped(one.resource));
  scene.gl.make_current();
  use(one.resource, 1);
}

TEST(cuGraphicsMapResources, WorksInAnotherThreadThatTookTheContext) {
  GlScene scene;
  const OneResource one;
  scene.gl.release();
  std::thread([&] {
    scene.gl.make_current();
    OK(cuCtxSetCurrent(scene.cuda.context));
    use(one.resource, 5);
    scene.gl.release();
  }).join();
  scene.gl.make_current();
  EXPECT_EQ(gl_content(one.buffer)[0], 5);
}

TEST(cuGraphicsMapResources, WorksInAnotherThreadWithASharedContext) {
  GlScene scene;
  const OneResource one;
  const auto shared = scene.gl.shared();
  std::thread([&] {
    shared->make_current();
    OK(cuCtxSetCurrent(scene.cuda.context));
    use(one.resource, 6);
    shared->release();
  }).join();
  EXPECT_EQ(gl_content(one.buffer)[0], 6);
}

// A thread with a foreign context borrows the registering one, unless another thread has it.
TEST(cuGraphicsMapResources, TakesNoContextAwayFromAnotherThread) {
  GlScene scene;
  const OneResource one;
  std::thread([&] {
    EglContext foreign(EglContext::Api::core);
    foreign.make_current();
    OK(cuCtxSetCurrent(scene.cuda.context));
    EXPECT_EQ(map(one.resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    EXPECT_FALSE(is_mapped(one.resource));
    EXPECT_TRUE(foreign.is_current());
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
    foreign.release();
  }).join();
  EXPECT_TRUE(scene.gl.is_current());
  use(one.resource, 1);
}

TEST(cuGraphicsMapResources, TakesResourcesOfSeveralContextsInOneCall) {
  GlScene scene;
  EglContext other(EglContext::Api::core);
  const OneResource here;
  other.make_current();
  const GLuint buffer = new_buffer(pattern(4096, 4));
  const CUgraphicsResource there = register_buffer(buffer);
  CUgraphicsResource both[] = {here.resource, there};
  OK(cuGraphicsMapResources(2, both, nullptr));
  EXPECT_EQ(cuda_content(address_of(here.resource), 4096), pattern(4096, 3));
  EXPECT_EQ(cuda_content(address_of(there), 4096), pattern(4096, 4));
  OK(cuGraphicsUnmapResources(2, both, nullptr));
  EXPECT_TRUE(other.is_current());
  OK(cuGraphicsUnregisterResource(there));
  delete_buffer(buffer);
  scene.gl.make_current();
}

// The registering context is gone, but its share group lives on.
TEST(cuGraphicsMapResources, OutlivesTheRegisteringContext) {
  GlScene scene;
  const auto survivor = scene.gl.shared();
  GLuint buffer;
  CUgraphicsResource resource;
  {
    const auto first = scene.gl.shared();
    first->make_current();
    buffer = new_buffer(pattern(4096, 3));
    resource = register_buffer(buffer);
  }
  survivor->make_current();
  use(resource, 4);
  EXPECT_EQ(gl_content(buffer)[0], 4);
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
  survivor->release();
  scene.gl.make_current();
}

// The whole share group is gone, and the buffer with it.
TEST(cuGraphicsMapResources, RefusesWhatWentWithItsContexts) {
  GlScene scene;
  CUgraphicsResource resource;
  {
    EglContext first(EglContext::Api::core);
    first.make_current();
    resource = register_buffer(new_buffer(4096));
  }
  scene.gl.make_current();
  const GLuint same_name = new_buffer(Bytes(4096, 0x77));
  EXPECT_NE(map(resource), CUDA_SUCCESS);
  EXPECT_FALSE(is_mapped(resource));
  EXPECT_TRUE(scene.gl.is_current());
  EXPECT_EQ(gl_content(same_name), Bytes(4096, 0x77));
  cuGraphicsUnregisterResource(resource);  // may fail: nothing can be asked about it any more
  EXPECT_TRUE(scene.gl.is_current());
  delete_buffer(same_name);
}

// Threads with contexts of their own, at the same time.
TEST(cuGraphicsMapResources, WorksInManyThreadsAtOnce) {
  const Scene scene;
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 4; ++number)
    threads.emplace_back([&scene, number] {
      EglContext gl(EglContext::Api::core);
      gl.make_current();
      OK(cuCtxSetCurrent(scene.context));
      const GLuint buffer = new_buffer(pattern(4096, number));
      const CUgraphicsResource resource = register_buffer(buffer);
      for (unsigned round = 0; round < 200; ++round) {
        OK(map(resource));
        ASSERT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, number + round));
        cuda_write(address_of(resource), pattern(4096, number + round + 1));
        OK(unmap(resource));
        ASSERT_EQ(gl_content(buffer), pattern(4096, number + round + 1));
      }
      OK(cuGraphicsUnregisterResource(resource));
      delete_buffer(buffer);
      gl.release();
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
