// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes of every kind, their parameters, instances and updates.
#include "runtime.hpp"

using namespace conformance;

static unsigned host[16];

CASE(rt_graphs) {
  cudaGraph_t g, copy;
  TRY(cudaGraphCreate(nullptr, 0));
  TRY(cudaGraphCreate(&g, 1));
  TRY(cudaGraphCreate(&g, 0));
  size_t n = 99, edges = 99;
  TRY(cudaGraphGetNodes(g, nullptr, &n));
  ASK(n);
  TRY(cudaGraphGetNodes(g, nullptr, nullptr));
  TRY(cudaGraphGetRootNodes(g, nullptr, &n));
  ASK(n);
  TRY(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
  ASK(edges);
  cudaGraphNode_t a, b, c, found;
  TRY(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
  TRY(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
  TRY(cudaGraphAddEmptyNode(&b, nullptr, nullptr, 0));
  TRY(cudaGraphAddEmptyNode(&b, g, nullptr, 1));
  TRY(cudaGraphAddEmptyNode(&b, g, &a, 1));
  TRY(cudaGraphAddEmptyNode(&c, g, &b, 1));
  TRY(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
  TRY(cudaGraphAddDependencies(g, &c, &a, nullptr, 1));
  TRY(cudaGraphAddDependencies(g, &a, &a, nullptr, 1));
  TRY(cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 0));
  TRY(cudaGraphRemoveDependencies(g, &a, &c, nullptr, 1));
  cudaGraphExec_t e;
  TRY(cudaGraphInstantiate(&e, g, 0));
  TRY(cudaGraphRemoveDependencies(g, &c, &a, nullptr, 1));
  TRY(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
  ASK(edges);
  TRY(cudaGraphNodeGetDependencies(b, nullptr, nullptr, &n));
  ASK(n);
  TRY(cudaGraphNodeGetDependentNodes(b, nullptr, nullptr, &n));
  ASK(n);
  cudaGraphNodeType type;
  TRY(cudaGraphNodeGetType(a, &type));
  ASK(int(type));
  TRY(cudaGraphNodeGetType(a, nullptr));
  TRY(cudaGraphNodeGetType(nullptr, &type));
  TRY(cudaGraphClone(&copy, g));
  TRY(cudaGraphNodeFindInClone(&found, a, copy));
  ASK(found != a);
  TRY(cudaGraphNodeFindInClone(&found, a, g));
  TRY(cudaGraphDestroyNode(c));
  TRY(cudaGraphGetNodes(g, nullptr, &n));
  ASK(n);
  for (unsigned flags : {0u, 1u, 2u, 4u, 8u, 16u, 32u})
    answer_last(("cudaGraphInstantiate " + std::to_string(flags)).c_str(),
                cudaGraphInstantiate(&e, g, flags));
  PREPARE(cudaGraphInstantiate(&e, g, 0));
  TRY(cudaGraphInstantiate(nullptr, g, 0));
  TRY(cudaGraphInstantiate(&e, nullptr, 0));
  unsigned long long had = 9;
  PREPARE(cudaGraphInstantiate(&e, g, 8));
  TRY(cudaGraphExecGetFlags(e, &had));
  ASK(had);
  TRY(cudaGraphLaunch(e, nullptr));
  TRY(cudaGraphLaunch(nullptr, nullptr));
  TRY(cudaGraphUpload(e, nullptr));
  TRY(cudaDeviceSynchronize());
  TRY(cudaGraphExecDestroy(e));
  TRY(cudaGraphExecDestroy(nullptr));
  TRY(cudaGraphDestroy(copy));
  TRY(cudaGraphDestroy(g));
  TRY(cudaGraphDestroy(nullptr));
  cudaGraphInstantiateParams parameters = {};
  PREPARE(cudaGraphCreate(&g, 0));
  TRY(cudaGraphInstantiateWithParams(&e, g, &parameters));
  ASK(int(parameters.result_out));
  TRY(cudaGraphInstantiateWithParams(&e, g, nullptr));
  TRY(cudaGraphDebugDotPrint(g, "/nowhere/at/all", 0));
}

CASE(rt_graph_destroyed_twice) {
  cudaGraph_t g;
  PREPARE(cudaGraphCreate(&g, 0));
  TRY(cudaGraphDestroy(g));
  TRY(cudaGraphDestroy(g));
}

CASE(rt_graph_nodes) {
  cudaGraph_t g, child;
  cudaGraphNode_t node, kernel_node;
  cudaGraphNodeType type;
  void *d, *pinned;
  PREPARE(cudaMalloc(&d, 64));
  PREPARE(cudaMallocHost(&pinned, 64));
  PREPARE(cudaGraphCreate(&g, 0));
  PREPARE(cudaGraphCreate(&child, 0));
  unsigned value = 7;
  void* arguments[] = {&d, &value};
  cudaKernelNodeParams k = {};
  TRY(cudaGraphAddKernelNode(&node, g, nullptr, 0, nullptr));
  TRY(cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  k.func = unregistered;
  k.gridDim = k.blockDim = 1;
  TRY(cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  k.func = &store;
  k.kernelParams = arguments;
  k.gridDim = 0;
  TRY(cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  k.gridDim = 1;
  k.blockDim = 1025;
  TRY(cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  k.blockDim = 1;
  TRY(cudaGraphAddKernelNode(&kernel_node, g, nullptr, 0, &k));
  TRY(cudaGraphNodeGetType(kernel_node, &type));
  ASK(int(type));
  cudaKernelNodeParams had = {};
  TRY(cudaGraphKernelNodeGetParams(kernel_node, &had));
  ASK(had.func == &store);
  ASK(had.gridDim.x);
  ASK(had.kernelParams != nullptr);
  ASK(had.extra == nullptr);
  ASK(*static_cast<unsigned*>(had.kernelParams[1]));
  value = 8;
  TRY(cudaGraphKernelNodeSetParams(kernel_node, &k));
  k.gridDim = 0;
  TRY(cudaGraphKernelNodeSetParams(kernel_node, &k));
  k.gridDim = 1;
  cudaMemcpy3DParms c = {};
  TRY(cudaGraphAddMemcpyNode(&node, g, nullptr, 0, &c));
  c.srcPtr = {d, 16, 16, 1};
  c.dstPtr = {pinned, 16, 16, 1};
  c.extent = {16, 1, 1};
  c.kind = cudaMemcpyDeviceToHost;
  TRY(cudaGraphAddMemcpyNode(&node, g, &kernel_node, 1, &c));
  TRY(cudaGraphNodeGetType(node, &type));
  ASK(int(type));
  cudaMemcpy3DParms had_copy = {};
  TRY(cudaGraphMemcpyNodeGetParams(node, &had_copy));
  ASK(had_copy.extent.width);
  ASK(had_copy.srcPtr.ptr == d);
  ASK(int(had_copy.kind));
  TRY(cudaGraphKernelNodeGetParams(node, &had));
  cudaGraphNode_t flat;
  TRY(cudaGraphAddMemcpyNode1D(&flat, g, nullptr, 0, d, pinned, 16, cudaMemcpyHostToDevice));
  TRY(cudaGraphAddMemcpyNode1D(&flat, g, nullptr, 0, d, pinned, 0, cudaMemcpyHostToDevice));
  TRY(cudaGraphAddMemcpyNode1D(&flat, g, nullptr, 0, d, pinned, 16, cudaMemcpyKind(9)));
  TRY(cudaGraphAddMemcpyNodeToSymbol(&flat, g, nullptr, 0, numbers, pinned, 4, 0,
                                     cudaMemcpyHostToDevice));
  TRY(cudaGraphAddMemcpyNodeToSymbol(&flat, g, nullptr, 0, numbers, pinned, 4, 13,
                                     cudaMemcpyHostToDevice));
  TRY(cudaGraphAddMemcpyNodeToSymbol(&flat, g, nullptr, 0, unregistered_variable, pinned, 4, 0,
                                     cudaMemcpyHostToDevice));
  TRY(cudaGraphAddMemcpyNodeFromSymbol(&flat, g, nullptr, 0, pinned, numbers, 4, 0,
                                       cudaMemcpyDeviceToHost));
  cudaMemsetParams m = {};
  TRY(cudaGraphAddMemsetNode(&flat, g, nullptr, 0, &m));
  m.dst = d;
  for (unsigned size : {0u, 1u, 2u, 3u, 4u, 8u}) {
    m.elementSize = size;
    m.width = 4;
    m.height = 1;
    answer_last(("a memset of elements of " + std::to_string(size)).c_str(),
                cudaGraphAddMemsetNode(&flat, g, nullptr, 0, &m));
  }
  m.elementSize = 4;
  m.width = 0;
  TRY(cudaGraphAddMemsetNode(&flat, g, nullptr, 0, &m));
  m.width = 4;
  m.value = 1;
  PREPARE(cudaGraphAddMemsetNode(&flat, g, nullptr, 0, &m));
  cudaMemsetParams had_set = {};
  TRY(cudaGraphMemsetNodeGetParams(flat, &had_set));
  ASK(had_set.width);
  ASK(had_set.elementSize);
  cudaHostNodeParams h = {[](void* data) { ++*static_cast<unsigned*>(data); }, host};
  TRY(cudaGraphAddHostNode(&flat, g, nullptr, 0, &h));
  TRY(cudaGraphNodeGetType(flat, &type));
  ASK(int(type));
  h.fn = nullptr;
  TRY(cudaGraphAddHostNode(&flat, g, nullptr, 0, &h));
  TRY(cudaGraphAddChildGraphNode(&flat, g, nullptr, 0, child));
  TRY(cudaGraphNodeGetType(flat, &type));
  ASK(int(type));
  TRY(cudaGraphAddChildGraphNode(&flat, g, nullptr, 0, nullptr));
  cudaEvent_t event;
  PREPARE(cudaEventCreate(&event));
  TRY(cudaGraphAddEventRecordNode(&flat, g, nullptr, 0, event));
  TRY(cudaGraphAddEventRecordNode(&flat, g, nullptr, 0, nullptr));
  TRY(cudaGraphAddEventWaitNode(&flat, g, nullptr, 0, event));
  TRY(cudaGraphNodeGetType(flat, &type));
  ASK(int(type));
  size_t n;
  TRY(cudaGraphGetNodes(g, nullptr, &n));
  ASK(n);
  cudaGraphExec_t e;
  TRY(cudaGraphInstantiate(&e, g, 0));
  TRY(cudaGraphLaunch(e, nullptr));
  TRY(cudaDeviceSynchronize());
  ASK(host[0]);
  value = 55;
  TRY(cudaGraphExecKernelNodeSetParams(e, kernel_node, &k));
  k.func = &empty;
  k.kernelParams = nullptr;
  TRY(cudaGraphExecKernelNodeSetParams(e, kernel_node, &k));
  TRY(cudaGraphExecKernelNodeSetParams(e, flat, &k));
  unsigned enabled = 9;
  TRY(cudaGraphNodeGetEnabled(e, kernel_node, &enabled));
  ASK(enabled);
  TRY(cudaGraphNodeSetEnabled(e, kernel_node, 0));
  TRY(cudaGraphNodeGetEnabled(e, kernel_node, &enabled));
  ASK(enabled);
  TRY(cudaGraphNodeSetEnabled(e, flat, 0));
}

CASE(rt_graph_memory) {
  cudaGraph_t g;
  cudaGraphNode_t a, f;
  PREPARE(cudaGraphCreate(&g, 0));
  cudaMemAllocNodeParams p = {};
  TRY(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  TRY(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  p.bytesize = 64;
  TRY(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  ASK(p.dptr != nullptr);
  cudaGraphNodeType type;
  TRY(cudaGraphNodeGetType(a, &type));
  ASK(int(type));
  TRY(cudaGraphAddMemFreeNode(&f, g, nullptr, 0, host));
  TRY(cudaGraphAddMemFreeNode(&f, g, &a, 1, p.dptr));
  TRY(cudaGraphAddMemFreeNode(&f, g, &a, 1, p.dptr));
  cudaGraph_t copy;
  TRY(cudaGraphClone(&copy, g));
  TRY(cudaGraphDestroyNode(f));
  cudaGraphExec_t e, again;
  TRY(cudaGraphInstantiate(&e, g, 0));
  TRY(cudaGraphInstantiate(&again, g, 0));
  TRY(cudaGraphLaunch(e, nullptr));
  TRY(cudaDeviceSynchronize());
  TRY(cudaDeviceGraphMemTrim(0));
  TRY(cudaDeviceGraphMemTrim(9));
  for (int which : {0, 1, 2, 3, 4}) {
    uint64_t value = 9;
    answer_last(("attribute " + std::to_string(which)).c_str(),
                cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttributeType(which), &value));
  }
}

// An exec that is updated from another graph.
static cudaGraph_t with(const void* kernel, dim3 grid, int more) {
  static void* d;
  static unsigned value = 1;
  if (!d) PREPARE(cudaMalloc(&d, 64));
  void* arguments[] = {&d, &value};
  cudaGraph_t g;
  cudaGraphNode_t node;
  cudaKernelNodeParams k = {};
  k.func = const_cast<void*>(kernel);
  k.gridDim = grid;
  k.blockDim = 1;
  k.kernelParams = arguments;
  PREPARE(cudaGraphCreate(&g, 0));
  PREPARE(cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  for (int i = 0; i < more; ++i) {
    cudaGraphNode_t next;
    PREPARE(cudaGraphAddEmptyNode(&next, g, &node, 1));
  }
  return g;
}

CASE(rt_graph_updates) {
  cudaGraphExec_t e;
  PREPARE(cudaGraphInstantiate(&e, with(&store, 1, 0), 0));
  cudaGraphExecUpdateResultInfo info = {};
  const auto update = [&](const char* question, cudaGraph_t g) {
    info = {};
    answer_last(question, cudaGraphExecUpdate(e, g, &info));
    ASK(int(info.result));
    ASK(info.errorNode != nullptr);
    ASK(info.errorFromNode != nullptr);
  };
  update("the same", with(&store, 1, 0));
  update("another grid", with(&store, 2, 0));
  update("another function", with(&empty, 1, 0));
  update("one node more", with(&store, 1, 1));
  cudaGraph_t other;
  cudaGraphNode_t node;
  PREPARE(cudaGraphCreate(&other, 0));
  update("no node", other);
  PREPARE(cudaGraphAddEmptyNode(&node, other, nullptr, 0));
  update("another type", other);
  TRY(cudaGraphExecUpdate(e, nullptr, &info));
  TRY(cudaGraphLaunch(e, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_graph_conditions) {
  cudaGraph_t g;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  PREPARE(cudaGraphCreate(&g, 0));
  TRY(cudaGraphConditionalHandleCreate(&handle, g, 1, 0));
  TRY(cudaGraphConditionalHandleCreate(&handle, g, 1, 2));
  TRY(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
  for (int type : {0, 1, 2, 3})
    for (unsigned size : {0u, 1u, 2u, 3u}) {
      cudaGraphNodeParams p = {};
      PREPARE(cudaGraphConditionalHandleCreate(&handle, g, 0, cudaGraphCondAssignDefault));
      p.type = cudaGraphNodeTypeConditional;
      p.conditional.handle = handle;
      p.conditional.type = cudaGraphConditionalNodeType(type);
      p.conditional.size = size;
      answer_last(("type " + std::to_string(type) + ", size " + std::to_string(size)).c_str(),
                  cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    }
  cudaGraphNodeType kind;
  TRY(cudaGraphNodeGetType(node, &kind));
  ASK(int(kind));
  cudaGraphNodeParams p = {};
  for (int type = 0; type <= 16; ++type) {
    p = {};
    p.type = cudaGraphNodeType(type);
    if (type == 13) continue;
    answer_last(("nothing of type " + std::to_string(type)).c_str(),
                cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
  }
  cudaUserObject_t object;
  TRY(cudaUserObjectCreate(
      &object, host, [](void*) {}, 1, 0));
  TRY(cudaUserObjectCreate(
      &object, host, [](void*) {}, 1, cudaUserObjectNoDestructorSync));
  TRY(cudaGraphRetainUserObject(g, object, 1, 0));
  TRY(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
  TRY(cudaGraphRetainUserObject(g, object, 0, 0));
  TRY(cudaUserObjectRetain(object, 0));
  TRY(cudaGraphReleaseUserObject(g, object, 1));
}

int main(int count, char** names) { return run(count, names); }
