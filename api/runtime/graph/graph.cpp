// SPDX-License-Identifier: Apache-2.0
// Graphs: made, instantiated, updated and launched.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  return call([&] { return DRIVER(cuGraphCreate)(pGraph, flags); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&] { return DRIVER(cuGraphDestroy)(graph); });
}

cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  return call([&] { return DRIVER(cuGraphClone)(pGraphClone, originalGraph); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  return call([&] { return DRIVER(cuGraphGetNodes)(graph, nodes, numNodes); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes,
                                  size_t* pNumRootNodes) {
  return call([&] { return DRIVER(cuGraphGetRootNodes)(graph, pRootNodes, pNumRootNodes); });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int flags) {
  return call([&] { return DRIVER(cuGraphDebugDotPrint)(graph, path, flags); });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return call([&] { return DRIVER(cuGraphInstantiateWithFlags)(pGraphExec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return call([&] { return DRIVER(cuGraphInstantiateWithFlags)(pGraphExec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* instantiateParams) {
  return call([&]() -> Status {
    if (instantiateParams == nullptr) return cudaErrorInvalidValue;
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters =
        *same_layout<CUDA_GRAPH_INSTANTIATE_PARAMS>(instantiateParams);
    parameters.hUploadStream = driver_stream(instantiateParams->uploadStream);
    const Status status = DRIVER(cuGraphInstantiateWithParams)(pGraphExec, graph, &parameters);
    instantiateParams->errNode_out = parameters.hErrNode_out;
    instantiateParams->result_out = static_cast<cudaGraphInstantiateResult>(parameters.result_out);
    return status;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long* flags) {
  return call([&]() -> Status {
    if (flags == nullptr) return cudaErrorInvalidValue;
    cuuint64_t answer = 0;
    CHECK(DRIVER(cuGraphExecGetFlags)(graphExec, &answer));
    *flags = answer;
    return {};
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo* resultInfo) {
  return call([&] {
    // Measured: the place for the reason may be null.
    CUgraphExecUpdateResultInfo unasked;
    auto* const info = same_layout<CUgraphExecUpdateResultInfo>(resultInfo);
    return DRIVER(cuGraphExecUpdate)(hGraphExec, hGraph, info != nullptr ? info : &unasked);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return call([&] { return DRIVER(cuGraphExecDestroy)(graphExec); });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return call([&] { return DRIVER(cuGraphUpload)(graphExec, driver_stream(stream)); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return call([&] { return DRIVER(cuGraphLaunch)(graphExec, driver_stream(stream)); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
  return call([&] { return DRIVER(cuGraphRetainUserObject)(graph, object, count, flags); });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
  return call([&] { return DRIVER(cuGraphReleaseUserObject)(graph, object, count); });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object_out, void* ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
  return call(
      [&] { return DRIVER(cuUserObjectCreate)(object_out, ptr, destroy, initialRefcount, flags); });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  return call([&] { return DRIVER(cuUserObjectRetain)(object, count); });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  return call([&] { return DRIVER(cuUserObjectRelease)(object, count); });
}
}
