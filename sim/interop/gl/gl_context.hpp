// SPDX-License-Identifier: Apache-2.0
// The OpenGL context of the calling thread, and OpenGL's functions: found in what the program has
// loaded, through EGL or GLX, with no link dependency on either.
//
// Threads: any; a context is current in one thread at a time.
#pragma once

#include <GL/glcorearb.h>

#include <cstdint>
#include <optional>

namespace cuvette::interop::gl {

struct Functions {
#define GL_FUNCTION(name, type) PFNGL##type##PROC name = nullptr;
#include "sim/interop/gl/gl_functions.def"
#undef GL_FUNCTION
  void(APIENTRYP PixelTransferf)(GLenum name, GLfloat value) = nullptr;  // not in the core profile
};

enum class WindowSystem : uint8_t { egl, glx };

// The handles that make a context current: its handle, its display and its drawables.
struct CurrentContext {
  WindowSystem system;
  void* display;
  void* context;
  uintptr_t draw, read;

  // Whether it is the same context, whatever it draws to.
  bool is(const CurrentContext& other) const {
    return system == other.system && display == other.display && context == other.context;
  }

  // Makes it current in the calling thread. False if it is current in another thread, or destroyed;
  // what was current may then no longer be.
  bool make_current() const;
  // False if it has been destroyed, as far as the window system tells: EGL knows its handles, but a
  // new context may have the handle of an old one; GLX cannot be asked.
  bool exists() const;
};

// Returns the calling thread's context, if it has one.
std::optional<CurrentContext> current_context();

// Returns that context's handle, if `system` has made it current.
void* current_handle(WindowSystem system);

// Returns OpenGL's functions as `system` has them; they are found once.
const Functions& functions(WindowSystem system);

// Returns a function of an extension, as `system` has it; null if there is none.
void* function(WindowSystem system, const char* name);

}  // namespace cuvette::interop::gl
