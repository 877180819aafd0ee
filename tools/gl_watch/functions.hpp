// SPDX-License-Identifier: Apache-2.0
// The functions that this library replaces: the functions of calls.def and context_calls.def, and
// the functions that look up others.
//
// A program may have several functions of one name, of libraries that know nothing of each other:
// what it is linked to, what a window library finds, what an emulation of OpenGL ES brings along.
// Each has its own place, with a stand-in that calls it.
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
#define CREATES(name, ...) row_##name,
#define ENTERS(result, name, ...) row_##name,
#define ENDS(result, name, ...) row_##name,
#include "tools/gl_watch/context_calls.def"
#undef CREATES
#undef ENTERS
#undef ENDS
  row_eglGetProcAddress,
  row_glXGetProcAddress,
  row_glXGetProcAddressARB,
  rows
};

inline constexpr size_t places = 4;
// The functions that the program is linked to; their stand-ins are what this library exports.
inline constexpr size_t linked = 0;

// The functions that the stand-ins call; null while a place is free.
inline constinit std::atomic<void*> real_functions[rows][places] = {};
extern void* const stand_ins[rows][places];

// Returns the function that has this name or alias; `rows` if it is none of ours.
Row find_row(const char* name);

// Returns the stand-in for `real`, a function of this row; `real` itself if it is a stand-in, or
// if no place is left.
void* stand_in(Row row, void* real);

// Returns the function that the code at `caller` would have been linked to without this library.
// Ends the program, as the loader would, if it does not exist.
void* find_linked(Row row, const void* caller);

}  // namespace cuvette::gl_watch
