// SPDX-License-Identifier: Apache-2.0
// OpenGL's buffers and images as graphics resources.
//
// Reference: CUDA Runtime API, "OpenGL Interoperability".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_gl.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGLGetDevices(unsigned int* pCudaDeviceCount, int* pCudaDevices,
                             unsigned int cudaDeviceCount, cudaGLDeviceList deviceList) {
  return call_with_driver([&] {
    return DRIVER(cuGLGetDevices)(pCudaDeviceCount, pCudaDevices, cudaDeviceCount,
                                  static_cast<CUGLDeviceList>(deviceList));
  });
}

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource** resource, GLuint buffer,
                                         unsigned int flags) {
  return call([&] {
    return DRIVER(cuGraphicsGLRegisterBuffer)(same_layout<CUgraphicsResource>(resource), buffer,
                                              flags);
  });
}

cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource** resource, GLuint image,
                                        GLenum target, unsigned int flags) {
  return call([&] {
    return DRIVER(cuGraphicsGLRegisterImage)(same_layout<CUgraphicsResource>(resource), image,
                                             target, flags);
  });
}

// Every device works with every OpenGL, so there is nothing to set up.
cudaError_t cudaGLSetGLDevice(int device) {
  return call_alone([&] { return choose_device(device); });
}

cudaError_t cudaGLRegisterBufferObject(GLuint bufObj) {
  return call([&] { return DRIVER(cuGLRegisterBufferObject)(bufObj); });
}

cudaError_t cudaGLUnregisterBufferObject(GLuint bufObj) {
  return call([&] { return DRIVER(cuGLUnregisterBufferObject)(bufObj); });
}

cudaError_t cudaGLSetBufferObjectMapFlags(GLuint bufObj, unsigned int flags) {
  return call([&] { return DRIVER(cuGLSetBufferObjectMapFlags)(bufObj, flags); });
}

cudaError_t cudaGLMapBufferObject(void** devPtr, GLuint bufObj) {
  return call([&]() -> Status {
    size_t bytes = 0;
    return DRIVER_ON_NULL_STREAM(cuGLMapBufferObject)(device_pointer(devPtr), &bytes, bufObj);
  });
}

cudaError_t cudaGLMapBufferObjectAsync(void** devPtr, GLuint bufObj, cudaStream_t stream) {
  return call([&]() -> Status {
    size_t bytes = 0;
    return DRIVER(cuGLMapBufferObjectAsync)(device_pointer(devPtr), &bytes, bufObj,
                                            driver_stream(stream));
  });
}

cudaError_t cudaGLUnmapBufferObject(GLuint bufObj) {
  return call([&] { return DRIVER(cuGLUnmapBufferObject)(bufObj); });
}

cudaError_t cudaGLUnmapBufferObjectAsync(GLuint bufObj, cudaStream_t stream) {
  return call([&] { return DRIVER(cuGLUnmapBufferObjectAsync)(bufObj, driver_stream(stream)); });
}
}
