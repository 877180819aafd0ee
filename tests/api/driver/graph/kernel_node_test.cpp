// SPDX-License-Identifier: Apache-2.0
// Kernels as nodes of graphs.
#include <cuda.h>

#include "tests/api/driver/kernels.hpp"

// The versions of these functions that <cuda.h> does not name.
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
extern "C" {
CUresult cuGraphAddKernelNode(CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
                              const CUDA_KERNEL_NODE_PARAMS_v1*);
CUresult cuGraphKernelNodeGetParams(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1*);
CUresult cuGraphKernelNodeSetParams(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1*);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec, CUgraphNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1*);
}

namespace {

class KernelNodes : public Kernels {
 public:
  KernelNodes() {
    parameters.func = (*this)["number"];
    parameters.gridDimX = 2;
    parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = 32;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = values;
    EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &parameters), CUDA_SUCCESS);
  }
  ~KernelNodes() {
    if (exec) cuGraphExecDestroy(exec);
    cuGraphDestroy(graph);
  }
  void instantiate() { OK(cuGraphInstantiateWithFlags(&exec, graph, 0)); }
  void run() {
    OK(cuGraphLaunch(exec, nullptr));
    OK(cuCtxSynchronize());
  }

  uint32_t value = 10;
  void* values[2] = {&memory, &value};
  CUDA_KERNEL_NODE_PARAMS parameters = {};
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
};

TEST(cuGraphAddKernelNode, Runs) {
  KernelNodes nodes;
  nodes.value = 11;  // the node has copied its parameters
  nodes.instantiate();
  nodes.run();
  EXPECT_EQ(nodes.read(64)[63], 10u + 31);
}

TEST(cuGraphAddKernelNode, TakesTheOldParameters) {
  KernelNodes nodes;
  const CUDA_KERNEL_NODE_PARAMS_v1 old = {nodes.parameters.func, 1,      1, 1, 64, 1, 1, 0,
                                          nodes.values,          nullptr};
  CUgraphNode node = nullptr;
  OK(cuGraphAddKernelNode(&node, nodes.graph, &nodes.node, 1, &old));
  nodes.instantiate();
  nodes.run();
  EXPECT_EQ(nodes.read(64)[63], 10u + 63);
  CUDA_KERNEL_NODE_PARAMS_v1 told;
  OK(cuGraphKernelNodeGetParams(node, &told));
  EXPECT_EQ(told.blockDimX, 64u);
  told.blockDimX = 32;
  OK(cuGraphKernelNodeSetParams(node, &told));
  OK(cuGraphExecKernelNodeSetParams(nodes.exec, node, &told));
}

TEST(cuGraphAddKernelNode, ChecksLikeALaunch) {
  KernelNodes nodes;
  CUgraphNode node;
  nodes.parameters.blockDimX = 2000;
  EXPECT_EQ(cuGraphAddKernelNode_v2(&node, nodes.graph, nullptr, 0, &nodes.parameters),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddKernelNode_v2(&node, nodes.graph, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  nodes.parameters.func = nullptr;
  EXPECT_NE(cuGraphAddKernelNode_v2(&node, nodes.graph, nullptr, 0, &nodes.parameters),
            CUDA_SUCCESS);
}

TEST(cuGraphKernelNodeGetParams, TellsWhatTheNodeDoes) {
  KernelNodes nodes;
  CUDA_KERNEL_NODE_PARAMS told = {};
  OK(cuGraphKernelNodeGetParams_v2(nodes.node, &told));
  EXPECT_EQ(told.func, nodes.parameters.func);
  EXPECT_EQ(told.gridDimX, 2u);
  EXPECT_EQ(told.blockDimX, 32u);
  ASSERT_NE(told.kernelParams, nullptr);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(told.kernelParams[0]), nodes.memory);
  EXPECT_EQ(*static_cast<uint32_t*>(told.kernelParams[1]), 10u);
  EXPECT_EQ(cuGraphKernelNodeGetParams_v2(nodes.node, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphKernelNodeSetParams, ChangesTheNodeButNotWhatIsExecutable) {
  KernelNodes nodes;
  nodes.instantiate();
  nodes.value = 50;
  OK(cuGraphKernelNodeSetParams_v2(nodes.node, &nodes.parameters));
  nodes.run();
  EXPECT_EQ(nodes.read(1)[0], 10u);
  OK(cuGraphExecDestroy(nodes.exec));
  nodes.instantiate();
  nodes.run();
  EXPECT_EQ(nodes.read(1)[0], 50u);
}

TEST(cuGraphExecKernelNodeSetParams, ChangesLaterLaunches) {
  KernelNodes nodes;
  nodes.instantiate();
  nodes.value = 70;
  nodes.parameters.gridDimX = 1;
  OK(cuGraphExecKernelNodeSetParams_v2(nodes.exec, nodes.node, &nodes.parameters));
  nodes.run();
  EXPECT_EQ(nodes.read(1)[0], 70u);
  EXPECT_EQ(nodes.read(33)[32], 0u);
  // Another function of the context may take its place.
  nodes.parameters.func = nodes["none"];
  nodes.parameters.kernelParams = nullptr;
  OK(cuGraphExecKernelNodeSetParams_v2(nodes.exec, nodes.node, &nodes.parameters));
  nodes.run();
}

TEST(cuGraphKernelNodeSetAttribute, KeepsWhatItIsTold) {
  KernelNodes nodes;
  CUkernelNodeAttrValue value = {};
  value.cooperative = 1;
  OK(cuGraphKernelNodeSetAttribute(nodes.node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  value = {};
  value.priority = -2;
  OK(cuGraphKernelNodeSetAttribute(nodes.node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  CUkernelNodeAttrValue told = {};
  OK(cuGraphKernelNodeGetAttribute(nodes.node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &told));
  EXPECT_EQ(told.cooperative, 1);
  OK(cuGraphKernelNodeGetAttribute(nodes.node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &told));
  EXPECT_EQ(told.priority, -2);
  nodes.instantiate();
  nodes.run();
  EXPECT_EQ(nodes.read(1)[0], 10u);
}

TEST(cuGraphKernelNodeGetAttribute, RefusesWhatIsNone) {
  KernelNodes nodes;
  CUkernelNodeAttrValue told = {};
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(nodes.node, static_cast<CUkernelNodeAttrID>(99), &told),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(nodes.node, CU_LAUNCH_ATTRIBUTE_PRIORITY, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphKernelNodeCopyAttributes, CopiesThem) {
  KernelNodes nodes;
  CUgraphNode other;
  OK(cuGraphAddKernelNode_v2(&other, nodes.graph, nullptr, 0, &nodes.parameters));
  CUkernelNodeAttrValue value = {};
  value.cooperative = 1;
  OK(cuGraphKernelNodeSetAttribute(nodes.node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  OK(cuGraphKernelNodeCopyAttributes(other, nodes.node));
  value = {};
  OK(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  EXPECT_EQ(value.cooperative, 1);
}

}  // namespace
