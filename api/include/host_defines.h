// SPDX-License-Identifier: Apache-2.0
// The keywords of CUDA C++ for the compiler. Kept for programs that include it by this name.
#ifndef CUVETTE_HOST_DEFINES_H
#define CUVETTE_HOST_DEFINES_H

#include "crt/host_defines.h"

#endif
