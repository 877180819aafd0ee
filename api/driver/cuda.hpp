// SPDX-License-Identifier: Apache-2.0
// <cuda.h> as the driver's own files see it: every symbol is declared under its own name, and
// exported.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop
