// SPDX-License-Identifier: Apache-2.0
// The table of the runtime's functions as data. Constants only: nothing here runs or is linked, so
// a tool can use it without the library. Invariant: the functions are in the order of
// functions.def.
#pragma once

#include <cstdint>

#include "api/runtime/abi.hpp"

namespace cuvette::runtime {

enum class Support : std::uint8_t { none, partial, full };

// Reasons that many rows share.
inline constexpr const char* no_egl_streams =
    "Needs EGLStreams, which the EGL of software OpenGL lacks.";
inline constexpr const char* no_vdpau =
    "No VDPAU device is a CUDA device: an error, as on a driver without VDPAU.";

// A line of functions.def: a function, or, without a name, the title of a section.
struct Line {
  const char* name;
  const char* text;  // a function's reason, empty where it works; a section's title
  Support support;
};

// clang-format off
inline constexpr Line lines[] = {
#define SECTION(title, file) {nullptr, title, Support::none},
#define FULL(name, abi) CUVETTE_ROW_##abi({#name, "", Support::full},)
#define PARTIAL(name, abi, reason) CUVETTE_ROW_##abi({#name, reason, Support::partial},)
#define NONE(name, abi, reason) CUVETTE_ROW_##abi({#name, reason, Support::none},)
#include "api/runtime/functions.def"
};
// clang-format on

}  // namespace cuvette::runtime
