// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/graph/graph_handles.hpp"
#include "api/driver/graph/graph_work.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/semaphore_operations.hpp"
#include "sim/device/graph/graph_exec.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::Graph;
using device::graph_mutex;
using device::GraphNode;
using device::NodeType;
using device::Work;

namespace {

struct NewNode {
  CUgraphNode* handle;
  CUgraph graph;
  const CUgraphNode* dependencies;
  const CUgraphEdgeData* edges;
  size_t count;
};

// Adds a node. `make_work` is called with the graph, with graph_mutex held, and returns a
// Result<TypedWork>; `then` is called with the new node, to write results.
template <typename MakeWork, typename Then>
[[gnu::always_inline]] inline CUresult add_typed(const NewNode& place, MakeWork make_work,
                                                 Then then) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_place(place.handle));
    const auto graph = TRY(find(place.graph));
    const auto after = TRY(dependencies_of(place.dependencies, place.edges, place.count));
    // Released without the lock if it does not become a node.
    TypedWork typed;
    MutexLock lock(graph_mutex);
    typed = TRY(make_work(*graph));
    const auto node = TRY(graph->add(typed.type, std::move(typed.work), after));
    TRY(then(*node));
    *place.handle = TRY(give_handle(*node));
    return {};
  });
}

template <typename MakeWork>
[[gnu::always_inline]] inline CUresult add(const NewNode& place, NodeType type,
                                           MakeWork make_work) {
  return add_typed(
      place,
      [&](Graph& graph) REQUIRES(graph_mutex) -> Result<TypedWork> {
        return TypedWork{type, TRY(make_work(graph))};
      },
      [](GraphNode&) -> Result<> { return {}; });
}

[[gnu::always_inline]] inline CUresult add_any(const NewNode& place,
                                               CUgraphNodeParams* parameters) {
  return add_typed(
      place, [&](Graph& graph) REQUIRES(graph_mutex) { return work_of(parameters, graph, false); },
      [&](GraphNode& node) REQUIRES(graph_mutex) -> Result<> {
        if (node.type() == NodeType::conditional) return tell_bodies(node, parameters->conditional);
        return {};
      });
}

// Finds the node, if it is of that type and still in its graph.
Result<Ref<GraphNode>> find_typed(CUgraphNode hNode, NodeType type) {
  auto node = TRY(find(hNode));
  if (node->type() != type)
    return refuse(Error::invalid_value, "The node is a %s node, not a %s node.", name(node->type()),
                  name(type));
  return node;
}

template <typename Parameters, typename Tell>
[[gnu::always_inline]] inline CUresult tell(CUgraphNode hNode, NodeType type,
                                            Parameters* parameters, Tell tell_about) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find_typed(hNode, type));
    TRY(check_place(parameters));
    MutexLock lock(graph_mutex);
    return tell_about(*node);
  });
}

template <typename MakeWork>
[[gnu::always_inline]] inline CUresult set(CUgraphNode hNode, NodeType type, MakeWork make_work) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find_typed(hNode, type));
    Work work = TRY(make_work());
    MutexLock lock(graph_mutex);
    node->set_work(std::move(work));
    return {};
  });
}

CUcontext context_of(const Ref<device::Context>& context) {
  return context ? handle_of(*context) : nullptr;
}

[[gnu::always_inline]] inline CUresult tell_event(CUgraphNode hNode, NodeType type,
                                                  CUevent* event_out) {
  return tell(hNode, type, event_out, [&](GraphNode& node) -> Result<> {
    *event_out = handle_of(*node.work<device::EventWork>().event);
    return {};
  });
}

// Replaces a copy or a fill; the node stays in its context.
template <typename SomeWork, typename Parameters>
[[gnu::always_inline]] inline CUresult set_transfer(CUgraphNode hNode, NodeType type,
                                                    const Parameters* parameters) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find_typed(hNode, type));
    CUcontext context;
    {
      MutexLock lock(graph_mutex);
      context = context_of(node->work<SomeWork>().context);
    }
    Work work = TRY(work_of(parameters, context));
    MutexLock lock(graph_mutex);
    node->set_work(std::move(work));
    return {};
  });
}

}  // namespace

extern "C" {

// --- Making nodes --------------------------------------------------------------------------------

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                             const CUgraphNode* dependencies, size_t numDependencies) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::empty,
             [](Graph&) -> Result<Work> { return Work(); });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::copy,
             [&](Graph&) { return work_of(copyParams, ctx); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::fill,
             [&](Graph&) { return work_of(memsetParams, ctx); });
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                            const CUgraphNode* dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::host,
             [&](Graph&) { return work_of(nodeParams); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  CUgraph childGraph) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::child,
             [&](Graph& graph) REQUIRES(graph_mutex) {
               return work_of(childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, &graph);
             });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                   const CUgraphNode* dependencies, size_t numDependencies,
                                   CUevent event) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::event_record,
             [&](Graph&) { return work_of(event); });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 CUevent event) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::event_wait,
             [&](Graph&) { return work_of(event); });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                const CUgraphNode* dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::allocate,
             [&](Graph&) -> Result<Work> {
               TRY(check_place(nodeParams));
               return work_of(*nodeParams);
             });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                               const CUgraphNode* dependencies, size_t numDependencies,
                               CUdeviceptr dptr) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::free,
             [&](Graph& graph) REQUIRES(graph_mutex) { return work_of_free(dptr, graph); });
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::batch,
             [&](Graph&) { return work_of(nodeParams); });
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                                const CUgraphNode* dependencies,
                                                size_t numDependencies,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies},
             NodeType::external_signal, [&](Graph&) { return semaphore_work_of(nodeParams); });
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                              const CUgraphNode* dependencies,
                                              size_t numDependencies,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return add({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, NodeType::external_wait,
             [&](Graph&) { return semaphore_work_of(nodeParams); });
}

CUresult cuGraphAddNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                        size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add_any({phGraphNode, hGraph, dependencies, nullptr, numDependencies}, nodeParams);
}
CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                           const CUgraphNode* dependencies, const CUgraphEdgeData* dependencyData,
                           size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add_any({phGraphNode, hGraph, dependencies, dependencyData, numDependencies}, nodeParams);
}

// --- Their parameters ----------------------------------------------------------------------------

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return tell(hNode, NodeType::copy, nodeParams, [&](GraphNode& node) -> Result<> {
    *nodeParams = parameters_of(node.work<device::CopyWork>());
    return {};
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return set_transfer<device::CopyWork>(hNode, NodeType::copy, nodeParams);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return tell(hNode, NodeType::fill, nodeParams, [&](GraphNode& node) -> Result<> {
    *nodeParams = parameters_of(node.work<device::FillWork>());
    return {};
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return set_transfer<device::FillWork>(hNode, NodeType::fill, nodeParams);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return tell(hNode, NodeType::host, nodeParams, [&](GraphNode& node) -> Result<> {
    const auto& work = node.work<device::HostWork>();
    *nodeParams = {work.function, work.data};
    return {};
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return set(hNode, NodeType::host, [&] { return work_of(nodeParams); });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return tell(hNode, NodeType::child, phGraph,
              [&](GraphNode& node) REQUIRES(graph_mutex) -> Result<> {
                *phGraph = TRY(give_handle(*node.work<device::ChildWork>().graph));
                return {};
              });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return tell_event(hNode, NodeType::event_record, event_out);
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set(hNode, NodeType::event_record, [&] { return work_of(event); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return tell_event(hNode, NodeType::event_wait, event_out);
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set(hNode, NodeType::event_wait, [&] { return work_of(event); });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return tell(hNode, NodeType::allocate, params_out, [&](GraphNode& node) -> Result<> {
    *params_out = parameters_of(node.work<device::AllocateWork>());
    return {};
  });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
  return tell(hNode, NodeType::free, dptr_out, [&](GraphNode& node) -> Result<> {
    *dptr_out = node.work<device::FreeWork>().address;
    return {};
  });
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return tell(hNode, NodeType::batch, nodeParams_out, [&](GraphNode& node) -> Result<> {
    *nodeParams_out = parameters_of(node.work<device::BatchWork>());
    return {};
  });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return set(hNode, NodeType::batch, [&] { return work_of(nodeParams); });
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params_out) {
  return tell(hNode, NodeType::external_signal, params_out, [&](GraphNode& node) -> Result<> {
    *params_out = semaphore_parameters_of<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>(
        node.work<device::SemaphoreWork>());
    return {};
  });
}
CUresult cuGraphExternalSemaphoresSignalNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return set(hNode, NodeType::external_signal, [&] { return semaphore_work_of(nodeParams); });
}
CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS* params_out) {
  return tell(hNode, NodeType::external_wait, params_out, [&](GraphNode& node) -> Result<> {
    *params_out =
        semaphore_parameters_of<CUDA_EXT_SEM_WAIT_NODE_PARAMS>(node.work<device::SemaphoreWork>());
    return {};
  });
}
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return set(hNode, NodeType::external_wait, [&] { return semaphore_work_of(nodeParams); });
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find(hNode));
    TypedWork typed;
    MutexLock lock(graph_mutex);
    Graph* graph = node->graph();
    if (!graph) return refuse(Error::invalid_value, "The node is no longer in a graph.");
    typed = TRY(work_of(nodeParams, *graph, true));
    if (typed.type != node->type() || typed.type == NodeType::child)
      return refuse(Error::invalid_value, "A %s node cannot take the parameters of a %s node.",
                    name(node->type()), name(typed.type));
    node->set_work(std::move(typed.work));
    return {};
  });
}

// --- Questions -----------------------------------------------------------------------------------

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find(hNode));
    TRY(check_place(type));
    *type = static_cast<CUgraphNodeType>(node->type());
    return {};
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode,
                                CUgraph hClonedGraph) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_place(phNode));
    const auto original = TRY(find(hOriginalNode));
    const auto clone = TRY(find(hClonedGraph));
    MutexLock lock(graph_mutex);
    const auto copy = clone->find_copy(original->id());
    if (!copy) return refuse(Error::invalid_value, "The graph has no copy of the node.");
    *phNode = TRY(give_handle(*copy));
    return {};
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
  return call<CUresult>([&]() -> Result<> {
    const auto exec = TRY(find(hGraphExec));
    const auto node = TRY(find(hNode));
    TRY(check_place(isEnabled));
    *isEnabled = TRY(exec->enabled(*node)) ? 1 : 0;
    return {};
  });
}
CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  return call<CUresult>([&]() -> Result<> {
    const auto exec = TRY(find(hGraphExec));
    const auto node = TRY(find(hNode));
    return exec->set_enabled(*node, isEnabled != 0);
  });
}

}  // extern "C"
