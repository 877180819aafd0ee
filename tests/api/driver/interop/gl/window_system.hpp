// SPDX-License-Identifier: Apache-2.0
// What each window system provides to the tests that all of them share; one file each defines it.
#pragma once

#include "tests/api/driver/interop/gl/gl_context.hpp"

// Opens a new context, which is not current.
std::unique_ptr<GlContext> open_window_system();
