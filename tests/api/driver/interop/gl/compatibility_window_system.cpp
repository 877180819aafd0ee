// SPDX-License-Identifier: Apache-2.0
#include "tests/api/driver/interop/gl/egl_context.hpp"
#include "tests/api/driver/interop/gl/window_system.hpp"

std::unique_ptr<GlContext> open_window_system() {
  return std::make_unique<EglContext>(EglContext::Api::compatibility);
}
