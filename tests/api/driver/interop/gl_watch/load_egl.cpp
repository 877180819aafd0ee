// SPDX-License-Identifier: Apache-2.0
// Finds functions by eglGetProcAddress, which is linked.
#include <EGL/egl.h>

#include "tests/api/driver/interop/gl/egl_context.hpp"
#include "tests/api/driver/interop/gl_watch/loaded.hpp"

std::unique_ptr<GlContext> open_gl() {
  auto context = std::make_unique<EglContext>(EglContext::Api::compatibility);
  context->make_current();
  return context;
}

void* gl_function(const char* name) { return reinterpret_cast<void*>(eglGetProcAddress(name)); }
