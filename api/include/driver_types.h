// SPDX-License-Identifier: Apache-2.0
// Types of the runtime API: error codes, handles, structs, enumerations and flags.
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__

#include "cuvette/runtime/array_types.h"
#include "cuvette/runtime/code_types.h"
#include "cuvette/runtime/device_property_types.h"
#include "cuvette/runtime/entry_point_types.h"
#include "cuvette/runtime/error_types.h"
#include "cuvette/runtime/external_resource_types.h"
#include "cuvette/runtime/function_types.h"
#include "cuvette/runtime/graph_node_types.h"
#include "cuvette/runtime/graph_types.h"
#include "cuvette/runtime/graphics_types.h"
#include "cuvette/runtime/handle_types.h"
#include "cuvette/runtime/interprocess_types.h"
#include "cuvette/runtime/launch_types.h"
#include "cuvette/runtime/log_types.h"
#include "cuvette/runtime/memory_copy_types.h"
#include "cuvette/runtime/memory_pool_types.h"
#include "cuvette/runtime/memory_types.h"
#include "cuvette/runtime/resource_types.h"
#include "cuvette/runtime/stream_types.h"
#include "vector_types.h"

#endif
