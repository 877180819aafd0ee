// SPDX-License-Identifier: Apache-2.0
// Registering and unregistering OpenGL's buffers.
#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// --- cuGLGetDevices
// -------------------------------------------------------------------------------

TEST(cuGLGetDevices, NamesTheDeviceThatIsHere) {
  const GlScene scene;
  for (const int list :
       {CU_GL_DEVICE_LIST_ALL, CU_GL_DEVICE_LIST_CURRENT_FRAME, CU_GL_DEVICE_LIST_NEXT_FRAME}) {
    unsigned count = 77;
    CUdevice devices[4] = {77, 77, 77, 77};
    OK(cuGLGetDevices(&count, devices, 4, static_cast<CUGLDeviceList>(list)));
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(devices[0], 0);
    EXPECT_EQ(devices[1], 77) << "only so many are written";
  }
}

TEST(cuGLGetDevices, ChecksItsArguments) {
  const GlScene scene;
  unsigned count = 77;
  CUdevice devices[4] = {77, 77, 77, 77};
  EXPECT_EQ(cuGLGetDevices(nullptr, devices, 4, CU_GL_DEVICE_LIST_ALL), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGLGetDevices(&count, nullptr, 0, CU_GL_DEVICE_LIST_ALL), CUDA_ERROR_INVALID_VALUE);
  for (const int list : {0, 4, 77, -1}) {
    EXPECT_EQ(cuGLGetDevices(&count, devices, 4, static_cast<CUGLDeviceList>(list)),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(count, 77u);
  EXPECT_EQ(devices[0], 77);
}

TEST(cuGLGetDevices, NeedsAnOpenGLContext) {
  const Scene scene;
  unsigned count = 77;
  CUdevice devices[4];
  EXPECT_EQ(cuGLGetDevices(&count, devices, 4, CU_GL_DEVICE_LIST_ALL),
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  EXPECT_EQ(count, 77u);
}

// --- cuGraphicsGLRegisterBuffer
// -------------------------------------------------------------------

TEST(cuGraphicsGLRegisterBuffer, TakesABufferWithEachFlag) {
  const GlScene scene;
  for (const size_t size : {1, 3, 1000, 4096, 1 << 20}) {
    const GLuint buffer = new_buffer(size);
    for (const unsigned flags :
         {CU_GRAPHICS_REGISTER_FLAGS_NONE, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY,
          CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD}) {
      CUgraphicsResource resource = nullptr;
      OK(cuGraphicsGLRegisterBuffer(&resource, buffer, flags));
      EXPECT_NE(resource, nullptr);
      OK(map(resource));
      CUdeviceptr address;
      size_t mapped = 0;
      OK(cuGraphicsResourceGetMappedPointer(&address, &mapped, resource));
      EXPECT_EQ(mapped, size);
      OK(unmap(resource));
      OK(cuGraphicsUnregisterResource(resource));
    }
    delete_buffer(buffer);
  }
}

TEST(cuGraphicsGLRegisterBuffer, ChecksItsArguments) {
  const GlScene scene;
  const GLuint buffer = new_buffer(1000);
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(nullptr, buffer, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, 9999, 0), CUDA_ERROR_INVALID_HANDLE);
  for (const unsigned flags : {3u, 4u, 8u, 5u, 0x80u, ~0u}) {
    EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, buffer, flags), CUDA_ERROR_INVALID_VALUE)
        << flags;
  }
  EXPECT_EQ(resource, nullptr);
  delete_buffer(buffer);
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, buffer, 0), CUDA_ERROR_INVALID_HANDLE);
}

// Measured: a name that was never bound is not a buffer; a buffer without storage is one, but
// cannot be mapped.
TEST(cuGraphicsGLRegisterBuffer, RefusesABufferWithoutStorage) {
  const GlScene scene;
  CUgraphicsResource resource = nullptr;
  GLuint name = 0;
  glGenBuffers(1, &name);
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, name, 0), CUDA_ERROR_INVALID_HANDLE);
  glBindBuffer(GL_ARRAY_BUFFER, name);
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, name, 0), CUDA_ERROR_OUT_OF_MEMORY);
  glBufferData(GL_ARRAY_BUFFER, 0, nullptr, GL_STATIC_DRAW);
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, name, 0), CUDA_ERROR_OUT_OF_MEMORY);
  glBufferData(GL_ARRAY_BUFFER, 16, nullptr, GL_STATIC_DRAW);
  OK(cuGraphicsGLRegisterBuffer(&resource, name, 0));
  OK(cuGraphicsUnregisterResource(resource));
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  delete_buffer(name);
}

TEST(cuGraphicsGLRegisterBuffer, NeedsBothContexts) {
  EglContext gl(EglContext::Api::core);
  {
    const Scene scene;
    CUgraphicsResource resource = nullptr;
    EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, 1, 0), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  }
  gl.make_current();
  const GLuint buffer = new_buffer(16);
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, buffer, 0), CUDA_ERROR_INVALID_CONTEXT);
  delete_buffer(buffer);
}

TEST(cuGraphicsGLRegisterBuffer, TakesEachKindOfStorage) {
  const GlScene scene;
  std::vector<GLuint> buffers;
  for (const GLenum usage : {GL_STREAM_DRAW, GL_STATIC_READ, GL_DYNAMIC_COPY}) {
    buffers.push_back(new_buffer(512));
    glNamedBufferData(buffers.back(), 512, nullptr, usage);
  }
  for (const GLbitfield flags :
       {0, GL_DYNAMIC_STORAGE_BIT, GL_MAP_READ_BIT, GL_MAP_WRITE_BIT,
        GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT, GL_CLIENT_STORAGE_BIT}) {
    buffers.push_back(new_immutable_buffer(Bytes(512), flags));
  }
  for (const GLuint buffer : buffers) {
    const CUgraphicsResource resource = register_buffer(buffer);
    OK(map(resource));
    OK(unmap(resource));
    OK(cuGraphicsUnregisterResource(resource));
  }
  glDeleteBuffers(static_cast<GLsizei>(buffers.size()), buffers.data());
}

TEST(cuGraphicsGLRegisterBuffer, TwiceGivesTwoResourcesOfOneBuffer) {
  const GlScene scene;
  const GLuint buffer = new_buffer(pattern(4096, 1));
  const CUgraphicsResource a = register_buffer(buffer), b = register_buffer(buffer);
  EXPECT_NE(a, b);
  OK(map(a));
  EXPECT_TRUE(is_mapped(a));
  EXPECT_FALSE(is_mapped(b));
  OK(map(b));
  // It is one buffer, and so one memory: each resource reads what was written through the other.
  OK(cuMemsetD8(address_of(a), 0x5a, 100));
  Bytes expected = pattern(4096, 1);
  std::fill_n(expected.begin(), 100, uint8_t{0x5a});
  EXPECT_EQ(cuda_content(address_of(b), 4096), expected);
  OK(unmap(a));
  EXPECT_TRUE(is_mapped(b)) << "each is mapped and unmapped by itself";
  OK(cuMemsetD8(address_of(b) + 4000, 0x6b, 96));
  std::fill_n(expected.begin() + 4000, 96, uint8_t{0x6b});
  OK(cuGraphicsUnregisterResource(a));
  OK(unmap(b));
  EXPECT_EQ(gl_content(buffer), expected);
  OK(cuGraphicsUnregisterResource(b));
  delete_buffer(buffer);
}

TEST(cuGraphicsGLRegisterBuffer, TakesTheSameBufferAgainAndAgain) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  std::vector<CUgraphicsResource> resources;
  for (int i = 0; i < 1000; ++i) resources.push_back(register_buffer(buffer));
  std::vector<CUgraphicsResource> different = resources;
  std::sort(different.begin(), different.end());
  EXPECT_EQ(std::unique(different.begin(), different.end()), different.end());
  OK(cuGraphicsMapResources(1000, resources.data(), nullptr));
  OK(cuGraphicsUnmapResources(1000, resources.data(), nullptr));
  for (const CUgraphicsResource resource : resources) {
    OK(cuGraphicsUnregisterResource(resource));
  }
  delete_buffer(buffer);
}

// Names belong to a share group: elsewhere the same number names another buffer.
TEST(cuGraphicsGLRegisterBuffer, KnowsNamesByTheirContext) {
  const GlScene scene;
  EglContext other(EglContext::Api::core);
  const GLuint here = new_buffer(pattern(256, 1));
  const CUgraphicsResource resource = register_buffer(here);
  other.make_current();
  const GLuint there = new_buffer(pattern(512, 2));
  EXPECT_EQ(here, there) << "else this test shows nothing";
  const CUgraphicsResource other_resource = register_buffer(there);
  OK(map(other_resource));
  EXPECT_EQ(cuda_content(address_of(other_resource), 512), pattern(512, 2));
  OK(unmap(other_resource));
  OK(map(resource));
  EXPECT_EQ(cuda_content(address_of(resource), 256), pattern(256, 1));
  OK(unmap(resource));
  EXPECT_TRUE(other.is_current());
  OK(cuGraphicsUnregisterResource(other_resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(there);
  other.release();
}

// --- cuGraphicsUnregisterResource
// -----------------------------------------------------------------

TEST(cuGraphicsUnregisterResource, EndsARegistrationOnce) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  OK(cuGraphicsUnregisterResource(resource));
  EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(map(resource), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(unmap(resource), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphicsResourceSetMapFlags(resource, 0), CUDA_ERROR_INVALID_HANDLE);
  CUdeviceptr address;
  size_t size;
  EXPECT_EQ(cuGraphicsResourceGetMappedPointer(&address, &size, resource),
            CUDA_ERROR_INVALID_HANDLE);
  delete_buffer(buffer);
}

TEST(cuGraphicsUnregisterResource, RefusesWhatIsNoResource) {
  const GlScene scene;
  EXPECT_EQ(cuGraphicsUnregisterResource(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphicsUnregisterResource(no_resource()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphicsUnregisterResource(
                reinterpret_cast<CUgraphicsResource>(new_stream(CU_STREAM_DEFAULT))),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuGraphicsUnregisterResource, RefusesAMappedResource) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  OK(map(resource));
  EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_ERROR_ALREADY_MAPPED);
  EXPECT_TRUE(is_mapped(resource));
  OK(cuMemsetD8(address_of(resource), 1, 4096));
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

TEST(cuGraphicsUnregisterResource, LeavesTheBufferToOpenGL) {
  const GlScene scene;
  const GLuint buffer = new_buffer(pattern(300, 5));
  const CUgraphicsResource resource = register_buffer(buffer);
  OK(cuGraphicsUnregisterResource(resource));
  EXPECT_TRUE(glIsBuffer(buffer));
  EXPECT_EQ(gl_content(buffer), pattern(300, 5));
  delete_buffer(buffer);
}

TEST(cuGraphicsUnregisterResource, WorksAfterOpenGLDeletedTheBuffer) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  delete_buffer(buffer);
  OK(cuGraphicsUnregisterResource(resource));
}

// Measured: unregistering needs an OpenGL context.
TEST(cuGraphicsUnregisterResource, NeedsAnOpenGLContext) {
  GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  scene.gl.release();
  EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  scene.gl.make_current();
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

// Measured: it returns after the context's work.
TEST(cuGraphicsUnregisterResource, WaitsForTheContextsWork) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  std::atomic<bool> opened = false;
  Gate gate(stream);
  std::thread opener([&] {
    let_things_happen();
    opened = true;
    gate.open();
  });
  OK(cuGraphicsUnregisterResource(resource));
  EXPECT_TRUE(opened);
  opener.join();
  OK(cuStreamDestroy(stream));
  delete_buffer(buffer);
}

}  // namespace
