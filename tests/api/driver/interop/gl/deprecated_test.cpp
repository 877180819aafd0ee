// SPDX-License-Identifier: Apache-2.0
// The interface from before CUDA 3.0, which takes names of buffers. Old programs still link it.
#include "tests/api/driver/interop/gl/gl.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// The entry points from before CUDA 3.2, with 32-bit addresses.
extern "C" {
CUresult CUDAAPI first_gl_map_buffer_object(unsigned* address, unsigned* size,
                                            GLuint buffer) __asm__("cuGLMapBufferObject");
CUresult CUDAAPI
first_gl_map_buffer_object_async(unsigned* address, unsigned* size, GLuint buffer,
                                 CUstream stream) __asm__("cuGLMapBufferObjectAsync");
}

namespace {

// --- cuGLInit, cuGLCtxCreate
// ----------------------------------------------------------------------

TEST(cuGLInit, NeedsBothContexts) {
  {
    const GlScene scene;
    OK(cuGLInit());
    OK(cuCtxSetCurrent(nullptr));
    EXPECT_EQ(cuGLInit(), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxSetCurrent(scene.cuda.context));
  }
  const Scene scene;
  EXPECT_EQ(cuGLInit(), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
}

TEST(cuGLCtxCreate, MakesAContextThatIsCurrent) {
  const GlScene scene;
  CUcontext context = nullptr, current = nullptr;
  OK(cuGLCtxCreate(&context, CU_CTX_SCHED_YIELD, 0));
  OK(cuCtxGetCurrent(&current));
  EXPECT_NE(context, nullptr);
  EXPECT_EQ(current, context);
  unsigned flags = 0;
  OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags & CU_CTX_SCHED_MASK, unsigned{CU_CTX_SCHED_YIELD});
  const GLuint buffer = new_buffer(pattern(256, 1));
  const CUgraphicsResource resource = register_buffer(buffer);
  OK(map(resource));
  EXPECT_EQ(cuda_content(address_of(resource), 256), pattern(256, 1));
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
  OK(cuCtxDestroy(context));
}

TEST(cuGLCtxCreate, ChecksItsArguments) {
  const GlScene scene;
  CUcontext context = nullptr;
  EXPECT_EQ(cuGLCtxCreate(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGLCtxCreate(&context, 0, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuGLCtxCreate(&context, ~0u, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(context, nullptr);
}

TEST(cuGLCtxCreate, NeedsAnOpenGLContext) {
  const Scene scene;
  CUcontext context = nullptr;
  EXPECT_EQ(cuGLCtxCreate(&context, 0, 0), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  EXPECT_EQ(context, nullptr);
}

// --- Buffers by name
// ------------------------------------------------------------------------------

// A buffer registered by its name.
class NamedBuffer {
 public:
  NamedBuffer() : name(new_buffer(pattern(4096, 2))) {
    EXPECT_EQ(cuGLRegisterBufferObject(name), CUDA_SUCCESS);
  }
  ~NamedBuffer() {
    EXPECT_EQ(cuGLUnregisterBufferObject(name), CUDA_SUCCESS);
    delete_buffer(name);
  }
  NamedBuffer(const NamedBuffer&) = delete;
  NamedBuffer& operator=(const NamedBuffer&) = delete;

  const GLuint name;
};

TEST(cuGLRegisterBufferObject, RefusesWhatIsNoBuffer) {
  const GlScene scene;
  EXPECT_NE(cuGLRegisterBufferObject(0), CUDA_SUCCESS);
  EXPECT_NE(cuGLRegisterBufferObject(9999), CUDA_SUCCESS);
  GLuint name = 0;
  glGenBuffers(1, &name);
  EXPECT_NE(cuGLRegisterBufferObject(name), CUDA_SUCCESS);
  delete_buffer(name);
}

TEST(cuGLRegisterBufferObject, NeedsBothContexts) {
  GlScene scene;
  const GLuint buffer = new_buffer(64);
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuGLRegisterBufferObject(buffer), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxSetCurrent(scene.cuda.context));
  scene.gl.release();
  EXPECT_EQ(cuGLRegisterBufferObject(buffer), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  scene.gl.make_current();
  delete_buffer(buffer);
}

// It coexists with a registration by today's interface.
TEST(cuGLRegisterBufferObject, DoesNotHinderARegistrationOfToday) {
  const GlScene scene;
  const NamedBuffer buffer;
  const CUgraphicsResource resource = register_buffer(buffer.name);
  OK(map(resource));
  OK(cuMemsetD8(address_of(resource), 1, 4096));
  OK(unmap(resource));
  CUdeviceptr address;
  size_t size;
  OK(cuGLMapBufferObject(&address, &size, buffer.name));
  EXPECT_EQ(cuda_content(address, 4096), Bytes(4096, 1));
  OK(cuGLUnmapBufferObject(buffer.name));
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGLMapBufferObject, GivesTheBuffersContent) {
  const GlScene scene;
  const NamedBuffer buffer;
  CUdeviceptr address = 0;
  size_t size = 0;
  OK(cuGLMapBufferObject(&address, &size, buffer.name));
  EXPECT_EQ(size, 4096u);
  EXPECT_EQ(cuda_content(address, size), pattern(4096, 2));
  cuda_write(address, pattern(4096, 3));
  OK(cuGLUnmapBufferObject(buffer.name));
  EXPECT_EQ(gl_content(buffer.name), pattern(4096, 3));
  EXPECT_EQ(cuMemsetD8(address, 0, 1), CUDA_ERROR_INVALID_VALUE) << "it is mapped no more";
}

TEST(cuGLMapBufferObject, RefusesWhatItCannotMap) {
  const GlScene scene;
  const NamedBuffer buffer;
  CUdeviceptr address = 77;
  size_t size = 77;
  const GLuint unregistered = new_buffer(64);
  EXPECT_EQ(cuGLMapBufferObject(&address, &size, unregistered), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGLMapBufferObject(&address, &size, 9999), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(address, 77u);
  EXPECT_EQ(size, 77u);
  OK(cuGLMapBufferObject(&address, &size, buffer.name));
  EXPECT_EQ(cuGLMapBufferObject(&address, &size, buffer.name), CUDA_ERROR_ALREADY_MAPPED);
  OK(cuGLUnmapBufferObject(buffer.name));
  delete_buffer(unregistered);
}

// "All streams in the current CUDA context are synchronized with the current GL context."
TEST(cuGLUnmapBufferObject, WaitsForAllStreams) {
  const GlScene scene;
  const NamedBuffer buffer;
  const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr address = 0;
  size_t size = 0;
  OK(cuGLMapBufferObject(&address, &size, buffer.name));
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(address, 6, size, stream));
    std::thread opener([&gate] {
      let_things_happen();
      gate.open();
    });
    OK(cuGLUnmapBufferObject(buffer.name));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
    opener.join();
  }
  EXPECT_EQ(gl_content(buffer.name), Bytes(4096, 6));
  OK(cuStreamDestroy(stream));
}

TEST(cuGLUnmapBufferObject, RefusesWhatIsNotMapped) {
  const GlScene scene;
  const NamedBuffer buffer;
  EXPECT_EQ(cuGLUnmapBufferObject(buffer.name), CUDA_ERROR_NOT_MAPPED);
  EXPECT_EQ(cuGLUnmapBufferObject(9999), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGLMapBufferObjectAsync, IsOrderedWithItsStream) {
  const GlScene scene;
  const NamedBuffer buffer;
  const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr address = 0;
  size_t size = 0;
  {
    Gate gate(stream);
    OK(cuGLMapBufferObjectAsync(&address, &size, buffer.name, stream));
    EXPECT_EQ(size, 4096u);
    OK(cuMemsetD8Async(address, 6, size, stream));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    gate.open();
    OK(cuGLUnmapBufferObjectAsync(buffer.name, stream));
  }
  EXPECT_EQ(gl_content(buffer.name), Bytes(4096, 6));
  OK(cuStreamDestroy(stream));
}

TEST(cuGLUnmapBufferObjectAsync, RefusesWhatIsNotMapped) {
  const GlScene scene;
  const NamedBuffer buffer;
  EXPECT_EQ(cuGLUnmapBufferObjectAsync(buffer.name, nullptr), CUDA_ERROR_NOT_MAPPED);
  EXPECT_EQ(cuGLUnmapBufferObjectAsync(9999, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// Today's addresses do not fit into 32 bits; half of one is never written.
TEST(cuGLMapBufferObject, OfOldWritesNoHalfAddress) {
  const GlScene scene;
  const NamedBuffer buffer;
  unsigned address = 77, size = 77;
  EXPECT_NE(first_gl_map_buffer_object(&address, &size, buffer.name), CUDA_SUCCESS);
  EXPECT_NE(first_gl_map_buffer_object_async(&address, &size, buffer.name, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(address, 77u);
  EXPECT_EQ(cuGLUnmapBufferObject(buffer.name), CUDA_ERROR_NOT_MAPPED);
}

// "If buffer is presently mapped for access by CUDA, then CUDA_ERROR_ALREADY_MAPPED is returned."
// Measured: a buffer that is not registered is an invalid value, as for the other functions.
TEST(cuGLSetBufferObjectMapFlags, DecidesAboutTheNextMapping) {
  const GlScene scene;
  const NamedBuffer buffer;
  EXPECT_EQ(cuGLSetBufferObjectMapFlags(9999, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGLSetBufferObjectMapFlags(buffer.name, 3), CUDA_ERROR_INVALID_VALUE);
  OK(cuGLSetBufferObjectMapFlags(buffer.name, CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
  CUdeviceptr address = 0;
  size_t size = 0;
  OK(cuGLMapBufferObject(&address, &size, buffer.name));
  EXPECT_EQ(cuGLSetBufferObjectMapFlags(buffer.name, 0), CUDA_ERROR_ALREADY_MAPPED);
  EXPECT_NE(cuda_content(address, size), pattern(4096, 2)) << "discarded";
  cuda_write(address, pattern(4096, 5));
  OK(cuGLUnmapBufferObject(buffer.name));
  OK(cuGLSetBufferObjectMapFlags(buffer.name, CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY));
  OK(cuGLMapBufferObject(&address, &size, buffer.name));
  EXPECT_EQ(cuda_content(address, size), pattern(4096, 5));
  OK(cuGLUnmapBufferObject(buffer.name));
}

TEST(cuGLUnregisterBufferObject, EndsARegistration) {
  const GlScene scene;
  const GLuint buffer = new_buffer(64);
  OK(cuGLRegisterBufferObject(buffer));
  OK(cuGLUnregisterBufferObject(buffer));
  EXPECT_EQ(cuGLUnregisterBufferObject(buffer), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr address;
  size_t size;
  EXPECT_EQ(cuGLMapBufferObject(&address, &size, buffer), CUDA_ERROR_INVALID_VALUE);
  OK(cuGLRegisterBufferObject(buffer));
  OK(cuGLMapBufferObject(&address, &size, buffer));
  EXPECT_EQ(cuGLUnregisterBufferObject(buffer), CUDA_ERROR_ALREADY_MAPPED);
  OK(cuGLUnmapBufferObject(buffer));
  OK(cuGLUnregisterBufferObject(buffer));
  delete_buffer(buffer);
}

}  // namespace
