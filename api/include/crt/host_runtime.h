// SPDX-License-Identifier: Apache-2.0
// The functions that a compiler's host code calls, under the name that compilers include.
#ifndef CUVETTE_HOST_RUNTIME_H
#define CUVETTE_HOST_RUNTIME_H

#include "../cuvette/runtime/launch_abi.h"

#endif
