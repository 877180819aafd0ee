// SPDX-License-Identifier: Apache-2.0
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <thread>

#include "tests/api/driver/interop/gl/gl_image.hpp"
// Must come after OpenGL's headers.
#include <cudaEGL.h>

namespace {

class EglImage {
 public:
  explicit EglImage(GLuint texture, EGLAttrib level = 0) {
    const EGLAttrib how[] = {EGL_GL_TEXTURE_LEVEL, level, EGL_NONE};
    image_ = eglCreateImage(eglGetCurrentDisplay(), eglGetCurrentContext(), EGL_GL_TEXTURE_2D,
                            reinterpret_cast<EGLClientBuffer>(uintptr_t{texture}), how);
    EXPECT_NE(image_, EGL_NO_IMAGE);
  }
  ~EglImage() { eglDestroyImage(eglGetCurrentDisplay(), image_); }
  EGLImage get() const { return image_; }

 private:
  EGLImage image_;
};

constexpr ImageSize extent{16, 8, 1};

GLuint texture_of(GLenum format, GLsizei levels = 1) {
  return new_texture(GL_TEXTURE_2D, format, levels, extent);
}

CUgraphicsResource registered(const EglImage& image, unsigned flags = 0) {
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsEGLRegisterImage(&resource, image.get(), flags), CUDA_SUCCESS);
  return resource;
}

CUeglFrame frame_of(CUgraphicsResource resource) {
  CUeglFrame frame{};
  EXPECT_EQ(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0), CUDA_SUCCESS);
  return frame;
}

// Copies the whole array to or from tightly packed rows.
CUresult copy(CUarray array, Bytes& host, bool to_array) {
  CUDA_MEMCPY2D copy{};
  copy.WidthInBytes = host.size() / static_cast<size_t>(extent.height);
  copy.Height = static_cast<size_t>(extent.height);
  (to_array ? copy.dstMemoryType : copy.srcMemoryType) = CU_MEMORYTYPE_ARRAY;
  (to_array ? copy.dstArray : copy.srcArray) = array;
  if (to_array) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host.data();
    copy.srcPitch = copy.WidthInBytes;
  } else {
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = host.data();
    copy.dstPitch = copy.WidthInBytes;
  }
  return cuMemcpy2D(&copy);
}

void gl_write(GLuint texture, const Bytes& pixels) {
  glTextureSubImage2D(texture, 0, 0, 0, extent.width, extent.height, GL_RGBA, GL_UNSIGNED_BYTE,
                      pixels.data());
}
Bytes gl_read(GLuint texture) {
  Bytes pixels(extent.pixels() * 4);
  glGetTextureImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<GLsizei>(pixels.size()),
                    pixels.data());
  return pixels;
}

// The formats that an H200's driver accepts, and its names for them.
TEST(cuGraphicsEGLRegisterImage, TakesTheDriversFormats) {
  const GlScene scene;
  struct {
    GLenum internal;
    CUeglColorFormat colour;
    CUarray_format format;
    unsigned channels;
  } const formats[] = {
      {GL_RGBA8, CU_EGL_COLOR_FORMAT_ABGR, CU_AD_FORMAT_UNSIGNED_INT8, 4},
      {GL_R8, CU_EGL_COLOR_FORMAT_Y, CU_AD_FORMAT_UNSIGNED_INT8, 1},
      {GL_RGBA16, CU_EGL_COLOR_FORMAT_ABGR, CU_AD_FORMAT_UNSIGNED_INT16, 4},
      {GL_RGBA16F, CU_EGL_COLOR_FORMAT_ABGR, CU_AD_FORMAT_HALF, 4},
  };
  for (const auto& format : formats) {
    const GLuint texture = texture_of(format.internal);
    const EglImage image(texture);
    CUgraphicsResource resource = registered(image);
    const CUeglFrame frame = frame_of(resource);
    EXPECT_EQ(frame.width, 16u);
    EXPECT_EQ(frame.height, 8u);
    EXPECT_EQ(frame.depth, 0u);
    EXPECT_EQ(frame.planeCount, 1u);
    EXPECT_EQ(frame.numChannels, format.channels);
    EXPECT_EQ(frame.frameType, CU_EGL_FRAME_TYPE_ARRAY);
    EXPECT_EQ(frame.eglColorFormat, format.colour);
    EXPECT_EQ(frame.cuFormat, format.format);
    CUDA_ARRAY3D_DESCRIPTOR descriptor{};
    EXPECT_EQ(cuArray3DGetDescriptor(&descriptor, frame.frame.pArray[0]), CUDA_SUCCESS);
    EXPECT_EQ(descriptor.Width, 16u);
    EXPECT_EQ(descriptor.Flags, unsigned{CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER});
    OK(cuGraphicsUnregisterResource(resource));
    glDeleteTextures(1, &texture);
  }
}

TEST(cuGraphicsEGLRegisterImage, RefusesWhatItCannotTake) {
  GlScene scene;
  const GLuint texture = texture_of(GL_RGBA8), two = texture_of(GL_RG8);
  const EglImage image(texture), other(two);
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsEGLRegisterImage(nullptr, image.get(), 0), CUDA_ERROR_INVALID_VALUE);
  for (unsigned flags : {3u, 4u, 8u, 0x80u})
    EXPECT_EQ(cuGraphicsEGLRegisterImage(&resource, image.get(), flags), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsEGLRegisterImage(&resource, EGL_NO_IMAGE, 0), CUDA_ERROR_UNKNOWN);
  static uint64_t zeros[64];
  EXPECT_EQ(cuGraphicsEGLRegisterImage(&resource, zeros, 0), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(cuGraphicsEGLRegisterImage(&resource, other.get(), 0), CUDA_ERROR_NOT_SUPPORTED);
  scene.gl.release();
  EXPECT_EQ(cuGraphicsEGLRegisterImage(&resource, image.get(), 0),
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  scene.gl.make_current();
  EXPECT_EQ(resource, nullptr);
}

TEST(cuGraphicsEGLRegisterImage, LeavesWhatIsBound) {
  const GlScene scene;
  const GLuint bound = texture_of(GL_R8), texture = texture_of(GL_RGBA8);
  const EglImage image(texture);
  glBindTexture(GL_TEXTURE_2D, bound);
  CUgraphicsResource resource = registered(image);
  frame_of(resource);
  OK(cuCtxSynchronize());
  OK(cuGraphicsUnregisterResource(resource));
  GLint now = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &now);
  EXPECT_EQ(static_cast<GLuint>(now), bound);
}

TEST(cuGraphicsEGLRegisterImage, IsNotMapped) {
  const GlScene scene;
  const EglImage image(texture_of(GL_RGBA8));
  CUgraphicsResource resource = registered(image);
  EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN);
  CUarray array = nullptr;
  const CUeglFrame frame = frame_of(resource);
  OK(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
  EXPECT_EQ(array, frame.frame.pArray[0]);
  OK(cuGraphicsUnregisterResource(resource));
}

// In both directions, with each of the calls that wait for CUDA's work.
TEST(cuGraphicsResourceGetMappedEglFrame, CarriesPixelsBothWays) {
  const GlScene scene;
  const GLuint texture = texture_of(GL_RGBA8);
  const EglImage image(texture);
  CUgraphicsResource resource = registered(image);
  CUevent event = new_event();
  const std::function<CUresult()> waits[] = {
      [] { return cuCtxSynchronize(); },
      [] { return cuStreamSynchronize(nullptr); },
      [&] {
        EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_SUCCESS);
        return cuEventSynchronize(event);
      },
  };
  unsigned seed = 0;
  for (const auto& wait : waits) {
    const Bytes in = pattern(extent.pixels() * 4, ++seed);
    Bytes out = pattern(extent.pixels() * 4, ++seed), read(in.size());
    gl_write(texture, in);
    const CUeglFrame frame = frame_of(resource);
    OK(copy(frame.frame.pArray[0], read, false));
    EXPECT_EQ(read, in);
    OK(copy(frame.frame.pArray[0], out, true));
    EXPECT_EQ(gl_read(texture), in);  // not written back yet
    OK(wait());
    EXPECT_EQ(gl_read(texture), out);
    // The frame is the image's own memory: it also shows what OpenGL draws later.
    const Bytes later = pattern(extent.pixels() * 4, ++seed);
    gl_write(texture, later);
    OK(copy(frame.frame.pArray[0], read, false));
    EXPECT_EQ(read, later);
    OK(wait());
  }
  OK(cuEventDestroy(event));
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGraphicsResourceGetMappedEglFrame, KeepsOpenGlsPixelsThatCudaOnlyReads) {
  const GlScene scene;
  const GLuint texture = texture_of(GL_RGBA8);
  const Bytes in = pattern(extent.pixels() * 4, 1), later = pattern(extent.pixels() * 4, 2);
  gl_write(texture, in);
  const EglImage image(texture);
  CUgraphicsResource resource = registered(image, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
  const CUeglFrame frame = frame_of(resource);
  gl_write(texture, later);
  Bytes read(in.size());
  OK(copy(frame.frame.pArray[0], read, false));
  EXPECT_EQ(read, in);
  OK(cuCtxSynchronize());
  EXPECT_EQ(gl_read(texture), later);
  OK(cuGraphicsUnregisterResource(resource));
}

// A wait in a thread without the context cannot give the frame back; the next one here does.
TEST(cuGraphicsResourceGetMappedEglFrame, GoesBackWhereItsContextIsCurrent) {
  const GlScene scene;
  const GLuint texture = texture_of(GL_RGBA8);
  const EglImage image(texture);
  CUgraphicsResource resource = registered(image);
  const CUeglFrame frame = frame_of(resource);
  Bytes out = pattern(extent.pixels() * 4, 3);
  OK(copy(frame.frame.pArray[0], out, true));
  std::thread([&] {
    OK(cuCtxSetCurrent(scene.cuda.context));
    OK(cuCtxSynchronize());
  }).join();
  EXPECT_NE(gl_read(texture), out);
  OK(cuCtxSynchronize());
  EXPECT_EQ(gl_read(texture), out);
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGraphicsResourceGetMappedEglFrame, RefusesWhatIsNone) {
  const GlScene scene;
  const EglImage image(texture_of(GL_RGBA8));
  CUgraphicsResource resource = registered(image);
  CUeglFrame frame{};
  EXPECT_EQ(cuGraphicsResourceGetMappedEglFrame(nullptr, resource, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsResourceGetMappedEglFrame(&frame, nullptr, 0, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphicsUnregisterResource(resource));
  EXPECT_EQ(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0), CUDA_ERROR_INVALID_HANDLE);
  CUgraphicsResource buffer = register_buffer(new_buffer(64));
  EXPECT_EQ(cuGraphicsResourceGetMappedEglFrame(&frame, buffer, 0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphicsUnregisterResource(buffer));
}

TEST(cuEventCreateFromEGLSync, IsCompleteWhenTheSyncIs) {
  const GlScene scene;
  const EGLDisplay display = eglGetCurrentDisplay();
  const EGLSync sync = eglCreateSync(display, EGL_SYNC_FENCE, nullptr);
  ASSERT_NE(sync, EGL_NO_SYNC);
  CUevent event = nullptr;
  OK(cuEventCreateFromEGLSync(&event, sync, CU_EVENT_BLOCKING_SYNC));
  EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
  CUstream stream = new_stream();
  OK(cuStreamWaitEvent(stream, event, 0));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(eglDestroySync(display, sync), EGLBoolean{EGL_TRUE});
  OK(cuEventDestroy(event));
  OK(cuStreamDestroy(stream));
}

TEST(cuEventCreateFromEGLSync, RefusesWhatIsNoFence) {
  const GlScene scene;
  const EGLDisplay display = eglGetCurrentDisplay();
  const EGLSync sync = eglCreateSync(display, EGL_SYNC_FENCE, nullptr);
  CUevent event = nullptr;
  EXPECT_EQ(cuEventCreateFromEGLSync(nullptr, sync, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreateFromEGLSync(&event, sync, CU_EVENT_DISABLE_TIMING),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreateFromEGLSync(&event, EGL_NO_SYNC, 0), CUDA_ERROR_INVALID_VALUE);
  static uint64_t zeros[64];
  EXPECT_EQ(cuEventCreateFromEGLSync(&event, zeros, 0), CUDA_ERROR_INVALID_VALUE);
  const EGLSync reusable = eglCreateSync(display, EGL_SYNC_REUSABLE_KHR, nullptr);
  if (reusable != EGL_NO_SYNC) {
    EXPECT_EQ(cuEventCreateFromEGLSync(&event, reusable, 0), CUDA_ERROR_NOT_SUPPORTED);
    eglDestroySync(display, reusable);
  }
  eglDestroySync(display, sync);
  EXPECT_EQ(event, nullptr);
}

// The EGL of software OpenGL has no streams.
TEST(cuEGLStreamConsumerConnect, SaysThatItIsNotThere) {
  const GlScene scene;
  CUeglStreamConnection connection = nullptr;
  EXPECT_EQ(cuEGLStreamConsumerConnect(&connection, EGL_NO_STREAM_KHR), CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace
