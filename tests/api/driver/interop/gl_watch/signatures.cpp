// SPDX-License-Identifier: Apache-2.0
// The table of watched functions has the same signatures as OpenGL's headers.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <type_traits>

#define GL_CALL(wanted, result, name, parameters, ...) \
  static_assert(std::is_same_v<decltype(gl##name), result parameters>);
#define GL_ALIAS(other, name)
#include "tools/gl_watch/calls.def"
