// SPDX-License-Identifier: Apache-2.0
// EGL's objects for devices: images, and syncs.
//
// Threads: any.
#pragma once

#include "sim/base/error.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::interop {

// Registers an EGLImage, which the current OpenGL context copies. Its frame is one array. Errors:
// invalid_graphics_context without an OpenGL context, unknown if it is not an image, not_supported
// for a format that CUDA does not take or an OpenGL before 4.5.
Result<Ref<GraphicsResource>> register_egl_image(void* image, MapFlags flags,
                                                 const memory::Requester& requester);

// Returns once EGLSync `sync` is signalled. Errors: invalid_value if it is not a sync of the
// current display, not_supported if it is not a fence, because it is not known when it will be
// signalled.
Result<> wait_for_egl_sync(void* sync);

}  // namespace cuvette::interop
