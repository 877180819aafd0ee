// SPDX-License-Identifier: Apache-2.0
// Memory of cuMemCreate that OpenGL imports as a memory object (GL_EXT_memory_object_fd).
#include <EGL/egl.h>

#include <cstring>
#include <string>

#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

constexpr size_t memory_size = 4 << 20, buffer_size = 1 << 20;

bool has_extension(const std::string& name) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i)
    if (name == reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i))))
      return true;
  return false;
}

template <typename Function>
Function gl_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

struct Exported {
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr address = 0;
  int fd = -1;

  Exported() {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    EXPECT_EQ(cuMemCreate(&handle, memory_size, &properties, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressReserve(&address, memory_size, 0, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(address, memory_size, 0, handle, 0), CUDA_SUCCESS);
    CUmemAccessDesc access{};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    EXPECT_EQ(cuMemSetAccess(address, memory_size, &access, 1), CUDA_SUCCESS);
    EXPECT_EQ(
        cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        CUDA_SUCCESS);
  }
  ~Exported() {
    EXPECT_EQ(cuMemUnmap(address, memory_size), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressFree(address, memory_size), CUDA_SUCCESS);
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  }
};

TEST(cuMemExportToShareableHandle, GivesMemoryObjectsToOpenGl) {
  const GlScene scene;
  if (!has_extension("GL_EXT_memory_object_fd")) GTEST_SKIP() << "no GL_EXT_memory_object_fd";
  const Exported exported;
  const auto create = gl_function<PFNGLCREATEMEMORYOBJECTSEXTPROC>("glCreateMemoryObjectsEXT");
  const auto import = gl_function<PFNGLIMPORTMEMORYFDEXTPROC>("glImportMemoryFdEXT");
  const auto storage = gl_function<PFNGLNAMEDBUFFERSTORAGEMEMEXTPROC>("glNamedBufferStorageMemEXT");
  const auto destroy = gl_function<PFNGLDELETEMEMORYOBJECTSEXTPROC>("glDeleteMemoryObjectsEXT");
  GLuint object = 0, buffer = 0;
  create(1, &object);
  import(object, memory_size, GL_HANDLE_TYPE_OPAQUE_FD_EXT, exported.fd);
  ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  glCreateBuffers(1, &buffer);
  storage(buffer, buffer_size, object, 0);
  ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  const Bytes written = pattern(buffer_size, 3);
  cuda_write(exported.address, written);
  EXPECT_EQ(gl_content(buffer, buffer_size), written);
  const GLuint word = 0x01020304;
  glClearNamedBufferData(buffer, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, &word);
  glFinish();
  Bytes expected(buffer_size);
  for (size_t at = 0; at < buffer_size; at += 4) memcpy(&expected[at], &word, 4);
  EXPECT_EQ(cuda_content(exported.address, buffer_size), expected);
  glDeleteBuffers(1, &buffer);
  destroy(1, &object);
}

}  // namespace
