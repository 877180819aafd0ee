// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: their kinds and parameters.
//
// Reference: CUDA Runtime API, "Graph Management".
#pragma once

#include "external_resource_types.h"
#include "handle_types.h"
#include "memory_copy_types.h"
#include "memory_pool_types.h"
#include "memory_types.h"
#include "platform.h"
#include "stream_types.h"
#include "vector.h"

// The kinds of nodes.
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0x00,
  cudaGraphNodeTypeMemcpy = 0x01,
  cudaGraphNodeTypeMemset = 0x02,
  cudaGraphNodeTypeHost = 0x03,
  cudaGraphNodeTypeGraph = 0x04,
  cudaGraphNodeTypeEmpty = 0x05,
  cudaGraphNodeTypeWaitEvent = 0x06,
  cudaGraphNodeTypeEventRecord = 0x07,
  cudaGraphNodeTypeExtSemaphoreSignal = 0x08,
  cudaGraphNodeTypeExtSemaphoreWait = 0x09,
  cudaGraphNodeTypeMemAlloc = 0x0a,
  cudaGraphNodeTypeMemFree = 0x0b,
  cudaGraphNodeTypeConditional = 0x0d,
  cudaGraphNodeTypeCount,
};

// A launch. kernelParams points to pointers to the arguments; extra is the other way to pass them,
// and one of both is null.
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};

// As cudaKernelNodeParams, in cudaGraphNodeParams.
struct cudaKernelNodeParamsV2 {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};

// A host function.
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};

// As cudaHostNodeParams, in cudaGraphNodeParams.
struct cudaHostNodeParamsV2 {
  cudaHostFn_t fn;
  void* userData;
};

// An event to record.
struct cudaEventRecordNodeParams {
  cudaEvent_t event;
};

// An event to wait for.
struct cudaEventWaitNodeParams {
  cudaEvent_t event;
};

// Semaphores to signal.
struct cudaExternalSemaphoreSignalNodeParams {
  cudaExternalSemaphore_t* extSemArray;
  const struct cudaExternalSemaphoreSignalParams* paramsArray;
  unsigned int numExtSems;
};

// As cudaExternalSemaphoreSignalNodeParams, in cudaGraphNodeParams.
struct cudaExternalSemaphoreSignalNodeParamsV2 {
  cudaExternalSemaphore_t* extSemArray;
  const struct cudaExternalSemaphoreSignalParams* paramsArray;
  unsigned int numExtSems;
};

// Semaphores to wait for.
struct cudaExternalSemaphoreWaitNodeParams {
  cudaExternalSemaphore_t* extSemArray;
  const struct cudaExternalSemaphoreWaitParams* paramsArray;
  unsigned int numExtSems;
};

// As cudaExternalSemaphoreWaitNodeParams, in cudaGraphNodeParams.
struct cudaExternalSemaphoreWaitNodeParamsV2 {
  cudaExternalSemaphore_t* extSemArray;
  const struct cudaExternalSemaphoreWaitParams* paramsArray;
  unsigned int numExtSems;
};

// An allocation of bytesize bytes; dptr is written.
struct cudaMemAllocNodeParams {
  struct cudaMemPoolProps poolProps;
  const struct cudaMemAccessDesc* accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  void* dptr;
};

// As cudaMemAllocNodeParams, in cudaGraphNodeParams.
struct cudaMemAllocNodeParamsV2 {
  struct cudaMemPoolProps poolProps;
  const struct cudaMemAccessDesc* accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  void* dptr;
};

// The address to free.
struct cudaMemFreeNodeParams {
  void* dptr;
};

// Whether a child graph is copied, or the caller's own, which is moved.
enum cudaGraphChildGraphNodeOwnership {
  cudaGraphChildGraphOwnershipClone = 0,
  cudaGraphChildGraphOwnershipMove = 1,
};

// A graph in a node.
struct cudaChildGraphNodeParams {
  cudaGraph_t graph;
  enum cudaGraphChildGraphNodeOwnership ownership;
};

// Each launch begins with the default value.
enum cudaGraphConditionalHandleFlags {
  cudaGraphCondAssignDefault = 1,
};

// The body runs once if the value is not 0, again and again while it is not 0, or the body of that
// number runs.
enum cudaGraphConditionalNodeType {
  cudaGraphCondTypeIf = 0,
  cudaGraphCondTypeWhile = 1,
  cudaGraphCondTypeSwitch = 2,
};

// A condition and its bodies.
struct cudaConditionalNodeParams {
  cudaGraphConditionalHandle handle;
  enum cudaGraphConditionalNodeType type;
  // The number of bodies: 1 or 2 of an if, 1 of a while.
  unsigned int size;
  // Points to the bodies, empty graphs that the library made.
  cudaGraph_t* phGraph_out;
};

// The parameters of a node of any kind. Reserved fields must be 0.
struct cudaGraphNodeParams {
  enum cudaGraphNodeType type;
  int reserved0[3];
  CUVETTE_EXTENSION union {
    long long reserved1[29];
    struct cudaKernelNodeParamsV2 kernel;
    struct cudaMemcpyNodeParams memcpy;
    struct cudaMemsetParamsV2 memset;
    struct cudaHostNodeParamsV2 host;
    struct cudaChildGraphNodeParams graph;
    struct cudaEventWaitNodeParams eventWait;
    struct cudaEventRecordNodeParams eventRecord;
    struct cudaExternalSemaphoreSignalNodeParamsV2 extSemSignal;
    struct cudaExternalSemaphoreWaitNodeParamsV2 extSemWait;
    struct cudaMemAllocNodeParamsV2 alloc;
    struct cudaMemFreeNodeParams free;
    struct cudaConditionalNodeParams conditional;
  };
  long long reserved2;
};
