// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <utility>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/graph/graph_handles.hpp"
#include "api/driver/graph/graph_work.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/semaphore_operations.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/graph/graph_exec.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::graph_mutex;
using device::GraphExec;
using device::NodeType;
using device::Work;

namespace {

// Measured: a node of a graph may do without a context, but a change of an executable graph may
// not.
Result<> check_some_context(CUcontext ctx) {
  if (ctx || device::Thread::current().context()) return {};
  return refuse(Error::invalid_value, "The context is null, and none is current in this thread.");
}

Result<CUgraphExec> instantiate(CUgraph hGraph, uint64_t flags, GraphExec::Instantiation& outcome) {
  const auto graph = TRY(find(hGraph));
  Ref<GraphExec> exec;
  {
    MutexLock lock(graph_mutex);
    exec = TRY(GraphExec::instantiate(*graph, flags, outcome));
  }
  return give_handle(*exec);
}

// The forms that say in words what was wrong.
[[gnu::always_inline]] inline CUresult instantiate_and_log(CUgraphExec* phGraphExec, CUgraph hGraph,
                                                           CUgraphNode* phErrorNode,
                                                           char* logBuffer, size_t bufferSize) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    TRY(check_place(phGraphExec));
    GraphExec::Instantiation outcome;
    const auto exec = instantiate(hGraph, 0, outcome);
    if (logBuffer && bufferSize > 0)
      snprintf(logBuffer, bufferSize, "%s",
               exec.ok() ? ""
               : outcome.verdict == GraphExec::Verdict::invalid_structure
                   ? "The edges of the graph form a cycle."
                   : "The graph cannot be made executable.");
    if (phErrorNode) {
      MutexLock lock(graph_mutex);
      *phErrorNode = outcome.node ? TRY(give_handle(*outcome.node)) : nullptr;
    }
    *phGraphExec = TRY(exec);
    return {};
  });
}

// Replaces the work of one node; `make_work` returns a Result<Work>.
template <typename MakeWork>
[[gnu::always_inline]] inline CUresult set(CUgraphExec hGraphExec, CUgraphNode hNode, NodeType type,
                                           MakeWork make_work) {
  return call<CUresult>([&]() -> Result<> {
    const auto exec = TRY(find(hGraphExec));
    const auto node = TRY(find(hNode));
    if (node->type() != type)
      return refuse(Error::invalid_value, "The node is a %s node, not a %s node.",
                    name(node->type()), name(type));
    MutexLock lock(graph_mutex);
    return exec->set_work(*node, TRY(make_work()));
  });
}

[[gnu::always_inline]] inline CUresult update(CUgraphExec hGraphExec, CUgraph hGraph,
                                              CUgraphExecUpdateResultInfo* info) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_place(info));
    *info = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
    const auto exec = TRY(find(hGraphExec));
    const auto graph = TRY(find(hGraph));
    GraphExec::Updating outcome;
    MutexLock lock(graph_mutex);
    const auto updated = exec->update(*graph, outcome);
    info->result = static_cast<CUgraphExecUpdateResult>(outcome.result);
    if (outcome.node) info->errorNode = TRY(give_handle(*outcome.node));
    if (outcome.from) info->errorFromNode = TRY(give_handle(*outcome.from));
    return updated;
  });
}

}  // namespace

extern "C" {

CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                            char* logBuffer, size_t bufferSize) {
  return instantiate_and_log(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}
CUresult cuGraphInstantiate_v2(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                               char* logBuffer, size_t bufferSize) {
  return instantiate_and_log(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph,
                                     unsigned long long flags) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    TRY(check_place(phGraphExec));
    // "The upload will be performed using the provided stream": only the other form has one.
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
      return refuse(Error::invalid_value,
                    "Uploading needs a stream: call cuGraphInstantiateWithParams.");
    GraphExec::Instantiation outcome;
    *phGraphExec = TRY(instantiate(hGraph, flags, outcome));
    return {};
  });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    TRY(check_place(phGraphExec));
    TRY(check_place(instantiateParams));
    CUDA_GRAPH_INSTANTIATE_PARAMS& parameters = *instantiateParams;
    parameters.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    parameters.hErrNode_out = nullptr;
    if (parameters.flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) {
      const auto stream = TRY(find_usable(parameters.hUploadStream));
      TRY(device::Capture::refuse_in(*stream));
    }
    GraphExec::Instantiation outcome;
    const auto exec = instantiate(hGraph, parameters.flags, outcome);
    parameters.result_out = static_cast<CUgraphInstantiateResult>(outcome.verdict);
    if (outcome.node) {
      MutexLock lock(graph_mutex);
      parameters.hErrNode_out = TRY(give_handle(*outcome.node));
    }
    *phGraphExec = TRY(exec);
    return {};
  });
}

// "If the graph exec is executing, it is destroyed once that is complete": launches hold it.
CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  return call<CUresult>([&]() -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    TRY(find(hGraphExec));
    const auto exec = forget_handle<GraphExec>(hGraphExec);
    if (!exec) return Error::invalid_value;  // another thread was quicker
    exec->retire();
    return {};
  });
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  return call<CUresult>([&]() -> Result<> {
    const auto exec = TRY(find(hGraphExec));
    TRY(check_place(flags));
    *flags = exec->flags();
    return {};
  });
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_context_for(hStream));
    const auto exec = TRY(find(hGraphExec));
    const auto stream = TRY(find_usable(hStream));
    if (TRY(device::Capture::takes(*stream))) {
      Ref<device::Graph> copy;
      {
        MutexLock lock(graph_mutex);
        copy = TRY(exec->copy());
      }
      return device::Capture::add(*stream, NodeType::child, device::ChildWork{std::move(copy)});
    }
    return exec->launch(*stream, call_site());
  });
}

// An upload has nothing to prepare here.
CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_context_for(hStream));
    const auto exec = TRY(find(hGraphExec));
    const auto stream = TRY(find_usable(hStream));
    TRY(device::Capture::refuse_in(*stream));
    exec->upload_memory();
    return {};
  });
}

// --- Changes -------------------------------------------------------------------------------------

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return set(hGraphExec, hNode, NodeType::copy, [&]() -> Result<Work> {
    TRY(check_some_context(ctx));
    return work_of(copyParams, ctx);
  });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams,
                                        CUcontext ctx) {
  return set(hGraphExec, hNode, NodeType::fill, [&]() -> Result<Work> {
    TRY(check_some_context(ctx));
    return work_of(memsetParams, ctx);
  });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return set(hGraphExec, hNode, NodeType::host, [&] { return work_of(nodeParams); });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUgraph childGraph) {
  return set(hGraphExec, hNode, NodeType::child, [&]() REQUIRES(graph_mutex) {
    return work_of(childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, nullptr);
  });
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return set(hGraphExec, hNode, NodeType::batch, [&] { return work_of(nodeParams); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event) {
  return set(hGraphExec, hNode, NodeType::event_record, [&] { return work_of(event); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          CUevent event) {
  return set(hGraphExec, hNode, NodeType::event_wait, [&] { return work_of(event); });
}

CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return set(hGraphExec, hNode, NodeType::external_signal,
             [&] { return semaphore_work_of(nodeParams); });
}
CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return set(hGraphExec, hNode, NodeType::external_wait,
             [&] { return semaphore_work_of(nodeParams); });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  CUgraphNodeParams* nodeParams) {
  return call<CUresult>([&]() -> Result<> {
    const auto exec = TRY(find(hGraphExec));
    const auto node = TRY(find(hNode));
    MutexLock lock(graph_mutex);
    if (!node->graph()) return refuse(Error::invalid_value, "The node is no longer in a graph.");
    if (nodeParams && nodeParams->type == CU_GRAPH_NODE_TYPE_MEMCPY)
      TRY(check_some_context(nodeParams->memcpy.copyCtx));
    if (nodeParams && nodeParams->type == CU_GRAPH_NODE_TYPE_MEMSET)
      TRY(check_some_context(nodeParams->memset.ctx));
    TypedWork typed = TRY(work_of(nodeParams, *node->graph(), true));
    if (typed.type != node->type())
      return refuse(Error::invalid_value, "A %s node cannot take the parameters of a %s node.",
                    name(node->type()), name(typed.type));
    return exec->set_work(*node, std::move(typed.work));
  });
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode* hErrorNode_out,
                           CUgraphExecUpdateResult* updateResult_out) {
  CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  const CUresult result = update(hGraphExec, hGraph, &info);
  if (hErrorNode_out) *hErrorNode_out = info.errorNode;
  if (updateResult_out) *updateResult_out = info.result;
  return result;
}
CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo* resultInfo) {
  return update(hGraphExec, hGraph, resultInfo);
}

}  // extern "C"
