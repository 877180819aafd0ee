// SPDX-License-Identifier: Apache-2.0
// EGL's images and streams.
#include <cudaEGL.h>
#include <dlfcn.h>

#include "graphics.hpp"

namespace {

using graphics::new_texture;
using graphics::say;
using graphics::shape;

CUeglFrame frame;

EGLImage image_of(EGLenum target, GLuint object, EGLAttrib level, EGLAttrib slice) {
  std::vector<EGLAttrib> how;
  if (target != EGL_GL_RENDERBUFFER) how = {EGL_GL_TEXTURE_LEVEL, level};
  if (target == EGL_GL_TEXTURE_3D) how.insert(how.end(), {EGL_GL_TEXTURE_ZOFFSET, slice});
  how.push_back(EGL_NONE);
  const EGLImage image =
      eglCreateImage(graphics::display, eglGetCurrentContext(), target,
                     reinterpret_cast<EGLClientBuffer>(uintptr_t{object}), how.data());
  return image;
}
EGLImage image_of(GLenum format) {
  return image_of(EGL_GL_TEXTURE_2D, new_texture(GL_TEXTURE_2D, format, 1, 64, 32, 1), 0, 0);
}

std::string text(const CUeglFrame& f) {
  char line[200];
  snprintf(line, sizeof line,
           "%ux%ux%u pitch %u planes %u channels %u type %d colour %d format %d, ", f.width,
           f.height, f.depth, f.pitch, f.planeCount, f.numChannels, static_cast<int>(f.frameType),
           static_cast<int>(f.eglColorFormat), static_cast<int>(f.cuFormat));
  return line + (f.frameType == CU_EGL_FRAME_TYPE_ARRAY ? shape(f.frame.pArray[0]) : "pitched");
}

void ask_frame(const std::string& question, EGLImage image, unsigned flags) {
  if (image == EGL_NO_IMAGE) return say(question, "EGL has no such image");
  CUgraphicsResource r = nullptr;
  CUresult result = cuGraphicsEGLRegisterImage(&r, image, flags);
  say(question, graphics::name(result));
  if (result != CUDA_SUCCESS) return;
  CUeglFrame f{};
  result = cuGraphicsResourceGetMappedEglFrame(&f, r, 0, 0);
  say(question + ": frame", result == CUDA_SUCCESS ? text(f) : graphics::name(result));
  say(question + ": unregister", graphics::name(cuGraphicsUnregisterResource(r)));
}

#define FRAME_OF(format) ask_frame(#format, image_of(format), 0)

CASE(egl_image_formats) {
  graphics::start();
  FRAME_OF(GL_RGBA8);
  FRAME_OF(GL_R8);
  FRAME_OF(GL_RG8);
  FRAME_OF(GL_RGB8);
  FRAME_OF(GL_SRGB8_ALPHA8);
  FRAME_OF(GL_R16);
  FRAME_OF(GL_RGBA16);
  FRAME_OF(GL_R16F);
  FRAME_OF(GL_RGBA16F);
  FRAME_OF(GL_R32F);
  FRAME_OF(GL_RG32F);
  FRAME_OF(GL_RGBA32F);
  FRAME_OF(GL_R8UI);
  FRAME_OF(GL_R32UI);
  FRAME_OF(GL_RGBA8UI);
  FRAME_OF(GL_RGBA8I);
  FRAME_OF(GL_RGB10_A2);
  FRAME_OF(GL_RGB565);
  FRAME_OF(GL_DEPTH_COMPONENT24);
}
CASE(egl_image_kinds) {
  graphics::start();
  const GLuint levels = new_texture(GL_TEXTURE_2D, GL_RGBA8, 4, 64, 32, 1);
  ask_frame("level 0 of 4", image_of(EGL_GL_TEXTURE_2D, levels, 0, 0), 0);
  ask_frame("level 1 of 4", image_of(EGL_GL_TEXTURE_2D, levels, 1, 0), 0);
  const GLuint cube = new_texture(GL_TEXTURE_CUBE_MAP, GL_RGBA8, 1, 32, 32, 1);
  ask_frame("face", image_of(EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, cube, 0, 0), 0);
  const GLuint volume = new_texture(GL_TEXTURE_3D, GL_RGBA8, 1, 32, 16, 4);
  ask_frame("slice", image_of(EGL_GL_TEXTURE_3D, volume, 0, 2), 0);
  GLuint renderbuffer = 0;
  glGenRenderbuffers(1, &renderbuffer);
  glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 64, 32);
  ask_frame("renderbuffer", image_of(EGL_GL_RENDERBUFFER, renderbuffer, 0, 0), 0);
}
CASE(egl_image_flags) {
  graphics::start();
  const EGLImage image = image_of(GL_RGBA8);
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u, 0x80u, 0x80000000u})
    ask_frame("flags " + std::to_string(flags), image, flags);
}
CASE(egl_image_arguments) {
  const EGLContext gl = graphics::start();
  const EGLImage image = image_of(GL_RGBA8);
  CUgraphicsResource r = nullptr;
  SURVIVE(cuGraphicsEGLRegisterImage(nullptr, image, 0));
  SURVIVE(cuGraphicsEGLRegisterImage(&r, EGL_NO_IMAGE, 0));
  SURVIVE(cuGraphicsEGLRegisterImage(&r, EGL_NO_IMAGE, 77));
  SURVIVE(cuGraphicsEGLRegisterImage(nullptr, EGL_NO_IMAGE, 77));
  PREPARE(cuCtxSetCurrent(nullptr));
  SURVIVE(cuGraphicsEGLRegisterImage(&r, image, 0));
  SURVIVE(cuGraphicsEGLRegisterImage(nullptr, EGL_NO_IMAGE, 77));
  PREPARE(cuCtxSetCurrent(graphics::context));
  graphics::make_current(EGL_NO_CONTEXT);
  SURVIVE(cuGraphicsEGLRegisterImage(&r, image, 0));
  graphics::make_current(gl);
}
CASE(egl_image_garbage) {
  graphics::start();
  static uint64_t zeros[2048];
  CUgraphicsResource r = nullptr;
  SURVIVE(cuGraphicsEGLRegisterImage(&r, reinterpret_cast<EGLImage>(uintptr_t{9999}), 0));
  SURVIVE(cuGraphicsEGLRegisterImage(&r, zeros, 0));
}
CASE(egl_image_destroyed) {
  graphics::start();
  const EGLImage image = image_of(GL_RGBA8);
  ASK(eglDestroyImage(graphics::display, image) == EGL_TRUE);
  CUgraphicsResource r = nullptr;
  SURVIVE(cuGraphicsEGLRegisterImage(&r, image, 0));
}

CUgraphicsResource registered_image() {
  CUgraphicsResource r = nullptr;
  PREPARE(cuGraphicsEGLRegisterImage(&r, image_of(GL_RGBA8), 0));
  return r;
}
CASE(egl_frame_arguments) {
  graphics::start();
  CUgraphicsResource r = registered_image();
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 1, 0));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 1));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 6, 20));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(nullptr, r, 0, 0));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, nullptr, 0, 0));
  PREPARE(cuCtxSetCurrent(nullptr));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
}
CASE(egl_frame_of_buffer) {
  graphics::start();
  CUgraphicsResource r = graphics::registered(graphics::new_buffer(4096, nullptr));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
}
CASE(egl_frame_of_texture) {
  graphics::start();
  CUgraphicsResource r = nullptr;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  PREPARE(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, 0));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
}
CASE(egl_frame_stale) {
  graphics::start();
  CUgraphicsResource r = registered_image();
  PREPARE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
}
CASE(egl_image_as_resource) {
  graphics::start();
  CUgraphicsResource r = registered_image();
  CUdeviceptr p = 0;
  CUarray a = nullptr;
  CUmipmappedArray m = nullptr;
  SURVIVE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  SURVIVE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  SURVIVE(cuGraphicsResourceGetMappedPointer(&p, nullptr, r));
  SURVIVE(cuGraphicsResourceSetMapFlags(r, 1));
  SURVIVE(cuGraphicsMapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  if (a) say("shape", shape(a));
  PREPARE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  ASK(a == frame.frame.pArray[0]);
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(egl_image_data) {
  graphics::start();
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 16, 8, 1);
  unsigned data[128], read[128] = {};
  for (unsigned i = 0; i < 128; ++i) data[i] = i * 0x01020305u;
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 8, GL_RGBA, GL_UNSIGNED_BYTE, data);
  glFinish();
  CUgraphicsResource r = nullptr;
  PREPARE(cuGraphicsEGLRegisterImage(&r, image_of(EGL_GL_TEXTURE_2D, texture, 0, 0), 0));
  PREPARE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  CUeglFrame again{};
  PREPARE(cuGraphicsResourceGetMappedEglFrame(&again, r, 0, 0));
  ASK(again.frame.pArray[0] == frame.frame.pArray[0]);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = frame.frame.pArray[0];
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = read;
  copy.dstPitch = 64;
  copy.WidthInBytes = 64;
  copy.Height = 8;
  ASK(cuMemcpy2D(&copy));
  ASK(memcmp(data, read, sizeof data) == 0);
  for (unsigned& each : data) each = ~each;
  CUDA_MEMCPY2D back{};
  back.srcMemoryType = CU_MEMORYTYPE_HOST;
  back.srcHost = data;
  back.srcPitch = 64;
  back.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  back.dstArray = frame.frame.pArray[0];
  back.WidthInBytes = 64;
  back.Height = 8;
  ASK(cuMemcpy2D(&back));
  ASK(cuCtxSynchronize());
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, read);
  ASK(memcmp(data, read, sizeof data) == 0);
  memset(data, 0x11, sizeof data);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 8, GL_RGBA, GL_UNSIGNED_BYTE, data);
  glFinish();
  ASK(cuMemcpy2D(&copy));
  ASK(memcmp(data, read, sizeof data) == 0);
}
CASE(egl_image_and_its_makers) {
  graphics::start();
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  const EGLImage image = image_of(EGL_GL_TEXTURE_2D, texture, 0, 0);
  CUgraphicsResource r = nullptr, q = nullptr, t = nullptr;
  ASK(cuGraphicsEGLRegisterImage(&r, image, 0));
  ASK(cuGraphicsEGLRegisterImage(&q, image, 0));
  ASK(r == q);
  ASK(cuGraphicsGLRegisterImage(&t, texture, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsUnregisterResource(q));
  ASK(eglDestroyImage(graphics::display, image) == EGL_TRUE);
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  glDeleteTextures(1, &texture);
  SURVIVE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  ASK(glGetError() == GL_NO_ERROR);
  SURVIVE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(egl_frame_after_unregister) {
  graphics::start();
  CUgraphicsResource r = registered_image();
  CUDA_ARRAY3D_DESCRIPTOR d;
  PREPARE(cuGraphicsResourceGetMappedEglFrame(&frame, r, 0, 0));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuArray3DGetDescriptor(&d, frame.frame.pArray[0]));
}

// CUDA's headers declare this function, but drivers of desktop systems do not have it.
CASE(egl_sync) {
  graphics::start_cuda();
  void* function = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
  ASK(dlsym(RTLD_DEFAULT, "cuEventCreateFromEGLSync") != nullptr);
  ASK(cuGetProcAddress("cuEventCreateFromEGLSync", &function, 13000, 0, &found));
  ASK(static_cast<int>(found));
}

CASE(egl_stream_arguments) {
  graphics::start();
  CUeglStreamConnection c = nullptr;
  CUgraphicsResource r = nullptr;
  SURVIVE(cuEGLStreamConsumerConnect(nullptr, EGL_NO_STREAM_KHR));
  SURVIVE(cuEGLStreamConsumerConnect(&c, EGL_NO_STREAM_KHR));
  SURVIVE(cuEGLStreamConsumerConnectWithFlags(&c, EGL_NO_STREAM_KHR, 0));
  SURVIVE(cuEGLStreamConsumerConnectWithFlags(&c, EGL_NO_STREAM_KHR, 77));
  SURVIVE(cuEGLStreamProducerConnect(nullptr, EGL_NO_STREAM_KHR, 64, 32));
  SURVIVE(cuEGLStreamProducerConnect(&c, EGL_NO_STREAM_KHR, 64, 32));
  SURVIVE(cuEGLStreamConsumerDisconnect(nullptr));
  SURVIVE(cuEGLStreamProducerDisconnect(nullptr));
  SURVIVE(cuEGLStreamConsumerAcquireFrame(nullptr, nullptr, nullptr, 0));
  SURVIVE(cuEGLStreamConsumerReleaseFrame(nullptr, r, nullptr));
  SURVIVE(cuEGLStreamProducerPresentFrame(nullptr, frame, nullptr));
  SURVIVE(cuEGLStreamProducerReturnFrame(nullptr, &frame, nullptr));
}
CASE(egl_stream_without_context) {
  PREPARE(cuInit(0));
  CUeglStreamConnection c = nullptr;
  SURVIVE(cuEGLStreamConsumerConnect(&c, EGL_NO_STREAM_KHR));
  SURVIVE(cuEGLStreamConsumerConnectWithFlags(&c, EGL_NO_STREAM_KHR, 0));
  SURVIVE(cuEGLStreamProducerConnect(&c, EGL_NO_STREAM_KHR, 64, 32));
  SURVIVE(cuEGLStreamConsumerDisconnect(nullptr));
}
CASE(egl_stream_garbage) {
  graphics::start();
  static uint64_t zeros[2048];
  CUeglStreamConnection c = nullptr;
  SURVIVE(cuEGLStreamConsumerConnect(&c, reinterpret_cast<EGLStreamKHR>(uintptr_t{9999})));
  SURVIVE(cuEGLStreamProducerConnect(&c, zeros, 64, 32));
}
CASE(egl_stream_unconnected) {
  graphics::start();
  CUeglStreamConnection c = nullptr;
  CUgraphicsResource r = nullptr;
  CUstream s = nullptr;
  SURVIVE(cuEGLStreamConsumerDisconnect(&c));
  SURVIVE(cuEGLStreamProducerDisconnect(&c));
  SURVIVE(cuEGLStreamConsumerAcquireFrame(&c, &r, &s, 0));
  SURVIVE(cuEGLStreamConsumerReleaseFrame(&c, r, &s));
  SURVIVE(cuEGLStreamProducerReturnFrame(&c, &frame, &s));
  SURVIVE(cuEGLStreamProducerPresentFrame(&c, frame, &s));
}

}  // namespace
