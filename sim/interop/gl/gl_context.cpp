// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/gl_context.hpp"

#define EGL_NO_X11
#include <EGL/egl.h>

#include <atomic>

#include "sim/base/mutex.hpp"
#include "sim/os/library.hpp"

namespace cuvette::interop::gl {
namespace {

// A function of a library that the program may load at any time; it is looked up until it is found.
template <typename Type>
class Loaded {
 public:
  constexpr Loaded(const char* library, const char* other, const char* symbol)
      : library_(library), other_(other), symbol_(symbol) {}

  Type get() {
    Type function = function_.load(std::memory_order_acquire);
    if (function) [[likely]]
      return function;
    void* address = os::find_loaded(library_, symbol_);
    if (!address && other_) address = os::find_loaded(other_, symbol_);
    function = reinterpret_cast<Type>(address);
    function_.store(function, std::memory_order_release);
    return function;
  }

 private:
  const char* const library_;
  const char* const other_;  // where it is instead
  const char* const symbol_;
  std::atomic<Type> function_{nullptr};
};

// --- EGL ---
#define EGL_FUNCTION(name, type) \
  constinit Loaded<PFNEGL##type##PROC> egl_##name("libEGL.so.1", nullptr, "egl" #name)
EGL_FUNCTION(GetCurrentContext, GETCURRENTCONTEXT);
EGL_FUNCTION(GetCurrentDisplay, GETCURRENTDISPLAY);
EGL_FUNCTION(GetCurrentSurface, GETCURRENTSURFACE);
EGL_FUNCTION(GetProcAddress, GETPROCADDRESS);
EGL_FUNCTION(MakeCurrent, MAKECURRENT);
EGL_FUNCTION(QueryContext, QUERYCONTEXT);
#undef EGL_FUNCTION

std::optional<CurrentContext> current_of_egl() {
  const auto get = egl_GetCurrentContext.get();
  if (!get) return std::nullopt;
  void* const context = get();
  if (context == EGL_NO_CONTEXT) return std::nullopt;
  const auto surface = egl_GetCurrentSurface.get();
  return CurrentContext{WindowSystem::egl, egl_GetCurrentDisplay.get()(), context,
                        reinterpret_cast<uintptr_t>(surface(EGL_DRAW)),
                        reinterpret_cast<uintptr_t>(surface(EGL_READ))};
}

// --- GLX: its types are Xlib's; those headers are not needed for four calls ---
using XDrawable = unsigned long;
struct XError;
using XErrorHandler = int (*)(void* display, XError*);
#define GLX_FUNCTION(name, ...) \
  constinit Loaded<__VA_ARGS__> glx_##name("libGLX.so.0", "libGL.so.1", "glX" #name)
GLX_FUNCTION(GetCurrentContext, void* (*)());
GLX_FUNCTION(GetCurrentDisplay, void* (*)());
GLX_FUNCTION(GetCurrentDrawable, XDrawable (*)());
GLX_FUNCTION(GetCurrentReadDrawable, XDrawable (*)());
GLX_FUNCTION(GetProcAddressARB, void* (*(*)(const GLubyte*))());
GLX_FUNCTION(MakeContextCurrent, int (*)(void*, XDrawable, XDrawable, void*));
#undef GLX_FUNCTION
constinit Loaded<XErrorHandler (*)(XErrorHandler)> set_x_error_handler("libX11.so.6", nullptr,
                                                                       "XSetErrorHandler");
constinit Loaded<int (*)(void*, int)> x_sync("libX11.so.6", nullptr, "XSync");

std::optional<CurrentContext> current_of_glx() {
  const auto get = glx_GetCurrentContext.get();
  if (!get) return std::nullopt;
  void* const context = get();
  if (!context) return std::nullopt;
  return CurrentContext{WindowSystem::glx, glx_GetCurrentDisplay.get()(), context,
                        glx_GetCurrentDrawable.get()(), glx_GetCurrentReadDrawable.get()()};
}

std::atomic<bool> x_error{false};
int note_x_error(void*, XError*) {
  x_error.store(true, std::memory_order_relaxed);
  return 0;
}

// A context that is current in another thread, or a drawable that is gone, is an X error, for which
// the usual handler ends the program; so ours replaces it meanwhile.
bool make_current_of_glx(void* display, XDrawable draw, XDrawable read, void* context) {
  static constinit Mutex mutex;
  MutexLock lock(mutex);
  const auto set_handler = set_x_error_handler.get();
  const auto sync = x_sync.get();
  if (!set_handler || !sync) return glx_MakeContextCurrent.get()(display, draw, read, context) != 0;
  sync(display, 0);
  x_error.store(false, std::memory_order_relaxed);
  const XErrorHandler handler = set_handler(note_x_error);
  const bool made = glx_MakeContextCurrent.get()(display, draw, read, context) != 0;
  sync(display, 0);
  set_handler(handler);
  return made && !x_error.load(std::memory_order_relaxed);
}

Functions load_functions(WindowSystem system) {
  Functions functions;
#define GL_FUNCTION(name, type) \
  functions.name = reinterpret_cast<PFNGL##type##PROC>(function(system, "gl" #name));
#include "sim/interop/gl/gl_functions.def"
#undef GL_FUNCTION
  functions.PixelTransferf =
      reinterpret_cast<decltype(functions.PixelTransferf)>(function(system, "glPixelTransferf"));
  return functions;
}

}  // namespace

bool CurrentContext::make_current() const {
  switch (system) {
    case WindowSystem::egl:
      return egl_MakeCurrent.get()(display, reinterpret_cast<EGLSurface>(draw),
                                   reinterpret_cast<EGLSurface>(read), context) == EGL_TRUE;
    case WindowSystem::glx:
      return make_current_of_glx(display, draw, read, context);
  }
  return false;
}

bool CurrentContext::exists() const {
  if (system != WindowSystem::egl) return true;
  const auto query = egl_QueryContext.get();
  EGLint type = 0;
  return !query || query(display, context, EGL_CONTEXT_CLIENT_TYPE, &type) == EGL_TRUE;
}

std::optional<CurrentContext> current_context() {
  if (auto context = current_of_egl()) return context;
  return current_of_glx();
}

void* function(WindowSystem system, const char* name) {
  switch (system) {
    case WindowSystem::egl:
      return reinterpret_cast<void*>(egl_GetProcAddress.get()(name));
    case WindowSystem::glx:
      return reinterpret_cast<void*>(
          glx_GetProcAddressARB.get()(reinterpret_cast<const GLubyte*>(name)));
  }
  return nullptr;
}

void* current_handle(WindowSystem system) {
  const auto get =
      system == WindowSystem::egl ? egl_GetCurrentContext.get() : glx_GetCurrentContext.get();
  return get ? get() : nullptr;
}

const Functions& functions(WindowSystem system) {
  if (system == WindowSystem::egl) {
    static const Functions of_egl = load_functions(WindowSystem::egl);
    return of_egl;
  }
  static const Functions of_glx = load_functions(WindowSystem::glx);
  return of_glx;
}

}  // namespace cuvette::interop::gl
