// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes that are wrong, updates of instances, parameters of instances, captures.
#include "runtime_questions.hpp"

using namespace conformance;

static void *d, *pinned;
static unsigned value = 7;
static void* arguments[] = {&d, &value};

static void prepare() {
  PREPARE(cudaMalloc(&d, 4096));
  PREPARE(cudaMallocHost(&pinned, 4096));
}

static cudaKernelNodeParams kernel_of(const void* kernel, dim3 grid, dim3 block, unsigned shared) {
  cudaKernelNodeParams k = {};
  k.func = const_cast<void*>(kernel);
  k.gridDim = grid;
  k.blockDim = block;
  k.sharedMemBytes = shared;
  k.kernelParams = arguments;
  return k;
}

static cudaGraph_t graph_of(void (*fill)(cudaGraph_t)) {
  cudaGraph_t g;
  PREPARE(cudaGraphCreate(&g, 0));
  fill(g);
  return g;
}

static cudaGraphNode_t add_kernel(cudaGraph_t g, const cudaKernelNodeParams& k) {
  cudaGraphNode_t node;
  PREPARE(cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  return node;
}

static void update(const char* question, cudaGraphExec_t e, cudaGraph_t g) {
  cudaGraphExecUpdateResultInfo info = {};
  info.result = cudaGraphExecUpdateResult(99);
  try_to_survive(question, [&] { return cudaGraphExecUpdate(e, g, &info); });
  NOTE("result", text(info.result, info.errorNode ? ", a node" : ", no node",
                      info.errorFromNode ? ", from a node" : ", from no node"));
}

CASE(rq_graph_updates_of_kernels) {
  prepare();
  cudaGraphExec_t e;
  PREPARE(cudaGraphInstantiate(
      &e, graph_of([](cudaGraph_t g) { add_kernel(g, kernel_of(&store, 1, 1, 0)); }), 0));
#define TO(name, ...) \
  update(name, e, graph_of([](cudaGraph_t g) { add_kernel(g, kernel_of(__VA_ARGS__)); }))
  TO("another block", &store, 1, 2, 0);
  TO("shared memory", &store, 1, 1, 4096);
  TO("all shared memory", &store, 1, 1, 49152);
  TO("a large grid", &store, 65536, 1, 0);
  TO("another kernel of the same module", &add_one, 1, 1, 0);
  TO("a kernel without parameters", &empty, 1, 1, 0);
#undef TO
  update("two kernels", e, graph_of([](cudaGraph_t g) {
           add_kernel(g, kernel_of(&store, 1, 1, 0));
           add_kernel(g, kernel_of(&store, 1, 1, 0));
         }));
  update("a child", e, graph_of([](cudaGraph_t g) {
           cudaGraph_t child =
               graph_of([](cudaGraph_t c) { add_kernel(c, kernel_of(&store, 1, 1, 0)); });
           cudaGraphNode_t node;
           PREPARE(cudaGraphAddChildGraphNode(&node, g, nullptr, 0, child));
         }));
  TRY(cudaGraphExecUpdate(e, nullptr, nullptr));
  cudaGraph_t same = graph_of([](cudaGraph_t g) { add_kernel(g, kernel_of(&store, 1, 1, 0)); });
  TRY(cudaGraphExecUpdate(e, same, nullptr));
  TRY(cudaGraphExecUpdate(nullptr, same, nullptr));
  TRY(cudaGraphLaunch(e, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rq_graph_updates_of_others) {
  prepare();
  cudaGraphExec_t e;
  static cudaGraphNode_t node, second;
  static size_t count = 64;
  static void* to = d;
  static cudaMemcpyKind kind = cudaMemcpyHostToDevice;
  const auto copy = [](cudaGraph_t g) {
    PREPARE(cudaGraphAddMemcpyNode1D(
        &node, g, nullptr, 0, to,
        kind == cudaMemcpyHostToDevice ? pinned : static_cast<char*>(d) + 1024, count, kind));
  };
  PREPARE(cudaGraphInstantiate(&e, graph_of(copy), 0));
  update("the same copy", e, graph_of(copy));
  count = 128;
  update("a longer copy", e, graph_of(copy));
  to = static_cast<char*>(d) + 64;
  update("a copy elsewhere", e, graph_of(copy));
  kind = cudaMemcpyDeviceToDevice;
  update("a copy of another kind", e, graph_of(copy));
  static cudaMemsetParams m = {};
  m.dst = d;
  m.elementSize = 4;
  m.width = 4;
  m.height = 1;
  const auto fill = [](cudaGraph_t g) {
    PREPARE(cudaGraphAddMemsetNode(&node, g, nullptr, 0, &m));
  };
  PREPARE(cudaGraphInstantiate(&e, graph_of(fill), 0));
  m.value = 9;
  update("a fill with another value", e, graph_of(fill));
  m.width = 8;
  update("a wider fill", e, graph_of(fill));
  m.elementSize = 1;
  update("a fill of bytes", e, graph_of(fill));
  m.height = 2;
  m.pitch = 64;
  update("a fill of two lines", e, graph_of(fill));
  update("a copy instead of a fill", e, graph_of(copy));
  static cudaHostNodeParams h = {[](void*) {}, nullptr};
  const auto host = [](cudaGraph_t g) { PREPARE(cudaGraphAddHostNode(&node, g, nullptr, 0, &h)); };
  PREPARE(cudaGraphInstantiate(&e, graph_of(host), 0));
  h.userData = bytes;
  update("other data", e, graph_of(host));
  h.fn = [](void*) { ++bytes[0]; };
  update("another host function", e, graph_of(host));
  PREPARE(cudaGraphInstantiate(&e, graph_of([](cudaGraph_t g) {
    PREPARE(cudaGraphAddEmptyNode(&node, g, nullptr, 0));
    PREPARE(cudaGraphAddEmptyNode(&second, g, &node, 1));
  }),
                               0));
  update("without the edge", e, graph_of([](cudaGraph_t g) {
           PREPARE(cudaGraphAddEmptyNode(&node, g, nullptr, 0));
           PREPARE(cudaGraphAddEmptyNode(&second, g, nullptr, 0));
         }));
  update("with the edge turned round", e, graph_of([](cudaGraph_t g) {
           PREPARE(cudaGraphAddEmptyNode(&node, g, nullptr, 0));
           PREPARE(cudaGraphAddEmptyNode(&second, g, nullptr, 0));
           PREPARE(cudaGraphAddDependencies(g, &second, &node, nullptr, 1));
         }));
  update("one node", e,
         graph_of([](cudaGraph_t g) { PREPARE(cudaGraphAddEmptyNode(&node, g, nullptr, 0)); }));
  update("another type behind", e, graph_of([](cudaGraph_t g) {
           PREPARE(cudaGraphAddEmptyNode(&node, g, nullptr, 0));
           PREPARE(cudaGraphAddHostNode(&second, g, &node, 1, &h));
         }));
}

CASE(rq_graph_parameters_of_instances) {
  prepare();
  cudaGraph_t g, other;
  cudaGraphExec_t e;
  cudaGraphNode_t copy, fill, host, child, event_node, foreign;
  cudaEvent_t event;
  PREPARE(cudaEventCreate(&event));
  PREPARE(cudaGraphCreate(&g, 0));
  PREPARE(cudaGraphCreate(&other, 0));
  cudaGraphNode_t kernel = add_kernel(g, kernel_of(&store, 1, 1, 0));
  foreign = add_kernel(other, kernel_of(&store, 1, 1, 0));
  PREPARE(cudaGraphAddMemcpyNode1D(&copy, g, nullptr, 0, d, pinned, 64, cudaMemcpyHostToDevice));
  cudaMemsetParams m = {};
  m.dst = d;
  m.elementSize = 4;
  m.width = 4;
  m.height = 1;
  PREPARE(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
  cudaHostNodeParams h = {[](void*) {}, nullptr};
  PREPARE(cudaGraphAddHostNode(&host, g, nullptr, 0, &h));
  PREPARE(cudaGraphAddChildGraphNode(&child, g, nullptr, 0, other));
  PREPARE(cudaGraphAddEventRecordNode(&event_node, g, nullptr, 0, event));
  PREPARE(cudaGraphInstantiate(&e, g, 0));
  const auto set = [&](const char* question, cudaGraphNode_t node, cudaKernelNodeParams k) {
    try_to_survive(question, [&] { return cudaGraphExecKernelNodeSetParams(e, node, &k); });
  };
  set("the same", kernel, kernel_of(&store, 1, 1, 0));
  set("no grid", kernel, kernel_of(&store, 0, 1, 0));
  set("a large block", kernel, kernel_of(&store, 1, 1025, 0));
  set("shared memory", kernel, kernel_of(&store, 1, 1, 49153));
  set("nothing registered", kernel, kernel_of(unregistered, 1, 1, 0));
  set("no function", kernel, kernel_of(nullptr, 1, 1, 0));
  set("another function", kernel, kernel_of(&add_one, 1, 1, 0));
  set("of another graph", foreign, kernel_of(&store, 1, 1, 0));
  set("of a copy", copy, kernel_of(&store, 1, 1, 0));
  set("of none", nullptr, kernel_of(&store, 1, 1, 0));
  TRY(cudaGraphExecKernelNodeSetParams(e, kernel, nullptr));
  TRY(cudaGraphExecMemcpyNodeSetParams1D(e, copy, d, pinned, 64, cudaMemcpyHostToDevice));
  TRY(cudaGraphExecMemcpyNodeSetParams1D(e, copy, d, pinned, 0, cudaMemcpyHostToDevice));
  TRY(cudaGraphExecMemcpyNodeSetParams1D(e, copy, d, pinned, 64, cudaMemcpyDeviceToHost));
  TRY(cudaGraphExecMemcpyNodeSetParams1D(e, copy, pinned, d, 64, cudaMemcpyDeviceToHost));
  TRY(cudaGraphExecMemcpyNodeSetParams1D(e, copy, d, pinned, 64, cudaMemcpyKind(9)));
  TRY(cudaGraphExecMemcpyNodeSetParams1D(e, copy, nullptr, pinned, 64, cudaMemcpyHostToDevice));
  TRY(cudaGraphExecMemcpyNodeSetParams1D(e, fill, d, pinned, 64, cudaMemcpyHostToDevice));
  TRY(cudaGraphExecMemcpyNodeSetParamsToSymbol(e, copy, numbers, pinned, 16, 0,
                                               cudaMemcpyHostToDevice));
  TRY(cudaGraphExecMemcpyNodeSetParamsToSymbol(e, copy, numbers, pinned, 17, 0,
                                               cudaMemcpyHostToDevice));
  TRY(cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, copy, pinned, numbers, 16, 0,
                                                 cudaMemcpyDeviceToHost));
  TRY(cudaGraphExecMemcpyNodeSetParams(e, copy, nullptr));
  TRY(cudaGraphExecMemsetNodeSetParams(e, fill, &m));
  m.width = 1024;
  TRY(cudaGraphExecMemsetNodeSetParams(e, fill, &m));
  m.height = 2;
  m.pitch = 4096;
  TRY(cudaGraphExecMemsetNodeSetParams(e, fill, &m));
  m.elementSize = 3;
  TRY(cudaGraphExecMemsetNodeSetParams(e, fill, &m));
  TRY(cudaGraphExecMemsetNodeSetParams(e, copy, &m));
  TRY(cudaGraphExecMemsetNodeSetParams(e, fill, nullptr));
  TRY(cudaGraphExecHostNodeSetParams(e, host, &h));
  TRY(cudaGraphExecHostNodeSetParams(e, host, nullptr));
  h.fn = nullptr;
  TRY(cudaGraphExecHostNodeSetParams(e, host, &h));
  TRY(cudaGraphExecChildGraphNodeSetParams(e, child, other));
  TRY(cudaGraphExecChildGraphNodeSetParams(e, child, g));
  TRY(cudaGraphExecChildGraphNodeSetParams(e, child, nullptr));
  TRY(cudaGraphExecEventRecordNodeSetEvent(e, event_node, event));
  TRY(cudaGraphExecEventRecordNodeSetEvent(e, event_node, nullptr));
  TRY(cudaGraphExecEventWaitNodeSetEvent(e, event_node, event));
  for (cudaGraphNode_t node : {kernel, copy, fill, host, child, event_node, foreign}) {
    unsigned enabled = 9;
    TRY(cudaGraphNodeGetEnabled(e, node, &enabled));
    ASK(enabled);
    TRY(cudaGraphNodeSetEnabled(e, node, 0));
    TRY(cudaGraphNodeSetEnabled(e, node, 7));
    TRY(cudaGraphNodeGetEnabled(e, node, &enabled));
    ASK(enabled);
  }
  unsigned long long flags = 9;
  TRY(cudaGraphExecGetFlags(e, nullptr));
  TRY(cudaGraphExecGetFlags(nullptr, &flags));
  // The graph is gone; its instance stays.
  TRY(cudaGraphDestroy(g));
  TRY(cudaGraphLaunch(e, nullptr));
  TRY(cudaGraphLaunch(e, cudaStreamPerThread));
  TRY(cudaDeviceSynchronize());
  TRY(cudaGraphExecDestroy(e));
  TRY(cudaGraphLaunch(e, nullptr));
  TRY(cudaGraphExecDestroy(e));
}

CASE(rq_graph_nodes_of_any_type) {
  prepare();
  cudaGraph_t g;
  cudaGraphNode_t node, kernel;
  cudaGraphNodeParams p = {};
  PREPARE(cudaGraphCreate(&g, 0));
  const auto add = [&](const char* question) {
    node = nullptr;
    try_to_survive(question, [&] { return cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p); });
    cudaGraphNodeType type = cudaGraphNodeType(99);
    if (node) PREPARE(cudaGraphNodeGetType(node, &type));
    ASK(int(type));
  };
  p.type = cudaGraphNodeTypeEmpty;
  add("empty");
  p.reserved2 = 1;
  add("empty with a reserved field");
  p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = const_cast<char*>(&store);
  p.kernel.gridDim = p.kernel.blockDim = 1;
  p.kernel.kernelParams = arguments;
  add("kernel");
  kernel = node;
  TRY(cudaGraphNodeSetParams(kernel, &p));
  p.kernel.gridDim = 0;
  add("kernel without a grid");
  TRY(cudaGraphNodeSetParams(kernel, &p));
  p = {};
  p.type = cudaGraphNodeTypeMemcpy;
  p.memcpy.copyParams.srcPtr = {pinned, 64, 64, 1};
  p.memcpy.copyParams.dstPtr = {d, 64, 64, 1};
  p.memcpy.copyParams.extent = {64, 1, 1};
  p.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
  add("copy");
  p.memcpy.flags = 1;
  add("copy with flags");
  p.memcpy.flags = 0;
  TRY(cudaGraphNodeSetParams(kernel, &p));
  p = {};
  p.type = cudaGraphNodeTypeMemset;
  p.memset.dst = d;
  p.memset.elementSize = 1;
  p.memset.width = 4;
  p.memset.height = 1;
  add("fill");
  p.memset.height = 0;
  add("fill without lines");
  p.memset.height = 2;
  p.memset.pitch = 3;
  add("fill with a short pitch");
  p = {};
  p.type = cudaGraphNodeTypeHost;
  add("host without a function");
  p.host.fn = [](void*) {};
  add("host");
  p = {};
  p.type = cudaGraphNodeTypeWaitEvent;
  add("wait for no event");
  p = {};
  p.type = cudaGraphNodeTypeEventRecord;
  PREPARE(cudaEventCreate(&p.eventRecord.event));
  add("record");
  p = {};
  p.type = cudaGraphNodeTypeGraph;
  add("no graph");
  p.graph.graph = g;
  add("itself");
  p = {};
  p.type = cudaGraphNodeTypeMemAlloc;
  p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  p.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
  p.alloc.bytesize = 64;
  add("allocation");
  void* at = p.alloc.dptr;
  ASK(at != nullptr);
  p = {};
  p.type = cudaGraphNodeTypeMemFree;
  p.free.dptr = at;
  add("free");
  add("free again");
  TRY(cudaGraphAddNode(nullptr, g, nullptr, nullptr, 0, &p));
  TRY(cudaGraphAddNode(&node, nullptr, nullptr, nullptr, 0, &p));
  TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, nullptr));
  p = {};
  p.type = cudaGraphNodeTypeEmpty;
  TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 1, &p));
  TRY(cudaGraphAddNode(&node, g, &kernel, nullptr, 1, &p));
  cudaGraphNode_t twice[] = {kernel, kernel};
  TRY(cudaGraphAddNode(&node, g, twice, nullptr, 2, &p));
  cudaGraphEdgeData edge = {};
  TRY(cudaGraphAddNode(&node, g, &kernel, &edge, 1, &p));
  for (int type : {0, 1, 2}) {
    for (int from : {0, 1, 2, 3}) {
      edge = {};
      edge.type = static_cast<unsigned char>(type);
      edge.from_port = static_cast<unsigned char>(from);
      TOLD(cudaGraphAddNode(&node, g, &kernel, &edge, 1, &p), "edge to empty ", type, " from ",
           from);
    }
  }
}

CASE(rq_graph_handles) {
  cudaGraph_t g, other;
  cudaGraphNode_t a, b, nodes[4];
  size_t n;
  PREPARE(cudaGraphCreate(&g, 0));
  PREPARE(cudaGraphCreate(&other, 0));
  PREPARE(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
  PREPARE(cudaGraphAddEmptyNode(&b, g, &a, 1));
  for (size_t room : {0, 1, 2, 4}) {
    n = room;
    memset(nodes, 0x11, sizeof nodes);
    TOLD(cudaGraphGetNodes(g, nodes, &n), "nodes, room ", room);
    ASK(n);
    NOTE("beyond", text(nodes[2] == nullptr ? "null" : "left"));
    n = room;
    TOLD(cudaGraphGetRootNodes(g, nodes, &n), "roots, room ", room);
    ASK(n);
    n = room;
    cudaGraphNode_t to[4];
    TOLD(cudaGraphGetEdges(g, nodes, to, nullptr, &n), "edges, room ", room);
    ASK(n);
    n = room;
    TOLD(cudaGraphNodeGetDependencies(b, nodes, nullptr, &n), "dependencies, room ", room);
    ASK(n);
  }
  TRY(cudaGraphAddDependencies(other, &a, &b, nullptr, 1));
  TRY(cudaGraphAddEmptyNode(&nodes[0], other, &a, 1));
  TRY(cudaGraphRemoveDependencies(g, &b, &a, nullptr, 1));
  TRY(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
  TRY(cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
  TRY(cudaGraphDestroyNode(a));
  TRY(cudaGraphDestroyNode(a));
  cudaGraphNodeType type;
  TRY(cudaGraphNodeGetType(a, &type));
  TRY(cudaGraphDestroyNode(nullptr));
  PREPARE(cudaGraphDestroy(other));
  TRY(cudaGraphGetNodes(other, nullptr, &n));
  cudaGraphExec_t e;
  TRY(cudaGraphInstantiate(&e, other, 0));
}
