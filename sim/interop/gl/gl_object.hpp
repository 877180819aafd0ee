// SPDX-License-Identifier: Apache-2.0
// Object: one of OpenGL's objects, by its name.
//
// Threads: plain values.
#pragma once

#include <cstdint>

namespace cuvette::interop::gl {

// An object that the contexts of a group know under one name.
struct Object {
  enum class Kind : uint8_t { buffer, texture, renderbuffer };
  Kind kind;
  unsigned name;
  bool operator==(const Object&) const = default;
};

}  // namespace cuvette::interop::gl
