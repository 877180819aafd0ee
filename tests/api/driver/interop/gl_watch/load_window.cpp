// SPDX-License-Identifier: Apache-2.0
// Finds functions by the window system's own function, whose name is GET_PROC_ADDRESS.
#if defined(WITH_GLX)
#include <GL/glx.h>
#elif defined(WITH_GLFW)
#include <GLFW/glfw3.h>
#else
#include <SDL.h>
#endif

#include "tests/api/driver/interop/gl/window_system.hpp"
#include "tests/api/driver/interop/gl_watch/loaded.hpp"

std::unique_ptr<GlContext> open_gl() {
  auto context = open_window_system();
  context->make_current();
  return context;
}

void* gl_function(const char* name) {
#if defined(WITH_GLX)
  return reinterpret_cast<void*>(glXGetProcAddressARB(reinterpret_cast<const GLubyte*>(name)));
#elif defined(WITH_GLFW)
  return reinterpret_cast<void*>(glfwGetProcAddress(name));
#else
  return SDL_GL_GetProcAddress(name);
#endif
}
