// SPDX-License-Identifier: Apache-2.0
// <nvml.h> with every exported name under its own name, so that a body with another signature does
// not compile. The names leave the library.
#pragma once

#pragma GCC visibility push(default)
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>
#pragma GCC visibility pop
