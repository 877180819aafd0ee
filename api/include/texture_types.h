// SPDX-License-Identifier: Apache-2.0
// Types of texture objects.
#ifndef __TEXTURE_TYPES_H__
#define __TEXTURE_TYPES_H__

#include "cuvette/runtime/texture.h"
#include "driver_types.h"

#endif
