// SPDX-License-Identifier: Apache-2.0
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

std::vector<int> read_by_opengl(GLuint buffer, size_t count) {
  std::vector<int> numbers(count);
  glGetNamedBufferSubData(buffer, 0, count * sizeof(int), numbers.data());
  return numbers;
}

__global__ void fill(int* numbers, int count, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] = first + 3 * i;
}

#include EXERCISE

int main() {
  const OpenGL opengl;
  cudaStream_t frames, work;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&frames, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  const int count = 1000;
  const GLuint buffer = make_buffer(std::vector<int>(count));
  cudaGraphicsResource_t resource;
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
  int wrong = 0;
  for (const int first : {1, 5000, 20000}) {
    fill_by_cuda(resource, count, first, frames, work, event);
    const std::vector<int> seen = read_by_opengl(buffer, count);
    for (int i = 0; i < count; ++i) {
      const int expected = first + 3 * i;
      if (seen[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("from %d on, element %d: expected %d, OpenGL sees %d\n", first, i, expected,
                    seen[i]);
    }
  }
  CHECK(cudaGraphicsUnregisterResource(resource));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaStreamDestroy(frames));
  glDeleteBuffers(1, &buffer);
  if (wrong) return 1;
  std::printf("OpenGL has seen all numbers.\n");
}
