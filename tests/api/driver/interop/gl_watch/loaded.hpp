// SPDX-License-Identifier: Apache-2.0
// What a way to get at OpenGL gives to loaded.cpp: one file each defines it.
#pragma once

#include <memory>

#include "tests/api/driver/interop/gl/gl_context.hpp"

// A context of OpenGL 4.5, current in the calling thread.
std::unique_ptr<GlContext> open_gl();

// A function of OpenGL, by its name.
void* gl_function(const char* name);
