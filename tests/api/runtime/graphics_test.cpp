// SPDX-License-Identifier: Apache-2.0
// OpenGL's buffers, EGL's images and syncs, and VDPAU as far as it exists, through the runtime API.
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <numeric>

#include "tests/api/driver/interop/gl/gl_image.hpp"
// Must come after OpenGL's headers.
#include <cuda_egl_interop.h>
#include <cuda_gl_interop.h>

extern "C" {
// As with <vdpau/vdpau.h>, whose handles are numbers.
using VdpGetProcAddress = int(uint32_t device, uint32_t function, void** pointer);
cudaError_t cudaVDPAUGetDevice(int* device, uint32_t vdpDevice, VdpGetProcAddress* find);
cudaError_t cudaGraphicsVDPAURegisterVideoSurface(cudaGraphicsResource** resource, uint32_t surface,
                                                  unsigned flags);
}

namespace {

constexpr ImageSize extent{16, 8, 1};

Bytes numbered(size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  return bytes;
}

TEST(cudaGraphicsGLRegisterBuffer, CudaWritesWhatOpenGlReads) {
  const GlScene scene;
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  const Bytes before = numbered(256);
  glNamedBufferData(buffer, 256, before.data(), GL_DYNAMIC_DRAW);
  cudaGraphicsResource_t resource = nullptr;
  ASSERT_EQ(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone),
            cudaSuccess);
  ASSERT_EQ(cudaGraphicsMapResources(1, &resource, nullptr), cudaSuccess);
  void* memory = nullptr;
  size_t size = 0;
  ASSERT_EQ(cudaGraphicsResourceGetMappedPointer(&memory, &size, resource), cudaSuccess);
  EXPECT_EQ(size, 256u);
  Bytes found(256);
  EXPECT_EQ(cudaMemcpy(found.data(), memory, 256, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(found, before);
  EXPECT_EQ(cudaMemset(memory, 7, 100), cudaSuccess);
  EXPECT_EQ(cudaGraphicsMapResources(1, &resource, nullptr), cudaErrorAlreadyMapped);
  ASSERT_EQ(cudaGraphicsUnmapResources(1, &resource, nullptr), cudaSuccess);
  EXPECT_EQ(cudaGraphicsUnmapResources(1, &resource, nullptr), cudaErrorNotMapped);
  glGetNamedBufferSubData(buffer, 0, 256, found.data());
  EXPECT_EQ(found[99], 7);
  EXPECT_EQ(found[100], before[100]);
  EXPECT_EQ(cudaGraphicsUnregisterResource(resource), cudaSuccess);
  glDeleteBuffers(1, &buffer);
}

// Measured: the runtime takes any flags, and looks at the mapping before it looks at them.
TEST(cudaGraphicsResourceSetMapFlags, TakesAnyFlagsUnlessItIsMapped) {
  const GlScene scene;
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferData(buffer, 64, nullptr, GL_DYNAMIC_DRAW);
  cudaGraphicsResource_t resource = nullptr;
  ASSERT_EQ(cudaGraphicsGLRegisterBuffer(&resource, buffer, 0), cudaSuccess);
  const unsigned every_kind[] = {0, 1, 2, 3, 4, 8, 0x40, 77, ~0u};
  for (const unsigned flags : every_kind)
    EXPECT_EQ(cudaGraphicsResourceSetMapFlags(resource, flags), cudaSuccess) << flags;
  EXPECT_EQ(cudaGraphicsMapResources(1, &resource, nullptr), cudaSuccess);
  for (const unsigned flags : every_kind)
    EXPECT_EQ(cudaGraphicsResourceSetMapFlags(resource, flags), cudaErrorAlreadyMapped) << flags;
  EXPECT_EQ(cudaGraphicsUnmapResources(1, &resource, nullptr), cudaSuccess);
  EXPECT_EQ(cudaGraphicsUnregisterResource(resource), cudaSuccess);
  EXPECT_EQ(cudaGraphicsResourceSetMapFlags(nullptr, 77), cudaErrorInvalidResourceHandle);
  glDeleteBuffers(1, &buffer);
}

TEST(cudaGraphicsResourceGetMappedEglFrame, DescribesThePlane) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, extent);
  const Bytes pixels = numbered(extent.pixels() * 4);
  glTextureSubImage2D(texture, 0, 0, 0, extent.width, extent.height, GL_RGBA, GL_UNSIGNED_BYTE,
                      pixels.data());
  const EGLAttrib how[] = {EGL_GL_TEXTURE_LEVEL, 0, EGL_NONE};
  const EGLImage image =
      eglCreateImage(eglGetCurrentDisplay(), eglGetCurrentContext(), EGL_GL_TEXTURE_2D,
                     reinterpret_cast<EGLClientBuffer>(uintptr_t{texture}), how);
  ASSERT_NE(image, EGL_NO_IMAGE);
  cudaGraphicsResource_t resource = nullptr;
  ASSERT_EQ(cudaGraphicsEGLRegisterImage(&resource, image, cudaGraphicsRegisterFlagsNone),
            cudaSuccess);
  cudaEglFrame frame{};
  ASSERT_EQ(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0), cudaSuccess);
  EXPECT_EQ(frame.planeCount, 1u);
  EXPECT_EQ(frame.frameType, cudaEglFrameTypeArray);
  EXPECT_EQ(frame.eglColorFormat, cudaEglColorFormatABGR);
  EXPECT_EQ(frame.planeDesc[0].width, 16u);
  EXPECT_EQ(frame.planeDesc[0].height, 8u);
  EXPECT_EQ(frame.planeDesc[0].numChannels, 4u);
  const cudaChannelFormatDesc& channels = frame.planeDesc[0].channelDesc;
  EXPECT_EQ(channels.x, 8);
  EXPECT_EQ(channels.w, 8);
  EXPECT_EQ(channels.f, cudaChannelFormatKindUnsigned);
  Bytes found(pixels.size());
  EXPECT_EQ(cudaMemcpy2DFromArray(found.data(), 64, frame.frame.pArray[0], 0, 0, 64, 8,
                                  cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(found, pixels);
  EXPECT_EQ(cudaGraphicsResourceGetMappedEglFrame(nullptr, resource, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphicsUnregisterResource(resource), cudaSuccess);
  eglDestroyImage(eglGetCurrentDisplay(), image);
  glDeleteTextures(1, &texture);
}

TEST(cudaEventCreateFromEGLSync, IsCompleteWhenTheSyncIs) {
  const GlScene scene;
  const EGLSync sync = eglCreateSync(eglGetCurrentDisplay(), EGL_SYNC_FENCE, nullptr);
  ASSERT_NE(sync, EGL_NO_SYNC);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateFromEGLSync(&event, sync, cudaEventDefault), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventCreateFromEGLSync(&event, EGL_NO_SYNC, cudaEventDefault),
            cudaErrorInvalidValue);
  eglDestroySync(eglGetCurrentDisplay(), sync);
}

TEST(cudaEGLStreamConsumerConnect, SaysThatItIsNotThere) {
  cudaEglStreamConnection connection = nullptr;
  EXPECT_EQ(cudaEGLStreamConsumerConnect(&connection, EGL_NO_STREAM_KHR), cudaErrorNotSupported);
}

TEST(cudaVDPAUGetDevice, FindsNone) {
  int device = -7;
  const auto find = [](uint32_t, uint32_t, void**) { return 1; };
  EXPECT_EQ(cudaVDPAUGetDevice(&device, 1, find), cudaErrorUnknown);
  EXPECT_EQ(cudaVDPAUGetDevice(&device, 1, nullptr), cudaErrorInvalidValue);
  cudaGraphicsResource* resource = nullptr;
  EXPECT_NE(cudaGraphicsVDPAURegisterVideoSurface(&resource, 1, 0), cudaSuccess);
  EXPECT_EQ(resource, nullptr);
}

}  // namespace
