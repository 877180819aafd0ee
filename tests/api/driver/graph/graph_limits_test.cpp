// SPDX-License-Identifier: Apache-2.0
// Limits of graphs: how deep and how long they can be; and random calls with arbitrary handles and
// null pointers, none of which may crash the program.
#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "tests/api/driver/graph_scene.hpp"
#include "tests/api/driver/kernels.hpp"

namespace {

constexpr unsigned most_nested = 512;  // Graph::most_nested

CUresult put_inside(CUgraph& graph, CUgraphChildGraphNodeOwnership ownership) {
  CUgraph outer = nullptr;
  EXPECT_EQ(cuGraphCreate(&outer, 0), CUDA_SUCCESS);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
  parameters.graph.graph = graph;
  parameters.graph.ownership = ownership;
  CUgraphNode node = nullptr;
  const CUresult result = cuGraphAddNode(&node, outer, nullptr, nullptr, 0, &parameters);
  if (result == CUDA_SUCCESS) {
    if (ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) {
      EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    }
    graph = outer;
  } else {
    EXPECT_EQ(cuGraphDestroy(outer), CUDA_SUCCESS);
  }
  return result;
}

// Deeper nesting is refused; at the greatest depth everything works.
TEST(cuGraphAddNode, NestsGraphsUpToALimit) {
  Graphs g;
  g.fill(0, 7);
  CUgraph graph = g.graph;
  for (unsigned depth = 1; depth < most_nested; ++depth)
    OK(put_inside(graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE));
  EXPECT_EQ(put_inside(graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(put_inside(graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE), CUDA_ERROR_INVALID_VALUE);
  CUgraph clone = nullptr;
  OK(cuGraphClone(&clone, graph));
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, clone, 0));
  CUgraphExecUpdateResultInfo info;
  OK(cuGraphExecUpdate(exec, graph, &info));
  OK(cuGraphDebugDotPrint(graph, "/dev/null", 0));
  OK(cuGraphLaunch(exec, g.stream));
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.read(0), 7u);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(clone));
  OK(cuGraphDestroy(graph));
}

// Levels inside a captured launch count, too.
TEST(cuGraphLaunch, NestsNoDeeperThanThat) {
  Graphs g;
  CUgraph graph = g.graph;
  for (unsigned depth = 1; depth < most_nested; ++depth)
    OK(put_inside(graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE));
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuGraphLaunch(exec, g.stream), CUDA_ERROR_INVALID_VALUE);
  CUgraph captured = nullptr;
  static_cast<void>(cuStreamEndCapture(g.stream, &captured));
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

TEST(cuGraphAddEmptyNode, MakesAVeryLongChain) {
  Graphs g;
  CUgraphNode last = g.fill(0, 1);
  constexpr int length = 300'000;
  for (int i = 0; i < length; ++i) {
    CUgraphNode node = nullptr;
    OK(cuGraphAddEmptyNode(&node, g.graph, &last, 1));
    last = node;
  }
  g.fill(0, 2, {last});
  CUgraph clone = nullptr;
  OK(cuGraphClone(&clone, g.graph));
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, clone, 0));
  OK(cuGraphLaunch(exec, g.stream));
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.read(0), 2u);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(clone));
}

TEST(cuGraphKernelNodeCopyAttributes, TakesTheSameNodeTwice) {
  const Kernels kernels;
  CUgraph graph = nullptr;
  OK(cuGraphCreate(&graph, 0));
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = kernels["none"];
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  CUgraphNode one = nullptr, other = nullptr;
  OK(cuGraphAddKernelNode(&one, graph, nullptr, 0, &p));
  OK(cuGraphAddKernelNode(&other, graph, nullptr, 0, &p));
  CUkernelNodeAttrValue value{};
  value.priority = -1;
  OK(cuGraphKernelNodeSetAttribute(one, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
  for (const CUgraphNode node : {one, other}) {
    OK(cuGraphKernelNodeCopyAttributes(node, one));
    value = {};
    OK(cuGraphKernelNodeGetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
    EXPECT_EQ(value.priority, -1);
  }
  OK(cuGraphDestroy(graph));
}

// Makes random calls with arguments of every sort: live, destroyed, of the wrong type, null; with a
// context and without one.
class Fuzz {
 public:
  explicit Fuzz(unsigned seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      CUgraph graph = nullptr;
      EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
      graphs_.push_back(graph);
    }
  }

  void step() {
    if (pick(40) == 0) {
      EXPECT_EQ(cuCtxSetCurrent(pick(2) ? kernels_.scene.context : nullptr), CUDA_SUCCESS);
    }
    CUgraphNode made = nullptr, after[2] = {node(), node()};
    const CUgraph in = graph();
    const CUgraphNode* const list = pick(8) ? after : nullptr;
    const size_t count = pick(2) ? 0 : pick(3);
    if (pick(20) == 0) {
      CUgraph fresh = nullptr;
      EXPECT_EQ(cuGraphCreate(&fresh, 0), CUDA_SUCCESS);
      keep(graphs_, fresh);
    }
    const CUcontext context = pick(2) ? kernels_.scene.context : nullptr;
    CUDA_MEMSET_NODE_PARAMS set{memory(), 0, 1, pick(5), pick(20), pick(3)};
    CUDA_MEMCPY3D box{};
    box.srcMemoryType = box.dstMemoryType = pick(4) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    box.srcDevice = memory();
    box.dstDevice = memory();
    box.srcHost = pick(2) ? host_ : nullptr;
    box.dstHost = pick(2) ? host_ : nullptr;
    box.WidthInBytes = pick(64);
    box.Height = box.Depth = pick(2);
    CUDA_KERNEL_NODE_PARAMS kernel{};
    kernel.func = pick(4) ? function_ : nullptr;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = pick(8) ? 1 : 0;
    kernel.ctx = context;
    CUDA_HOST_NODE_PARAMS call{[](void*) {}, nullptr};
    if (pick(2)) call.fn = nullptr;
    CUDA_MEM_ALLOC_NODE_PARAMS memory_node{};
    memory_node.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    memory_node.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    memory_node.bytesize = pick(3) * 512;
    CUDA_BATCH_MEM_OP_NODE_PARAMS batch{context, pick(2), nullptr, 0};
    CUgraphNodeParams any{};
    any.type = static_cast<CUgraphNodeType>(pick(16));
    if (any.type == CU_GRAPH_NODE_TYPE_MEMSET) {
      any.memset.dst = memory();
      any.memset.elementSize = any.memset.width = any.memset.height = 1;
      any.memset.ctx = context;
    } else if (any.type == CU_GRAPH_NODE_TYPE_GRAPH) {
      any.graph.graph = graph();
      any.graph.ownership = static_cast<CUgraphChildGraphNodeOwnership>(pick(3));
    } else if (any.type == CU_GRAPH_NODE_TYPE_KERNEL) {
      any.kernel.func = kernel.func;
      any.kernel.gridDimX = any.kernel.gridDimY = any.kernel.gridDimZ = 1;
      any.kernel.blockDimX = any.kernel.blockDimY = any.kernel.blockDimZ = 1;
    }
    switch (pick(42)) {
      case 0:
        cuGraphAddEmptyNode(&made, in, list, count);
        break;
      case 1:
        cuGraphAddMemsetNode(&made, in, list, count, pick(9) ? &set : nullptr, context);
        break;
      case 2:
        cuGraphAddMemcpyNode(&made, in, list, count, pick(9) ? &box : nullptr, context);
        break;
      case 3:
        cuGraphAddKernelNode(&made, in, list, count, pick(9) ? &kernel : nullptr);
        break;
      case 4:
        cuGraphAddHostNode(&made, in, list, count, pick(9) ? &call : nullptr);
        break;
      case 5:
        cuGraphAddEventRecordNode(&made, in, list, count, event());
        break;
      case 6:
        cuGraphAddEventWaitNode(&made, in, list, count, event());
        break;
      case 7:
        cuGraphAddChildGraphNode(&made, in, list, count, graph());
        break;
      case 8:
        cuGraphAddMemAllocNode(&made, in, list, count, &memory_node);
        break;
      case 9:
        cuGraphAddMemFreeNode(&made, in, list, count, memory());
        break;
      case 10:
        cuGraphAddBatchMemOpNode(&made, in, list, count, &batch);
        break;
      case 11:
        cuGraphAddNode(&made, in, list, nullptr, count, pick(9) ? &any : nullptr);
        break;
      case 12:
        cuGraphAddDependencies(in, list, pick(8) ? after + 1 : list, nullptr, count % 2);
        break;
      case 13:
        cuGraphRemoveDependencies(in, list, after + 1, nullptr, count % 2);
        break;
      case 14:
        cuGraphKernelNodeCopyAttributes(after[0], pick(2) ? after[0] : after[1]);
        break;
      case 15:
        cuGraphKernelNodeSetParams(after[0], pick(9) ? &kernel : nullptr);
        break;
      case 16:
        cuGraphMemsetNodeSetParams(after[0], pick(9) ? &set : nullptr);
        break;
      case 17:
        cuGraphMemcpyNodeSetParams(after[0], pick(9) ? &box : nullptr);
        break;
      case 18:
        cuGraphNodeSetParams(after[0], pick(9) ? &any : nullptr);
        break;
      case 19:
        cuGraphExecMemsetNodeSetParams(exec(), after[0], &set, context);
        break;
      case 20:
        cuGraphExecMemcpyNodeSetParams(exec(), after[0], &box, context);
        break;
      case 21:
        cuGraphExecKernelNodeSetParams(exec(), after[0], &kernel);
        break;
      case 22:
        cuGraphExecNodeSetParams(exec(), after[0], pick(9) ? &any : nullptr);
        break;
      case 23:
        cuGraphExecChildGraphNodeSetParams(exec(), after[0], graph());
        break;
      case 24: {
        CUgraphExecUpdateResultInfo info;
        cuGraphExecUpdate(exec(), graph(), pick(9) ? &info : nullptr);
        break;
      }
      case 25:
      case 26: {
        CUgraphExec fresh = nullptr;
        cuGraphInstantiate(pick(20) ? &fresh : nullptr, in, 0);
        if (!fresh) break;
        keep(execs_, fresh);
        ++executables_made;
        break;
      }
      case 27:
      case 28:
        cuGraphLaunch(exec(), stream());
        break;
      case 29:
        cuGraphUpload(exec(), stream());
        break;
      case 30:
        cuGraphExecDestroy(exec());
        break;
      case 31:
        if (pick(3) == 0) cuGraphDestroy(in);
        break;
      case 32:
        cuGraphDestroyNode(after[0]);
        break;
      case 33: {
        CUgraph fresh = nullptr;
        pick(2) ? cuGraphClone(pick(20) ? &fresh : nullptr, in) : cuGraphCreate(&fresh, 0);
        if (fresh) keep(graphs_, fresh);
        break;
      }
      case 34:
        cuGraphNodeFindInClone(&made, after[0], in);
        break;
      case 35: {
        CUDA_KERNEL_NODE_PARAMS told;
        cuGraphKernelNodeGetParams(after[0], pick(9) ? &told : nullptr);
        break;
      }
      case 36: {
        CUgraph inner = nullptr;
        cuGraphChildGraphNodeGetGraph(after[0], &inner);
        if (inner) keep(graphs_, inner);
        break;
      }
      case 37:
        cuGraphDebugDotPrint(in, "/dev/null", pick(2));
        break;
      case 38: {
        size_t number = pick(4);
        CUgraphNode told[4];
        cuGraphGetNodes(in, pick(2) ? told : nullptr, pick(9) ? &number : nullptr);
        break;
      }
      case 39:
        cuStreamBeginCapture(stream(), static_cast<CUstreamCaptureMode>(pick(4)));
        break;
      case 40: {
        CUgraph captured = nullptr;
        cuStreamEndCapture(stream(), pick(9) ? &captured : nullptr);
        if (captured) keep(graphs_, captured);
        break;
      }
      case 41:
        cuMemsetD8Async(memory(), 1, 4, stream());
        break;
    }
    if (!made) return;
    keep(nodes_, made);
    ++nodes_made;
  }

  unsigned nodes_made = 0, executables_made = 0;

  void end() {
    EXPECT_EQ(cuCtxSetCurrent(kernels_.scene.context), CUDA_SUCCESS);
    CUgraph captured = nullptr;
    for (const CUstream stream : streams_) static_cast<void>(cuStreamEndCapture(stream, &captured));
    for (const CUgraphExec exec : execs_) static_cast<void>(cuGraphExecDestroy(exec));
    for (const CUgraph graph : graphs_) static_cast<void>(cuGraphDestroy(graph));
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  template <typename Handle>
  Handle any_of(const std::vector<Handle>& all) {
    const unsigned number = pick(static_cast<unsigned>(all.size()) + 1);
    if (number < all.size()) return all[number];
    return pick(2) ? nullptr : reinterpret_cast<Handle>(function_);
  }
  // New handles replace random old ones, so handles of destroyed objects stay in use for a while.
  template <typename Handle>
  void keep(std::vector<Handle>& all, Handle fresh) {
    if (all.size() < 24)
      all.push_back(fresh);
    else
      all[pick(24)] = fresh;
  }
  CUgraph graph() { return any_of(graphs_); }
  CUgraphNode node() { return any_of(nodes_); }
  CUgraphExec exec() { return any_of(execs_); }
  CUevent event() { return any_of(events_); }
  CUstream stream() { return any_of(streams_); }
  CUdeviceptr memory() { return pick(8) ? memory_ + pick(256) : 0; }

  std::mt19937 random_;
  const Kernels kernels_;
  CUfunction function_ = kernels_["none"];
  std::vector<CUgraph> graphs_;
  std::vector<CUgraphNode> nodes_;
  std::vector<CUgraphExec> execs_;
  std::vector<CUevent> events_{new_event(), new_event()};
  std::vector<CUstream> streams_{new_stream(), new_stream(CU_STREAM_DEFAULT)};
  CUdeviceptr memory_ = new_memory(4096);
  char host_[128] = {};
};

TEST(GraphCalls, SurviveWhateverTheyAreGiven) {
  const char* const wish = getenv("CUVETTE_TEST_SEEDS");
  const unsigned seeds = wish ? static_cast<unsigned>(atoi(wish)) : 20;
  unsigned nodes = 0, executables = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Fuzz fuzz(seed);
    for (int i = 0; i < 1500; ++i) fuzz.step();
    fuzz.end();
    nodes += fuzz.nodes_made;
    executables += fuzz.executables_made;
  }
  // Most calls make no sense, but enough of them succeed.
  EXPECT_GT(nodes, 50 * seeds);
  EXPECT_GT(executables, 2 * seeds);
}

}  // namespace
