// SPDX-License-Identifier: Apache-2.0
#define EGL_NO_X11
#include <EGL/egl.h>

#include "sim/interop/egl/egl.hpp"
#include "sim/os/library.hpp"

namespace cuvette::interop {
namespace {

template <typename Function>
Function find_function(const char* name) {
  return reinterpret_cast<Function>(os::find_loaded("libEGL.so.1", name));
}

}  // namespace

Result<> wait_for_egl_sync(void* sync) {
  const auto display_of = find_function<PFNEGLGETCURRENTDISPLAYPROC>("eglGetCurrentDisplay");
  const auto attribute = find_function<PFNEGLGETSYNCATTRIBPROC>("eglGetSyncAttrib");
  const auto wait = find_function<PFNEGLCLIENTWAITSYNCPROC>("eglClientWaitSync");
  const EGLDisplay display = display_of ? display_of() : EGL_NO_DISPLAY;
  if (!attribute || !wait || display == EGL_NO_DISPLAY)
    return refuse(Error::invalid_graphics_context,
                  "No OpenGL context of EGL is current in this thread.");
  EGLAttrib type = 0;
  if (!sync || attribute(display, sync, EGL_SYNC_TYPE, &type) != EGL_TRUE)
    return refuse(Error::invalid_value, "%p is not an EGLSync of the current display.", sync);
  if (type != EGL_SYNC_FENCE)
    return refuse(Error::not_supported, "An EGLSync that is not a fence cannot become an event.");
  if (wait(display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT, EGL_FOREVER) != EGL_CONDITION_SATISFIED)
    return refuse(Error::unknown, "EGL failed to wait for sync %p.", sync);
  return {};
}

}  // namespace cuvette::interop
