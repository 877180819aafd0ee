// SPDX-License-Identifier: Apache-2.0
// The program loads a plugin that is linked to OpenGL, invisibly to all others.
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
