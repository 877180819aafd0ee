// SPDX-License-Identifier: Apache-2.0
// Finds functions by dlsym, in a library loaded for that (HANDLE) or in everything loaded.
#include <dlfcn.h>

#include "tests/api/driver/interop/gl/egl_context.hpp"
#include "tests/api/driver/interop/gl_watch/loaded.hpp"

namespace {

void* library = nullptr;

}  // namespace

std::unique_ptr<GlContext> open_gl() {
#ifdef HANDLE
  library = dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
#else
  // Functions of a library loaded with RTLD_GLOBAL are found without a handle, too.
  library = dlopen("libGL.so.1", RTLD_LAZY | RTLD_GLOBAL) ? RTLD_DEFAULT : nullptr;
  need_gl(dlsym(RTLD_DEFAULT, "glDrawArrays"), "OpenGL");
#endif
  auto context = std::make_unique<EglContext>(EglContext::Api::compatibility);
  context->make_current();
  return context;
}

void* gl_function(const char* name) {
  static_cast<void>(dlerror());
  void* const found = dlsym(library, name);
  need_gl(!dlerror(), name);
  return found;
}
