// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and free, its statistics, and conditional nodes.
#include <cstring>
#include <fstream>
#include <string>

#include "tests/api/driver/graph_scene.hpp"

namespace {

CUDA_MEM_ALLOC_NODE_PARAMS allocation(size_t size) {
  CUDA_MEM_ALLOC_NODE_PARAMS p;
  memset(&p, 0, sizeof p);
  p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.bytesize = size;
  return p;
}

cuuint64_t account(CUgraphMem_attribute attribute) {
  cuuint64_t value = ~cuuint64_t{0};
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, attribute, &value), CUDA_SUCCESS);
  return value;
}

// A graph that allocates, fills and copies a word out, and may free the memory.
struct AllocatingGraph : Graphs {
  explicit AllocatingGraph(bool frees) {
    p = allocation(1 << 20);
    EXPECT_EQ(cuGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &p), CUDA_SUCCESS);
    const CUDA_MEMSET_NODE_PARAMS set = {p.dptr, 0, 77, 4, (1 << 20) / 4, 1};
    EXPECT_EQ(cuGraphAddMemsetNode(&filled, graph, &allocated, 1, &set, scene.context),
              CUDA_SUCCESS);
    CUDA_MEMCPY3D out = words(0, 0);
    out.srcDevice = p.dptr + (1 << 20) - 4;
    EXPECT_EQ(cuGraphAddMemcpyNode(&copied, graph, &filled, 1, &out, scene.context), CUDA_SUCCESS);
    if (!frees) return;
    EXPECT_EQ(cuGraphAddMemFreeNode(&freed, graph, &copied, 1, p.dptr), CUDA_SUCCESS);
  }
  CUDA_MEM_ALLOC_NODE_PARAMS p;
  CUgraphNode allocated = nullptr, filled = nullptr, copied = nullptr, freed = nullptr;
};

TEST(cuGraphAddMemAllocNode, GivesMemoryToTheGraph) {
  AllocatingGraph g(true);
  EXPECT_NE(g.p.dptr, 0u);
  const CUgraphExec exec = g.exec();
  for (int i = 0; i < 3; ++i) {
    OK(cuMemsetD32Async(g.memory, 0, 1, g.stream));
    g.run(exec);
    EXPECT_EQ(g.read(0), 77u);
  }
}

TEST(cuGraphAddMemAllocNode, ChecksWhatIsAskedFor) {
  Graphs g;
  const auto expect = [&](CUresult result, const char* why, auto spoil) {
    CUDA_MEM_ALLOC_NODE_PARAMS p = allocation(64);
    spoil(p);
    CUgraphNode node;
    EXPECT_EQ(cuGraphAddMemAllocNode(&node, g.graph, nullptr, 0, &p), result) << why;
    EXPECT_EQ(p.dptr, 0u);
  };
  using P = CUDA_MEM_ALLOC_NODE_PARAMS;
  expect(CUDA_ERROR_INVALID_VALUE, "nothing", [](P& p) { p.bytesize = 0; });
  expect(CUDA_ERROR_OUT_OF_MEMORY, "too much", [](P& p) { p.bytesize = size_t{1} << 50; });
  expect(CUDA_ERROR_INVALID_VALUE, "type",
         [](P& p) { p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_INVALID; });
  expect(CUDA_ERROR_NOT_SUPPORTED, "location",
         [](P& p) { p.poolProps.location.type = CU_MEM_LOCATION_TYPE_HOST; });
  expect(CUDA_ERROR_INVALID_VALUE, "device", [](P& p) { p.poolProps.location.id = 99; });
  expect(CUDA_ERROR_INVALID_VALUE, "shared",
         [](P& p) { p.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; });
  expect(CUDA_ERROR_INVALID_VALUE, "access", [](P& p) { p.accessDescCount = 1; });
  CUgraphNode node;
  EXPECT_EQ(cuGraphAddMemAllocNode(&node, g.graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEM_ALLOC_NODE_PARAMS p = allocation(64);
  EXPECT_EQ(cuGraphAddMemAllocNode(&node, no_graph, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
}

// "Nodes and edges of the graph cannot be deleted"; "only one instantiation may exist"; "the graph
// cannot be cloned".
TEST(cuGraphAddMemAllocNode, TiesTheGraphDown) {
  AllocatingGraph g(true);
  CUgraph clone;
  CUgraphNode node;
  EXPECT_EQ(cuGraphClone(&clone, g.graph), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphDestroyNode(g.copied), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphRemoveDependencies(g.graph, &g.copied, &g.freed, nullptr, 1),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraph outer;
  OK(cuGraphCreate(&outer, 0));
  EXPECT_EQ(cuGraphAddChildGraphNode(&node, outer, nullptr, 0, g.graph), CUDA_ERROR_NOT_SUPPORTED);
  const CUgraphExec exec = g.exec();
  CUgraphExec second;
  EXPECT_EQ(cuGraphInstantiate(&second, g.graph, 0), CUDA_ERROR_NOT_SUPPORTED);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphInstantiate(&second, g.graph, 0));
  g.run(second);
  EXPECT_EQ(g.read(0), 77u);
}

TEST(cuGraphMemAllocNodeGetParams, TellsAddressAndSize) {
  Graphs g;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUDA_MEM_ALLOC_NODE_PARAMS p = allocation(1000), told = {};
  p.accessDescs = &access;
  p.accessDescCount = 1;
  CUgraphNode node;
  OK(cuGraphAddMemAllocNode(&node, g.graph, nullptr, 0, &p));
  OK(cuGraphMemAllocNodeGetParams(node, &told));
  EXPECT_EQ(told.dptr, p.dptr);
  EXPECT_EQ(told.bytesize, 1000u);
  ASSERT_EQ(told.accessDescCount, 1u);
  EXPECT_EQ(told.accessDescs[0].flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_EQ(cuGraphMemAllocNodeGetParams(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphMemAllocNodeGetParams(g.empty(), &told), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphMemFreeNodeGetParams, TellsTheAddress) {
  AllocatingGraph g(true);
  CUdeviceptr told = 0;
  OK(cuGraphMemFreeNodeGetParams(g.freed, &told));
  EXPECT_EQ(told, g.p.dptr);
  EXPECT_EQ(cuGraphMemFreeNodeGetParams(g.freed, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphMemFreeNodeGetParams(g.copied, &told), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphAddMemFreeNode, FreesWhatAGraphAllocates) {
  AllocatingGraph g(true);
  CUgraphNode node;
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, g.graph, nullptr, 0, g.p.dptr), CUDA_ERROR_INVALID_VALUE)
      << "a second time";
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, g.graph, nullptr, 0, g.memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, g.graph, nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

// A graph can free what another one allocates; launching the allocating graph again before that
// would allocate it twice.
TEST(cuGraphAddMemFreeNode, FreesWhatAnotherGraphAllocates) {
  AllocatingGraph g(false);
  CUgraph freeing;
  OK(cuGraphCreate(&freeing, 0));
  CUgraphNode node;
  OK(cuGraphAddMemFreeNode(&node, freeing, nullptr, 0, g.p.dptr));
  const CUgraphExec allocates = g.exec();
  CUgraphExec frees;
  OK(cuGraphInstantiate(&frees, freeing, 0));
  EXPECT_EQ(cuGraphLaunch(frees, g.stream), CUDA_ERROR_INVALID_VALUE) << "nothing is there";
  EXPECT_EQ(cuMemsetD8(g.p.dptr, 1, 4), CUDA_ERROR_INVALID_VALUE) << "nor for a fill";
  for (int i = 0; i < 2; ++i) {
    g.run(allocates);
    EXPECT_EQ(cuGraphLaunch(allocates, g.stream), CUDA_ERROR_INVALID_VALUE);
    unsigned word = 0;
    OK(cuMemcpyDtoH(&word, g.p.dptr, 4));
    EXPECT_EQ(word, 77u) << "it is there after the launch";
    g.run(frees);
    // Measured: after that it is no memory for copies and fills.
    EXPECT_EQ(cuMemsetD8(g.p.dptr, 1, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoH(&word, g.p.dptr, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoD(g.p.dptr + 8, g.memory, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyDtoH(&word, g.memory, 4));
  }
}

TEST(cuGraphInstantiateWithFlags, FreesWhatIsLeftAtTheNextLaunch) {
  AllocatingGraph g(false);
  const CUgraphExec exec = g.exec(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  for (int i = 0; i < 3; ++i) g.run(exec);
  EXPECT_EQ(g.read(0), 77u);
}

TEST(cuDeviceGetGraphMemAttribute, KeepsAccounts) {
  AllocatingGraph g(false);
  OK(cuDeviceGraphMemTrim(0));  // also trims what other graphs have left
  const cuuint64_t none = account(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
  const cuuint64_t reserved = account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  const CUgraphExec exec = g.exec();
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), none);
  // Measured on an H200: the pages come in blocks of 32 MiB, and stay until they are trimmed.
  constexpr cuuint64_t block = 32 << 20;
  OK(cuGraphUpload(exec, g.stream));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), none + block);
    EXPECT_GE(account(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), none + block);
    EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), reserved + block);
    EXPECT_GE(account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), reserved + block);
    if (i == 0) g.run(exec);
  }
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(g.graph));
  OK(cuDeviceGraphMemTrim(0));
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), none + block) << "it is in use";
  OK(cuMemFree(g.p.dptr));
  EXPECT_EQ(cuMemFree(g.p.dptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), none + block);
  OK(cuDeviceGraphMemTrim(0));
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), none);
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), reserved);
  cuuint64_t value = 0;
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, static_cast<CUgraphMem_attribute>(4), &value),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceSetGraphMemAttribute, ResetsHighMarks) {
  AllocatingGraph g(true);
  g.run(g.exec());
  EXPECT_GT(account(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0u);
  cuuint64_t value = 0;
  OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value));
  OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &value));
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0u);
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), 0u);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  value = 1;
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceGraphMemTrim, GivesBackWhatIsNotInUse) {
  AllocatingGraph g(true);
  const CUgraphExec exec = g.exec();
  OK(cuDeviceGraphMemTrim(0));  // also trims what other graphs have left
  const cuuint64_t reserved = account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  g.run(exec);
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), reserved + (32 << 20));
  OK(cuDeviceGraphMemTrim(0));
  EXPECT_EQ(account(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), reserved);
  g.run(exec);
  EXPECT_EQ(g.read(0), 77u);
  EXPECT_EQ(cuDeviceGraphMemTrim(99), CUDA_ERROR_INVALID_DEVICE);
}

// The process's resident memory of one kind, in KiB.
size_t resident(const std::string& kind) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kind + ":")) return std::stoul(line.substr(kind.size() + 1));
  return 0;
}

class GraphMemoryPages : public testing::TestWithParam<CUmemAllocationType> {};
INSTANTIATE_TEST_SUITE_P(cuDeviceGraphMemTrim, GraphMemoryPages,
                         testing::Values(CU_MEM_ALLOCATION_TYPE_PINNED,
                                         CU_MEM_ALLOCATION_TYPE_MANAGED));

// The pages go back to the machine, and return with the next launch.
TEST_P(GraphMemoryPages, AreGivenBack) {
#ifdef __SANITIZE_THREAD__
  if (GetParam() == CU_MEM_ALLOCATION_TYPE_MANAGED)
    GTEST_SKIP() << "ThreadSanitizer's own pages are counted with these";
#endif
  const Scene scene;
  const auto pages = [] {
    return resident(GetParam() == CU_MEM_ALLOCATION_TYPE_PINNED ? "RssShmem" : "RssAnon");
  };
  CUgraph graph;
  OK(cuGraphCreate(&graph, 0));
  CUDA_MEM_ALLOC_NODE_PARAMS p = {};
  p.poolProps.allocType = GetParam();
  p.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  p.bytesize = 64 << 20;
  CUgraphNode allocate, fill, free;
  OK(cuGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &p));
  const CUDA_MEMSET_NODE_PARAMS whole{p.dptr, 0, 7, 4, p.bytesize / 4, 1};
  OK(cuGraphAddMemsetNode(&fill, graph, &allocate, 1, &whole, scene.context));
  OK(cuGraphAddMemFreeNode(&free, graph, &fill, 1, p.dptr));
  CUgraphExec exec;
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  for (int round = 0; round < 2; ++round) {
    const size_t before = pages();
    OK(cuGraphLaunch(exec, nullptr));
    OK(cuCtxSynchronize());
    EXPECT_GE(pages(), before + (60 << 10));
    OK(cuDeviceGraphMemTrim(0));
    EXPECT_LE(pages(), before + (4 << 10));
  }
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

TEST(cuGraphAddMemAllocNode, GivesManagedMemoryToTheHost) {
  Graphs g;
  CUDA_MEM_ALLOC_NODE_PARAMS p = allocation(1 << 20);
  p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
  CUgraphNode node = nullptr, filled = nullptr;
  OK(cuGraphAddMemAllocNode(&node, g.graph, nullptr, 0, &p));
  const CUDA_MEMSET_NODE_PARAMS set = {p.dptr, 0, 77, 4, 16, 1};
  OK(cuGraphAddMemsetNode(&filled, g.graph, &node, 1, &set, g.scene.context));
  const CUgraphExec exec = g.exec();
  for (int i = 0; i < 2; ++i) {
    g.run(exec);
    auto* const words = reinterpret_cast<volatile unsigned*>(p.dptr);
    EXPECT_EQ(words[15], 77u);
    words[15] = 5;
    OK(cuMemFree(p.dptr));
    OK(cuDeviceGraphMemTrim(0));
  }
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(g.graph));
}

// "cudaFree or cudaFreeAsync" end the memory that a launch has allocated; the next launch allocates
// it again.
TEST(cuGraphAddMemAllocNode, GivesTheSameMemoryToEachLaunchThatIsFreedByHand) {
  AllocatingGraph g(false);
  const CUgraphExec exec = g.exec();
  for (int i = 0; i < 4; ++i) {
    g.run(exec);
    unsigned word = 0;
    OK(cuMemcpyDtoH(&word, g.p.dptr, 4));
    EXPECT_EQ(word, 77u);
    EXPECT_EQ(cuGraphLaunch(exec, g.stream), CUDA_ERROR_INVALID_VALUE) << "it is there";
    OK(cuStreamWriteValue32(g.stream, g.p.dptr, 5, 0));
    if (i % 2 == 0) {
      OK(cuMemFree(g.p.dptr));
      EXPECT_EQ(cuStreamWriteValue32(g.stream, g.p.dptr, 5, 0), CUDA_ERROR_INVALID_VALUE)
          << "measured on an H200";
      EXPECT_EQ(cuMemFree(g.p.dptr), CUDA_ERROR_INVALID_VALUE) << "a second time";
    } else {
      OK(cuMemFreeAsync(g.p.dptr, g.stream));
      EXPECT_EQ(cuMemFreeAsync(g.p.dptr, g.stream), CUDA_ERROR_INVALID_VALUE);
    }
  }
}

// Work before the free may still use it, although its graph is gone.
TEST(cuMemFreeAsync, EndsMemoryOfAGraphThatIsGoneInTheOrderOfItsStream) {
  AllocatingGraph g(false);
  const CUgraphExec exec = g.exec();
  g.run(exec);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(g.graph));
  {
    Gate gate(g.stream);
    OK(cuMemFreeAsync(g.p.dptr, g.stream));
    CUdeviceptr base = 0;
    OK(cuMemGetAddressRange(&base, nullptr, g.p.dptr));
    EXPECT_EQ(base, g.p.dptr);
    EXPECT_EQ(cuMemFreeAsync(g.p.dptr, g.stream), CUDA_ERROR_INVALID_VALUE) << "a second time";
    EXPECT_EQ(cuMemsetD8(g.p.dptr, 1, 4), CUDA_ERROR_INVALID_VALUE) << "for calls it is freed";
    gate.open();
    OK(cuStreamSynchronize(g.stream));
    EXPECT_EQ(cuMemGetAddressRange(&base, nullptr, g.p.dptr), CUDA_ERROR_NOT_FOUND);
  }
}

// --- Conditional nodes ---------------------------------------------------------------------------

struct Conditional : Graphs {
  // Adds a conditional node. The word 7 goes from word 300 through two nodes of the body that runs
  // to the word that `outcome` looks at: each of these copies needs the one before.
  CUgraphNode add(CUgraphConditionalNodeType type, unsigned size, unsigned initial) {
    EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, graph, scene.context, initial,
                                             CU_GRAPH_COND_ASSIGN_DEFAULT),
              CUDA_SUCCESS);
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    p.conditional.ctx = scene.context;
    const CUgraphNode first = fill(300, 7);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddNode(&node, graph, &first, nullptr, 1, &p), CUDA_SUCCESS);
    for (unsigned i = 0; i < size; ++i) {
      bodies.push_back(p.conditional.phGraph_out[i]);
      copy(10 * i, 10 * i + 1, {copy(300, 10 * i, {}, bodies[i])}, bodies[i]);
      copy(10 * i + 1, 100 + i, {node});
    }
    return node;
  }
  // Returns which bodies ran.
  std::vector<int> outcome(CUgraphExec exec) const {
    EXPECT_EQ(cuMemsetD8(memory, 0, 4096), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    run(exec);
    std::vector<int> ran;
    for (unsigned i = 0; i < bodies.size(); ++i) {
      if (read(100 + i) == 7) ran.push_back(static_cast<int>(i));
      EXPECT_EQ(read(10 * i), read(100 + i));
    }
    return ran;
  }
  CUgraphConditionalHandle handle = 0;
  std::vector<CUgraph> bodies;
};

TEST(cuGraphConditionalHandleCreate, DecidesByItsDefault) {
  struct Case {
    CUgraphConditionalNodeType type;
    unsigned size, initial;
    std::vector<int> outcome;
  };
  const Case cases[] = {
      {CU_GRAPH_COND_TYPE_IF, 1, 1, {0}},     {CU_GRAPH_COND_TYPE_IF, 1, 0, {}},
      {CU_GRAPH_COND_TYPE_IF, 2, 5, {0}},     {CU_GRAPH_COND_TYPE_IF, 2, 0, {1}},
      {CU_GRAPH_COND_TYPE_WHILE, 1, 0, {}},   {CU_GRAPH_COND_TYPE_SWITCH, 3, 0, {0}},
      {CU_GRAPH_COND_TYPE_SWITCH, 3, 2, {2}}, {CU_GRAPH_COND_TYPE_SWITCH, 3, 3, {}},
  };
  for (const Case& one : cases) {
    Conditional g;
    g.add(one.type, one.size, one.initial);
    EXPECT_EQ(g.outcome(g.exec()), one.outcome)
        << one.type << ", " << one.size << ", " << one.initial;
  }
}

// "Allowed node types are kernel nodes, empty nodes, child graphs, memsets, memcopies, and
// conditionals. This applies recursively to child graphs and conditional bodies."
TEST(cuGraphInstantiateWithParams, RefusesOtherNodesInBodies) {
  const auto refused = [](const Conditional& g) {
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {};
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithParams(&exec, g.graph, &parameters), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    return parameters.hErrNode_out;
  };
  {
    Conditional g;
    g.add(CU_GRAPH_COND_TYPE_IF, 2, 1);
    g.empty({}, g.bodies[1]);
    g.exec();
    const CUgraphNode note = g.note(1, {}, g.bodies[1]);
    EXPECT_EQ(refused(g), note);
    EXPECT_EQ(refused(g), note) << "whatever was said before";
  }
  {
    Conditional g;
    g.add(CU_GRAPH_COND_TYPE_IF, 1, 1);
    CUgraphNode record = nullptr;
    OK(cuGraphAddEventRecordNode(&record, g.bodies[0], nullptr, 0, new_event()));
    EXPECT_EQ(refused(g), record);
  }
  {
    Conditional g;
    g.add(CU_GRAPH_COND_TYPE_IF, 1, 1);
    CUgraph inner = nullptr;
    CUgraphNode child = nullptr;
    OK(cuGraphCreate(&inner, 0));
    g.note(1, {}, inner);
    OK(cuGraphAddChildGraphNode(&child, g.bodies[0], nullptr, 0, inner));
    EXPECT_NE(refused(g), nullptr);
  }
}

// "Cloning is not supported for graphs which contain memory allocation nodes, memory free nodes, or
// conditional nodes."
TEST(cuGraphClone, RefusesConditionalNodes) {
  Conditional g;
  g.add(CU_GRAPH_COND_TYPE_IF, 1, 1);
  CUgraph clone = nullptr, parent = nullptr;
  CUgraphNode child = nullptr;
  EXPECT_EQ(cuGraphClone(&clone, g.graph), CUDA_ERROR_NOT_SUPPORTED);
  OK(cuGraphCreate(&parent, 0));
  EXPECT_EQ(cuGraphAddChildGraphNode(&child, parent, nullptr, 0, g.graph),
            CUDA_ERROR_NOT_SUPPORTED);
  // It can still be used.
  EXPECT_EQ(g.outcome(g.exec()), std::vector{0});
}

TEST(cuGraphConditionalHandleCreate, RefusesWhatMakesNoSense) {
  Graphs g;
  CUgraphConditionalHandle handle = 0;
  EXPECT_EQ(cuGraphConditionalHandleCreate(nullptr, g.graph, g.scene.context, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, no_graph, g.scene.context, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, g.graph, g.scene.context, 0, 2),
            CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphConditionalHandleCreate(&handle, g.graph, g.scene.context, 0, 0));
  CUgraphExec exec;
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {};
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, g.graph, &parameters), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
}

TEST(cuGraphAddNode, ChecksConditionalNodes) {
  Conditional g;
  g.add(CU_GRAPH_COND_TYPE_IF, 1, 1);
  const auto add = [&](CUgraphConditionalHandle handle, int type, unsigned size) {
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.type = static_cast<CUgraphConditionalNodeType>(type);
    p.conditional.size = size;
    CUgraphNode node;
    return cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p);
  };
  EXPECT_EQ(add(g.handle, CU_GRAPH_COND_TYPE_IF, 1), CUDA_ERROR_INVALID_VALUE) << "used already";
  CUgraphConditionalHandle fresh;
  OK(cuGraphConditionalHandleCreate(&fresh, g.graph, g.scene.context, 0, 0));
  EXPECT_EQ(add(fresh + 1000, CU_GRAPH_COND_TYPE_IF, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(fresh, CU_GRAPH_COND_TYPE_IF, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(fresh, CU_GRAPH_COND_TYPE_IF, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(fresh, CU_GRAPH_COND_TYPE_WHILE, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(fresh, 3, 1), CUDA_ERROR_INVALID_VALUE);
  OK(add(fresh, CU_GRAPH_COND_TYPE_SWITCH, 5));
  CUgraph clone = nullptr;
  EXPECT_EQ(cuGraphClone(&clone, g.graph), CUDA_ERROR_NOT_SUPPORTED);
}

// Bodies end with their node, and may contain conditional nodes themselves.
TEST(cuGraphConditionalHandleCreate, NestsBodies) {
  Conditional g;
  const CUgraphNode node = g.add(CU_GRAPH_COND_TYPE_IF, 1, 1);
  CUgraphConditionalHandle handle;
  OK(cuGraphConditionalHandleCreate(&handle, g.bodies[0], g.scene.context, 1,
                                    CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional.handle = handle;
  p.conditional.type = CU_GRAPH_COND_TYPE_SWITCH;
  p.conditional.size = 2;
  CUgraphNode nodes[2], inner;
  size_t count = 2;
  OK(cuGraphGetNodes(g.bodies[0], nodes, &count));
  OK(cuGraphAddNode(&inner, g.bodies[0], &nodes[1], nullptr, 1, &p));
  g.copy(1, 50, {}, p.conditional.phGraph_out[0]);
  g.copy(1, 51, {}, p.conditional.phGraph_out[1]);
  const CUgraphExec exec = g.exec();
  const CUgraph body = g.bodies[0];
  OK(cuGraphDestroyNode(node));
  size_t number = 0;
  EXPECT_EQ(cuGraphGetNodes(body, nullptr, &number), CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(g.outcome(exec), std::vector{0});
    EXPECT_EQ(g.read(50), 0u);
    EXPECT_EQ(g.read(51), 7u);
  }
}

}  // namespace
