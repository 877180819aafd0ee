// SPDX-License-Identifier: Apache-2.0
// A plugin of this program is linked to OpenGL, and nobody else can see what it is linked to.
#include <dlfcn.h>

#include "tests/api/driver/interop/gl/egl_context.hpp"
#include "tests/api/driver/interop/gl_watch/loaded.hpp"

std::unique_ptr<GlContext> open_gl() {
  auto context = std::make_unique<EglContext>(EglContext::Api::compatibility);
  context->make_current();
  return context;
}

void* gl_function(const char* name) {
  static void* const plugin = dlopen(PLUGIN, RTLD_LAZY | RTLD_LOCAL);
  need_gl(plugin, "plugin");
  const auto find = reinterpret_cast<void* (*)(const char*)>(dlsym(plugin, "plugin_function"));
  return find(name);
}
