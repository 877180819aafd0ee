// SPDX-License-Identifier: Apache-2.0
// The edge of a graph. Streams name it too: a stream that is being captured is a graph in the
// making.
//
// Reference: CUDA Driver API, "Graph Management".
#pragma once

#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// The ports of a kernel node from which an edge can start: when the kernel has completed, when its
// blocks have triggered, when its blocks have started.
#define CU_GRAPH_KERNEL_NODE_PORT_DEFAULT 0
#define CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC 1
#define CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER 2

typedef enum CUgraphDependencyType_enum {
  CU_GRAPH_DEPENDENCY_TYPE_DEFAULT = 0,
  CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
} CUgraphDependencyType;

// The ports at which an edge starts and ends, and its CUgraphDependencyType. An ordinary edge is
// all zero.
typedef struct CUgraphEdgeData_st {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
} CUgraphEdgeData;

#ifdef __cplusplus
}
#endif
