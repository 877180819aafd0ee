// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and free.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                     cudaMemAllocNodeParams* nodeParams) {
  return call([&] {
    return DRIVER(cuGraphAddMemAllocNode)(pGraphNode, graph, pDependencies, numDependencies,
                                          same_layout<CUDA_MEM_ALLOC_NODE_PARAMS>(nodeParams));
  });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* params_out) {
  return call([&] {
    return DRIVER(cuGraphMemAllocNodeGetParams)(
        node, same_layout<CUDA_MEM_ALLOC_NODE_PARAMS>(params_out));
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                    void* dptr) {
  return call([&] {
    return DRIVER(cuGraphAddMemFreeNode)(pGraphNode, graph, pDependencies, numDependencies,
                                         device_pointer(dptr));
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* dptr_out) {
  return call([&] {
    return DRIVER(cuGraphMemFreeNodeGetParams)(node, static_cast<CUdeviceptr*>(dptr_out));
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return call_with_driver([&] { return DRIVER(cuDeviceGraphMemTrim)(device); });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attr,
                                           void* value) {
  return call_with_driver([&] {
    return DRIVER(cuDeviceGetGraphMemAttribute)(device, static_cast<CUgraphMem_attribute>(attr),
                                                value);
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attr,
                                           void* value) {
  return call_with_driver([&] {
    return DRIVER(cuDeviceSetGraphMemAttribute)(device, static_cast<CUgraphMem_attribute>(attr),
                                                value);
  });
}
}
