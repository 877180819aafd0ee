// SPDX-License-Identifier: Apache-2.0
// Contexts and buffers end while CUDA has the buffers registered or mapped. Commands by the old
// pointers are refused, and the program's own memory, which the freed storage has become, stays as
// it is. These programs run without libcuvette_gl.so; tests/tools/gl_watch_test has it.
#include <memory>

#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// Takes the memory that was freed, and sees whether it is written to.
class Canaries {
 public:
  explicit Canaries(size_t size) {
    for (size_t i = 0; i < 100; ++i) all_.emplace_back(size - i % 4 * 16, 0x55);
  }
  void expect_untouched() const {
    for (const Bytes& one : all_) ASSERT_EQ(one, Bytes(one.size(), 0x55));
  }

 private:
  std::vector<Bytes> all_;
};

// Writes by a pointer whose memory is gone.
void expect_refused(CUdeviceptr address, size_t size) {
  EXPECT_NE(cuMemsetD8(address, 0xAA, size), CUDA_SUCCESS);
  EXPECT_NE(cuMemsetD8Async(address + size / 2, 0xAA, size / 2, nullptr), CUDA_SUCCESS);
  EXPECT_NE(cuMemcpyHtoD(address, Bytes(size, 0xAA).data(), size), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << "no command touched it";
}

constexpr size_t sizes[] = {64, 3000, 70000, 300000};

TEST(cuGraphicsMapResources, LosesWhatWentWithItsContexts) {
  GlScene scene;
  for (const size_t size : sizes)
    for (const bool late : {false, true}) {
      auto gone = std::make_unique<EglContext>(EglContext::Api::core);
      gone->make_current();
      const CUgraphicsResource resource = register_buffer(new_buffer(size));
      OK(map(resource));
      const CUdeviceptr address = address_of(resource);
      OK(cuMemsetD8(address, 1, size));
      OK(cuCtxSynchronize());  // what is under way then would be the program's own mistake
      if (late) {              // noticed in a new context, which may have the old one's handle
        gone = nullptr;
        gone = std::make_unique<EglContext>(EglContext::Api::core);
        gone->make_current();
      } else {
        gone = nullptr;
      }
      const Canaries canaries(size);
      expect_refused(address, size);
      canaries.expect_untouched();
      scene.gl.make_current();
      EXPECT_EQ(unmap(resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
      EXPECT_EQ(map(resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
      EXPECT_FALSE(is_mapped(resource));
      canaries.expect_untouched();
    }
}

// The name and the size are those of the deleted buffer, which CUDA still has mapped.
TEST(cuGraphicsMapResources, GivesNoPointerToTheStorageOfADeletedBuffer) {
  GlScene scene(EglContext::Api::compatibility);  // where a program may choose names
  for (const size_t size : sizes)
    for (const size_t new_size : sizes) {
      const GLuint gone = new_buffer(size);
      const CUgraphicsResource resource = register_buffer(gone);
      OK(map(resource));
      const CUdeviceptr address = address_of(resource);
      delete_buffer(gone);
      const Canaries canaries(size);
      glBindBuffer(GL_ARRAY_BUFFER, gone);  // makes a new buffer of that name
      glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(new_size), pattern(new_size, 9).data(),
                   GL_DYNAMIC_DRAW);
      const CUgraphicsResource other = register_buffer(gone);
      OK(map(other));
      const CUdeviceptr now = address_of(other);
      EXPECT_EQ(cuda_content(now, new_size), pattern(new_size, 9));
      if (now != address) expect_refused(address, size);
      canaries.expect_untouched();
      OK(unmap(other));
      EXPECT_EQ(gl_content(gone), pattern(new_size, 9));
      unmap(resource);  // of the same size, OpenGL cannot tell the two apart
      EXPECT_FALSE(is_mapped(resource));
      OK(cuGraphicsUnregisterResource(other));
      OK(cuGraphicsUnregisterResource(resource));
      delete_buffer(gone);
    }
}

// Each round leaves a registration, whose OpenGL context and CUDA context both end.
TEST(cuGraphicsGLRegisterBuffer, RemembersNothingOfContextsThatEnded) {
  GlScene scene;
  for (unsigned round = 0; round < 20; ++round) {
    CUcontext own;
    OK(cuCtxCreate(&own, nullptr, 0, 0));
    {
      EglContext gone(EglContext::Api::core);
      gone.make_current();
      const CUgraphicsResource resource = register_buffer(new_buffer(pattern(4096, round)));
      OK(map(resource));
      EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, round));
      if (round % 2) {
        OK(unmap(resource));
      }
    }
    OK(cuCtxDestroy(own));
  }
  OK(cuCtxSetCurrent(scene.cuda.context));
  scene.gl.make_current();
}

}  // namespace
