// SPDX-License-Identifier: Apache-2.0
// A buffer of OpenGL grows. What does Cuvette report?
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <cuda_gl_interop.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

// OpenGL without a window.
class OpenGL {
 public:
  OpenGL() {
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
    display_ = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (!eglInitialize(display_, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API)) fail();
    context_ = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) fail();
  }
  ~OpenGL() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
  }

 private:
  static void fail() {
    std::printf("OpenGL 4.5 is not here.\n");
    std::exit(1);
  }
  EGLDisplay display_;
  EGLContext context_;
};

// A buffer of OpenGL with `count` numbers.
GLuint make_buffer(const std::vector<int>& numbers) {
  GLuint buffer;
  glCreateBuffers(1, &buffer);
  glNamedBufferData(buffer, numbers.size() * sizeof(int), numbers.data(), GL_DYNAMIC_DRAW);
  return buffer;
}

__global__ void fill(int* numbers, size_t count) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] = 7 * i;
}

// Returns how many numbers CUDA has written, or 0 if it cannot have the buffer.
size_t fill_by_cuda(cudaGraphicsResource_t resource) {
  int* numbers;
  size_t bytes;
  if (cudaGraphicsMapResources(1, &resource, nullptr) != cudaSuccess) return 0;
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  const size_t count = bytes / sizeof(int);
  fill<<<8, 128>>>(numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaGraphicsUnmapResources(1, &resource, nullptr));
  return count;
}

int main() {
  const OpenGL opengl;
  const GLuint buffer = make_buffer(std::vector<int>(100));
  cudaGraphicsResource_t resource;
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
  std::printf("first: %zu numbers\n", fill_by_cuda(resource));

  glNamedBufferData(buffer, 1000 * sizeof(int), nullptr, GL_DYNAMIC_DRAW);
  std::printf("then: %zu numbers\n", fill_by_cuda(resource));

  CHECK(cudaGraphicsUnregisterResource(resource));
  glDeleteBuffers(1, &buffer);
}
