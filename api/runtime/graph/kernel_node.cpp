// SPDX-License-Identifier: Apache-2.0
// Kernels as nodes of graphs.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

namespace {
Status describe_kernel(const cudaKernelNodeParams& from, CUDA_KERNEL_NODE_PARAMS* to) {
  *to = {};
  CHECK(find_kernel(from.func, &to->kern));
  to->gridDimX = from.gridDim.x;
  to->gridDimY = from.gridDim.y;
  to->gridDimZ = from.gridDim.z;
  to->blockDimX = from.blockDim.x;
  to->blockDimY = from.blockDim.y;
  to->blockDimZ = from.blockDim.z;
  to->sharedMemBytes = from.sharedMemBytes;
  to->kernelParams = from.kernelParams;
  to->extra = from.extra;
  return {};
}
}  // namespace

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaKernelNodeParams* pNodeParams) {
  return call([&]() -> Status {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CUDA_KERNEL_NODE_PARAMS parameters;
    CHECK(describe_kernel(*pNodeParams, &parameters));
    return DRIVER(cuGraphAddKernelNode)(pGraphNode, graph, pDependencies, numDependencies,
                                        &parameters);
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* pNodeParams) {
  return call([&]() -> Status {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CUDA_KERNEL_NODE_PARAMS parameters{};
    CHECK(DRIVER(cuGraphKernelNodeGetParams)(node, &parameters));
    *pNodeParams = {};
    pNodeParams->func = host_address(parameters.func, parameters.kern);
    pNodeParams->gridDim = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ};
    pNodeParams->blockDim = {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ};
    pNodeParams->sharedMemBytes = parameters.sharedMemBytes;
    pNodeParams->kernelParams = parameters.kernelParams;
    pNodeParams->extra = parameters.extra;
    return {};
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* pNodeParams) {
  return call([&]() -> Status {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CUDA_KERNEL_NODE_PARAMS parameters;
    CHECK(describe_kernel(*pNodeParams, &parameters));
    return DRIVER(cuGraphKernelNodeSetParams)(node, &parameters);
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* pNodeParams) {
  return call([&]() -> Status {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CUDA_KERNEL_NODE_PARAMS parameters;
    CHECK(describe_kernel(*pNodeParams, &parameters));
    return DRIVER(cuGraphExecKernelNodeSetParams)(hGraphExec, node, &parameters);
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
  return call([&] { return DRIVER(cuGraphKernelNodeCopyAttributes)(hDst, hSrc); });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue* value_out) {
  return call([&] {
    return DRIVER(cuGraphKernelNodeGetAttribute)(hNode, static_cast<CUkernelNodeAttrID>(attr),
                                                 same_layout<CUkernelNodeAttrValue>(value_out));
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue* value) {
  return call([&] {
    return DRIVER(cuGraphKernelNodeSetAttribute)(hNode, static_cast<CUkernelNodeAttrID>(attr),
                                                 same_layout<CUkernelNodeAttrValue>(value));
  });
}
}
