// SPDX-License-Identifier: Apache-2.0
// Types of surface objects.
#ifndef __SURFACE_TYPES_H__
#define __SURFACE_TYPES_H__

#include "cuvette/runtime/surface.h"
#include "driver_types.h"

#endif
