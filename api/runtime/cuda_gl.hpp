// SPDX-License-Identifier: Apache-2.0
// The headers for OpenGL of both APIs; what the runtime's declares leaves the library.
#pragma once

#include "api/runtime/cuda_runtime.hpp"

#include <cudaGL.h>

#pragma GCC visibility push(default)
#include <cuda_gl_interop.h>
#pragma GCC visibility pop
