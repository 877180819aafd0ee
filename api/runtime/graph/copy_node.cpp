// SPDX-License-Identifier: Apache-2.0
// Copies as nodes of graphs.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/memory/box.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

namespace {
// One row of bytes.
Status describe_bytes(void* to, const void* from, size_t count, cudaMemcpyKind kind,
                      CUDA_MEMCPY3D* copy) {
  if (count == 0) return cudaErrorInvalidValue;
  BoxEnd destination, source;
  destination.pointer = to;
  source.pointer = const_cast<void*>(from);
  return describe_box(destination, source, {count, 1, 1}, kind, copy);
}
}  // namespace

extern "C" {

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaMemcpy3DParms* pCopyParams) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    if (pCopyParams == nullptr) return cudaErrorInvalidValue;
    CHECK(describe_copy(*pCopyParams, &copy));
    return DRIVER(cuGraphAddMemcpyNode)(pGraphNode, graph, pDependencies, numDependencies, &copy,
                                        context);
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                     void* dst, const void* src, size_t count,
                                     cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    CHECK(describe_bytes(dst, src, count, kind, &copy));
    return DRIVER(cuGraphAddMemcpyNode)(pGraphNode, graph, pDependencies, numDependencies, &copy,
                                        context);
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies,
                                             size_t numDependencies, void* dst, const void* symbol,
                                             size_t count, size_t offset, cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    CHECK(describe_bytes(dst, place, count, kind, &copy));
    return DRIVER(cuGraphAddMemcpyNode)(pGraphNode, graph, pDependencies, numDependencies, &copy,
                                        context);
  });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies,
                                           size_t numDependencies, const void* symbol,
                                           const void* src, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    CHECK(describe_bytes(place, src, count, kind, &copy));
    return DRIVER(cuGraphAddMemcpyNode)(pGraphNode, graph, pDependencies, numDependencies, &copy,
                                        context);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* pNodeParams) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CHECK(describe_copy(*pNodeParams, &copy));
    return DRIVER(cuGraphMemcpyNodeSetParams)(node, &copy);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* pNodeParams) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CHECK(describe_copy(*pNodeParams, &copy));
    return DRIVER(cuGraphExecMemcpyNodeSetParams)(hGraphExec, node, &copy, context);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src,
                                           size_t count, cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CHECK(describe_bytes(dst, src, count, kind, &copy));
    return DRIVER(cuGraphMemcpyNodeSetParams)(node, &copy);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void* dst, const void* src, size_t count,
                                               cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    CHECK(describe_bytes(dst, src, count, kind, &copy));
    return DRIVER(cuGraphExecMemcpyNodeSetParams)(hGraphExec, node, &copy, context);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst,
                                                   const void* symbol, size_t count, size_t offset,
                                                   cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    CHECK(describe_bytes(dst, place, count, kind, &copy));
    return DRIVER(cuGraphMemcpyNodeSetParams)(node, &copy);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node, void* dst,
                                                       const void* symbol, size_t count,
                                                       size_t offset, cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    CHECK(describe_bytes(dst, place, count, kind, &copy));
    return DRIVER(cuGraphExecMemcpyNodeSetParams)(hGraphExec, node, &copy, context);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* src, size_t count, size_t offset,
                                                 cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    CHECK(describe_bytes(place, src, count, kind, &copy));
    return DRIVER(cuGraphMemcpyNodeSetParams)(node, &copy);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node, const void* symbol,
                                                     const void* src, size_t count, size_t offset,
                                                     cudaMemcpyKind kind) {
  return call([&]() -> Status {
    CUDA_MEMCPY3D copy;
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    CHECK(describe_bytes(place, src, count, kind, &copy));
    return DRIVER(cuGraphExecMemcpyNodeSetParams)(hGraphExec, node, &copy, context);
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
  return call([&]() -> Status {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D copy{};
    CHECK(DRIVER(cuGraphMemcpyNodeGetParams)(node, &copy));
    return describe_copy(copy, pNodeParams);
  });
}
}
