// SPDX-License-Identifier: Apache-2.0
#include "tests/api/driver/interop/gl/egl_context.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>

namespace {

template <typename Function>
Function function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

EGLDisplay display_of_gpu() {
  const auto list = function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto ask = function<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
  const auto get = function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  EGLDeviceEXT devices[16];
  EGLint count = 0;
  if (!list || !ask || !get || !list(16, devices, &count)) return EGL_NO_DISPLAY;
  for (int i = 0; i < count; ++i) {
    EGLAttrib number;
    if (!ask(devices[i], EGL_CUDA_DEVICE_NV, &number) || number != 0) continue;
    const EGLDisplay display = get(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
    if (eglInitialize(display, nullptr, nullptr)) return display;
  }
  return EGL_NO_DISPLAY;
}

EGLDisplay display_in_software() {
  const auto get = function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  if (!get) return EGL_NO_DISPLAY;
  const EGLDisplay display = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  return eglInitialize(display, nullptr, nullptr) ? display : EGL_NO_DISPLAY;
}

// One display for the whole process. It is never terminated, since that would end every context.
EGLDisplay display() {
  static const EGLDisplay display = [] {
    EGLDisplay found = display_of_gpu();
    if (found == EGL_NO_DISPLAY) found = display_in_software();
    need_gl(found != EGL_NO_DISPLAY, "EGL without a display");
    return found;
  }();
  return display;
}

// The bound API is a property of the thread.
void bind(EglContext::Api api) {
  eglBindAPI(api == EglContext::Api::gles ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
}

EGLContext create(EglContext::Api api, EGLContext share) {
  const EGLint gles[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
  const EGLint opengl[] = {EGL_CONTEXT_MAJOR_VERSION,
                           4,
                           EGL_CONTEXT_MINOR_VERSION,
                           5,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK,
                           api == EglContext::Api::compatibility
                               ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                               : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                           EGL_NONE};
  EGLDisplay on = display();
  bind(api);
  const EGLContext context =
      eglCreateContext(on, EGL_NO_CONFIG_KHR, share, api == EglContext::Api::gles ? gles : opengl);
  need_gl(context != EGL_NO_CONTEXT, api == EglContext::Api::gles ? "OpenGL ES 3.0" : "OpenGL 4.5");
  return context;
}

}  // namespace

EglContext::EglContext(Api api) : EglContext(api, create(api, EGL_NO_CONTEXT)) {}

EglContext::EglContext(Api api, void* context) : api_(api), context_(context) {}

EglContext::~EglContext() {
  if (is_current()) release();
  eglDestroyContext(display(), context_);
}

void EglContext::make_current() {
  bind(api_);
  need_gl(eglMakeCurrent(display(), EGL_NO_SURFACE, EGL_NO_SURFACE, context_),
          "way to make a context current without a surface");
}

void EglContext::release() {
  eglMakeCurrent(display(), EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

bool EglContext::is_current() const { return eglGetCurrentContext() == context_; }

std::unique_ptr<GlContext> EglContext::shared() {
  return std::unique_ptr<GlContext>(new EglContext(api_, create(api_, context_)));
}
