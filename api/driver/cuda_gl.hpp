// SPDX-License-Identifier: Apache-2.0
// <cudaGL.h> as the driver's own files see it: every symbol is declared under its own name,
// and exported.
#pragma once

#include "api/driver/cuda.hpp"
#pragma GCC visibility push(default)
#include <cudaGL.h>
#pragma GCC visibility pop
