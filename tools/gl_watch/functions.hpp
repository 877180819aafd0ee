// SPDX-License-Identifier: Apache-2.0
// The functions that this library stands in for: those of calls.def, and those that find functions.
//
// A program may have several functions of one name, of libraries that know nothing of each other:
// what it is linked to, what a window library finds, what an emulation of OpenGL ES brings along.
// Each has a place of its own, with a stand-in that calls it.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cuvette::gl_watch {

enum Row : uint16_t {
#define GL_CALL(wanted, result, name, ...) row_gl##name,
#define GL_ALIAS(other, name)
#include "tools/gl_watch/calls.def"
#undef GL_CALL
#undef GL_ALIAS
  row_eglGetProcAddress,
  row_glXGetProcAddress,
  row_glXGetProcAddressARB,
  rows
};

inline constexpr size_t places = 4;
// What the program is linked to; the stand-in is the function that this library exports.
inline constexpr size_t linked = 0;

// What each stand-in calls; null as long as a place is free.
inline constinit std::atomic<void*> real_functions[rows][places] = {};
extern void* const stand_ins[rows][places];

// The function of this name, or of another name that it goes by; `rows` if it is none of ours.
Row find_row(const char* name);

// The stand-in for `real`, a function of this row: `real` itself if it is a stand-in, or if no
// place is left.
void* stand_in(Row row, void* real);

// What the code that returns to `caller` would have been linked to without this library. Ends the
// program, as the loader would, if there is no such function.
void* find_linked(Row row, const void* caller);

}  // namespace cuvette::gl_watch
