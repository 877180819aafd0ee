// SPDX-License-Identifier: Apache-2.0
// What a window system gives to the tests that are the same for all: one file each defines it.
#pragma once

#include "tests/api/driver/interop/gl/gl_context.hpp"

// A context of its own, current nowhere.
std::unique_ptr<GlContext> open_window_system();
