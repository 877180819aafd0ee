// SPDX-License-Identifier: Apache-2.0
// What loaded.cpp needs to reach OpenGL; one file for each way defines it.
#pragma once

#include <memory>

#include "tests/api/driver/interop/gl/gl_context.hpp"

// Opens an OpenGL 4.5 context and makes it current in the calling thread.
std::unique_ptr<GlContext> open_gl();

// Finds a function of OpenGL by its name.
void* gl_function(const char* name);
