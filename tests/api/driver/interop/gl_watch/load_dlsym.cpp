// SPDX-License-Identifier: Apache-2.0
// dlsym, in a library that was loaded for it (HANDLE), or in all that is loaded.
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
  // Behind a handle or not, the functions of a library that is loaded for all are found.
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
