// SPDX-License-Identifier: Apache-2.0
// Executable graphs: instantiation, launches and their order, updates.
#include <cstring>

#include "tests/api/driver/graph_scene.hpp"

extern "C" {
CUresult instantiate_v1(CUgraphExec*, CUgraph, CUgraphNode*, char*,
                        size_t) __asm__("cuGraphInstantiate");
CUresult instantiate_v2(CUgraphExec*, CUgraph, CUgraphNode*, char*,
                        size_t) __asm__("cuGraphInstantiate_v2");
CUresult update_v1(CUgraphExec, CUgraph, CUgraphNode*,
                   CUgraphExecUpdateResult*) __asm__("cuGraphExecUpdate");
}

namespace {

// --- Instantiation -------------------------------------------------------------------------------

TEST(cuGraphInstantiate, FindsCircles) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty({a}), c = g.empty({b});
  OK(cuGraphAddDependencies(g.graph, &c, &b, nullptr, 1));
  CUgraphExec exec = nullptr;
  for (const auto instantiate : {instantiate_v1, instantiate_v2}) {
    CUgraphNode culprit = nullptr;
    char text[64] = "";
    EXPECT_EQ(instantiate(&exec, g.graph, &culprit, text, sizeof text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_TRUE(culprit == b || culprit == c);
    EXPECT_NE(strlen(text), 0u);
  }
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {};
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, g.graph, &parameters), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
  EXPECT_TRUE(parameters.hErrNode_out == b || parameters.hErrNode_out == c);
  EXPECT_EQ(exec, nullptr);
}

TEST(cuGraphInstantiate, TellsThatAllIsWell) {
  Graphs g;
  g.fill(0, 5);
  CUgraphExec exec = nullptr;
  CUgraphNode culprit = no_node;
  char text[8] = "nothing";
  OK(instantiate_v2(&exec, g.graph, &culprit, text, sizeof text));
  EXPECT_EQ(culprit, nullptr);
  EXPECT_STREQ(text, "");
  OK(instantiate_v1(&exec, g.graph, nullptr, nullptr, 0));
  g.run(exec);
  EXPECT_EQ(g.read(0), 5u);
}

TEST(cuGraphInstantiateWithFlags, KnowsItsFlags) {
  Graphs g;
  g.fill(0, 1);
  CUgraphExec exec = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(nullptr, g.graph, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, no_graph, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, g.graph, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, g.graph, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD),
            CUDA_ERROR_INVALID_VALUE)
      << "there is no stream to upload in";
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, g.graph,
                                        CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                            CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
            CUDA_ERROR_INVALID_VALUE);
  for (const unsigned long long flags : {0ull, 1ull, 4ull, 8ull, 9ull, 12ull}) {
    OK(cuGraphInstantiateWithFlags(&exec, g.graph, flags));
    g.run(exec);
    OK(cuGraphExecDestroy(exec));
  }
}

TEST(cuGraphInstantiateWithParams, SaysWhatDevicesCannotLaunch) {
  Graphs g;
  g.fill(0, 1);
  const CUgraphNode host = g.note(1);
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {};
  CUgraphExec exec = nullptr;
  parameters.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, g.graph, &parameters), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
  EXPECT_EQ(parameters.hErrNode_out, host);
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, g.graph, nullptr), CUDA_ERROR_INVALID_VALUE);
  parameters.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  parameters.hUploadStream = g.stream;
  OK(cuGraphInstantiateWithParams(&exec, g.graph, &parameters));
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  EXPECT_EQ(parameters.hErrNode_out, nullptr);
  g.run(exec);
  EXPECT_EQ(g.log.entries(), std::vector{1});
}

TEST(cuGraphExecGetFlags, TellsTheFlags) {
  Graphs g;
  const CUgraphExec exec = g.exec(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                  CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
  cuuint64_t flags = 0;
  OK(cuGraphExecGetFlags(exec, &flags));
  // Measured: the flag for node priorities is not reported.
  EXPECT_EQ(flags, 1u);
  EXPECT_EQ(cuGraphExecGetFlags(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecGetFlags(no_exec, &flags), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExecDestroy, LetsLaunchesEnd) {
  Graphs g;
  g.fill(1, 9, {g.fill(0, 8)});
  const CUgraphExec exec = g.exec();
  {
    Gate gate(g.stream);
    OK(cuGraphLaunch(exec, g.stream));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(g.graph));
  }
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.read(0), 8u);
  EXPECT_EQ(g.read(1), 9u);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphLaunch(exec, g.stream), CUDA_ERROR_INVALID_VALUE);
}

// --- Launches ------------------------------------------------------------------------------------

TEST(cuGraphLaunch, RefusesWhatIsNotThere) {
  Graphs g;
  const CUgraphExec exec = g.exec();
  for (const CUgraphExec bad : {CUgraphExec{}, no_exec})
    EXPECT_EQ(cuGraphLaunch(bad, g.stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphLaunch(exec, reinterpret_cast<CUstream>(0x123450)), CUDA_ERROR_INVALID_HANDLE);
  g.run(exec);  // launches an empty graph
}

TEST(cuGraphLaunch, FollowsTheEdges) {
  Graphs g;
  const CUgraphNode a = g.fill(0, 1), b = g.copy(0, 1, {a}), c = g.fill(0, 2, {b});
  g.copy(0, 2, {c});
  const CUgraphExec exec = g.exec();
  for (int i = 0; i < 100; ++i) {
    OK(cuMemsetD32Async(g.memory, 0, 16, g.stream));
    g.run(exec);
    ASSERT_EQ(g.read(1), 1u);
    ASSERT_EQ(g.read(2), 2u);
  }
}

TEST(cuGraphLaunch, IsInItsStreamsOrder) {
  Graphs g;
  g.note(2, {g.note(1)});
  const CUgraphExec exec = g.exec();
  g.log.note(g.stream, 0);
  OK(cuGraphLaunch(exec, g.stream));
  g.log.note(g.stream, 3);
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.log.entries(), (std::vector{0, 1, 2, 3}));
}

// An executable graph runs only once at a time, even if its launches are in different streams.
TEST(cuGraphLaunch, WaitsForTheLaunchBefore) {
  Graphs g;
  g.note(2, {g.note(1)});
  const CUgraphExec exec = g.exec();
  const CUevent done = new_event();
  {
    Gate gate(g.stream);
    OK(cuGraphLaunch(exec, g.stream));
    OK(cuGraphLaunch(exec, g.other));
    OK(cuEventRecord(done, g.other));
    let_things_happen();
    EXPECT_EQ(cuEventQuery(done), CUDA_ERROR_NOT_READY);
  }
  OK(cuCtxSynchronize());
  EXPECT_EQ(g.log.entries(), (std::vector{1, 2, 1, 2}));
}

// Two branches run at the same time: each waits, halfway, for a node of the other.
TEST(cuGraphLaunch, RunsBranchesInParallel) {
  Graphs g;
  const CUstream aside = new_stream();
  const CUevent left = new_event(), right = new_event(), both = new_event();
  CUgraphNode a, b, c, d;
  OK(cuGraphAddEventRecordNode(&a, g.graph, nullptr, 0, left));
  OK(cuGraphAddEventRecordNode(&b, g.graph, nullptr, 0, right));
  OK(cuGraphAddEventWaitNode(&c, g.graph, &a, 1, right));
  OK(cuGraphAddEventWaitNode(&d, g.graph, &b, 1, left));
  g.fill(0, 1, {c});
  g.fill(1, 1, {d});
  const CUgraphExec exec = g.exec();
  for (int i = 0; i < 50; ++i) {
    OK(cuGraphLaunch(exec, g.stream));
    OK(cuStreamWaitEvent(aside, left, 0));
    OK(cuStreamWaitEvent(aside, right, 0));
    OK(cuEventRecord(both, aside));
    OK(cuEventSynchronize(both));
    OK(cuStreamSynchronize(g.stream));
  }
}

// A pending wait holds up only its own branch, and no worker.
TEST(cuGraphLaunch, HoldsUpNothingButWhatWaits) {
  Graphs g;
  const CUevent gate_open = new_event(), done = new_event();
  CUgraphNode wait;
  CUgraphNode record;
  OK(cuGraphAddEventWaitNode(&wait, g.graph, nullptr, 0, gate_open));
  g.fill(0, 7, {wait});
  const CUgraphNode free_branch = g.fill(1, 8);
  OK(cuGraphAddEventRecordNode(&record, g.graph, &free_branch, 1, done));
  const CUgraphExec exec = g.exec();
  OK(cuMemsetD32(g.memory, 0, 2));
  OK(cuCtxSynchronize());
  {
    Gate gate(g.other);
    OK(cuEventRecord(gate_open, g.other));
    OK(cuGraphLaunch(exec, g.stream));
    OK(cuEventSynchronize(done));
    EXPECT_EQ(cuStreamQuery(g.stream), CUDA_ERROR_NOT_READY);
  }
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.read(0), 7u);
  EXPECT_EQ(g.read(1), 8u);
}

TEST(cuGraphLaunch, OrdersItselfWithTheLegacyStream) {
  Graphs g;
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  g.note(1);
  const CUgraphExec exec = g.exec();
  {
    Gate gate(blocking);
    OK(cuGraphLaunch(exec, nullptr));
    let_things_happen();
    EXPECT_TRUE(g.log.entries().empty());
    g.log.note(blocking, 2);
  }
  OK(cuCtxSynchronize());
  EXPECT_EQ(g.log.entries(), (std::vector{1, 2}));
}

// When captured, a launch becomes a child graph: a copy of the executable graph at that moment.
TEST(cuGraphLaunch, BecomesAChildWhereItIsCaptured) {
  Graphs g;
  const CUgraphNode fill = g.fill(0, 3);
  const CUgraphExec exec = g.exec();
  OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuGraphLaunch(exec, g.stream));
  OK(cuMemsetD32Async(g.memory + 4, 4, 1, g.stream));
  CUgraph captured;
  OK(cuStreamEndCapture(g.stream, &captured));
  const CUDA_MEMSET_NODE_PARAMS changed = g.word(0, 99);
  OK(cuGraphExecMemsetNodeSetParams(exec, fill, &changed, g.scene.context));
  CUgraphNode nodes[2];
  size_t count = 2;
  OK(cuGraphGetNodes(captured, nodes, &count));
  ASSERT_EQ(count, 2u);
  CUgraphNodeType type;
  OK(cuGraphNodeGetType(nodes[0], &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_GRAPH);
  CUgraphExec outer;
  OK(cuGraphInstantiate(&outer, captured, 0));
  g.run(outer);
  EXPECT_EQ(g.read(0), 3u);
  EXPECT_EQ(g.read(1), 4u);
}

TEST(cuGraphLaunch, RunsWhatWasCaptured) {
  Graphs g;
  const CUevent fork = new_event(), join = new_event();
  unsigned source = 41;
  OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemcpyHtoDAsync(g.memory, &source, 4, g.stream));
  OK(cuEventRecord(fork, g.stream));
  OK(cuStreamWaitEvent(g.other, fork, 0));
  OK(cuMemcpyDtoDAsync(g.memory + 4, g.memory, 4, g.other));
  g.log.note(g.other, 1);
  OK(cuMemsetD2D8Async(g.memory + 64, 16, 0xab, 4, 3, g.stream));
  OK(cuEventRecord(join, g.other));
  OK(cuStreamWaitEvent(g.stream, join, 0));
  OK(cuMemcpyDtoDAsync(g.memory + 8, g.memory + 4, 4, g.stream));
  CUgraph captured;
  OK(cuStreamEndCapture(g.stream, &captured));
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, captured, 0));
  source = 42;  // pageable memory is read when the graph runs
  g.run(exec);
  EXPECT_EQ(g.read(0), 42u);
  EXPECT_EQ(g.read(1), 42u);
  EXPECT_EQ(g.read(2), 42u);
  for (const size_t row : {0, 1, 2}) EXPECT_EQ(g.read(16 + 4 * row), 0xababababu);
  EXPECT_EQ(g.log.entries(), std::vector{1});
}

TEST(cuGraphLaunch, NeedsTheMemoryOfItsNodes) {
  Graphs g;
  CUgraphNode node;
  const CUdeviceptr gone = new_memory(64);
  const CUDA_MEMSET_NODE_PARAMS parameters = {gone, 0, 1, 1, 64, 1};
  OK(cuGraphAddMemsetNode(&node, g.graph, nullptr, 0, &parameters, g.scene.context));
  const CUgraphExec exec = g.exec();
  g.run(exec);
  OK(cuMemFree(gone));
  EXPECT_EQ(cuGraphLaunch(exec, g.stream), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphUpload, ChecksItsArguments) {
  Graphs g;
  g.fill(0, 1);
  const CUgraphExec exec = g.exec();
  OK(cuGraphUpload(exec, g.stream));
  EXPECT_EQ(cuGraphUpload(no_exec, g.stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphUpload(exec, reinterpret_cast<CUstream>(0x123450)), CUDA_ERROR_INVALID_HANDLE);
  g.run(exec);
}

// An event that a graph records has a time, and streams and hosts can wait for it.
TEST(cuGraphAddEventRecordNode, MarksTheMiddleOfALaunch) {
  Graphs g;
  const CUevent begin = new_event(0), end = new_event(0);
  CUgraphNode first, last;
  OK(cuGraphAddEventRecordNode(&first, g.graph, nullptr, 0, begin));
  const CUgraphNode middle = g.note(1, {first});
  OK(cuGraphAddEventRecordNode(&last, g.graph, &middle, 1, end));
  const CUgraphExec exec = g.exec();
  {
    Gate gate(g.stream);
    OK(cuGraphLaunch(exec, g.stream));
    EXPECT_EQ(cuEventQuery(begin), CUDA_ERROR_NOT_READY);
    OK(cuStreamWaitEvent(g.other, end, 0));
    g.log.note(g.other, 2);
  }
  OK(cuStreamSynchronize(g.other));
  EXPECT_EQ(g.log.entries(), (std::vector{1, 2}));
  OK(cuEventSynchronize(end));
  float time = -1;
  OK(cuEventElapsedTime(&time, begin, end));
  EXPECT_GE(time, 0);
}

// --- Changes -------------------------------------------------------------------------------------

TEST(cuGraphExecMemsetNodeSetParams, ChangesLaterLaunches) {
  Graphs g;
  const CUgraphNode node = g.fill(0, 1);
  const CUgraphExec exec = g.exec();
  const CUDA_MEMSET_NODE_PARAMS changed = g.word(1, 2);
  OK(cuMemsetD32(g.memory, 0, 16));
  OK(cuCtxSynchronize());
  {
    Gate gate(g.stream);
    OK(cuGraphLaunch(exec, g.stream));
    OK(cuGraphExecMemsetNodeSetParams(exec, node, &changed, g.scene.context));
  }
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.read(0), 1u) << "that launch was under way";
  EXPECT_EQ(g.read(1), 0u);
  g.run(exec);
  EXPECT_EQ(g.read(1), 2u);
  CUDA_MEMSET_NODE_PARAMS old = {};
  OK(cuGraphMemsetNodeGetParams(node, &old));
  EXPECT_EQ(old.value, 1u) << "the graph stays as it is";
}

TEST(cuGraphExecMemsetNodeSetParams, HasLimits) {
  Graphs g;
  const CUgraphNode node = g.fill(0, 1), host = g.note(1);
  const CUgraphExec exec = g.exec();
  CUDA_MEMSET_NODE_PARAMS p = g.word(0, 1);
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(no_exec, node, &p, g.scene.context),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, host, &p, g.scene.context),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, node, nullptr, g.scene.context),
            CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode later = g.fill(0, 1);
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, later, &p, g.scene.context),
            CUDA_ERROR_INVALID_VALUE)
      << "it was not there";
  p.height = 2, p.pitch = 64;
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, node, &p, g.scene.context),
            CUDA_ERROR_INVALID_VALUE)
      << "rows";
  CUdeviceptr managed;
  OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  p = g.word(0, 1);
  p.dst = managed;
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, node, &p, g.scene.context),
            CUDA_ERROR_INVALID_VALUE)
      << "another kind of memory";
}

TEST(cuGraphExecMemcpyNodeSetParams, ChangesWhatIsCopied) {
  Graphs g;
  const CUgraphNode node = g.copy(0, 1);
  const CUgraphExec exec = g.exec();
  for (unsigned i = 0; i < 4; ++i) OK(cuMemsetD32Async(g.memory + 4 * i, 10 + i, 1, g.stream));
  CUDA_MEMCPY3D p = g.words(2, 3);
  OK(cuGraphExecMemcpyNodeSetParams(exec, node, &p, g.scene.context));
  g.run(exec);
  EXPECT_EQ(g.read(1), 11u);
  EXPECT_EQ(g.read(3), 12u);
  unsigned host = 0;
  p.dstMemoryType = CU_MEMORYTYPE_HOST;
  p.dstHost = &host;
  EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, node, &p, g.scene.context),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, node, nullptr, g.scene.context),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExecHostNodeSetParams, ChangesTheFunction) {
  Graphs g;
  const CUgraphNode node = g.note(1);
  const CUgraphExec exec = g.exec();
  CUDA_HOST_NODE_PARAMS p = g.noting(2);
  OK(cuGraphExecHostNodeSetParams(exec, node, &p));
  g.run(exec);
  EXPECT_EQ(g.log.entries(), std::vector{2});
  p.fn = nullptr;
  EXPECT_EQ(cuGraphExecHostNodeSetParams(exec, node, &p), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExecChildGraphNodeSetParams, TakesAGraphOfTheSameShape) {
  Graphs g;
  CUgraph child, same, other;
  for (CUgraph* one : {&child, &same, &other}) OK(cuGraphCreate(one, 0));
  g.note(2, {g.note(1, {}, child)}, child);
  g.note(4, {g.note(3, {}, same)}, same);
  g.note(6, {}, other), g.note(5, {}, other);
  CUgraphNode node;
  OK(cuGraphAddChildGraphNode(&node, g.graph, nullptr, 0, child));
  const CUgraphExec exec = g.exec();
  OK(cuGraphExecChildGraphNodeSetParams(exec, node, same));
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(exec, node, other), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(exec, node, no_graph), CUDA_ERROR_INVALID_VALUE);
  g.run(exec);
  EXPECT_EQ(g.log.entries(), (std::vector{3, 4}));
}

TEST(cuGraphExecEventRecordNodeSetEvent, RecordsAnotherEvent) {
  Graphs g;
  const CUevent one = new_event(), two = new_event();
  CUgraphNode node;
  OK(cuGraphAddEventRecordNode(&node, g.graph, nullptr, 0, one));
  const CUgraphExec exec = g.exec();
  OK(cuGraphExecEventRecordNodeSetEvent(exec, node, two));
  Gate gate(g.stream);
  OK(cuGraphLaunch(exec, g.stream));
  OK(cuEventQuery(one));
  EXPECT_EQ(cuEventQuery(two), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuGraphExecEventRecordNodeSetEvent(exec, node, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuGraphExecEventWaitNodeSetEvent, WaitsForAnotherEvent) {
  Graphs g;
  const CUevent never = new_event(), gated = new_event();
  CUgraphNode node;
  OK(cuGraphAddEventWaitNode(&node, g.graph, nullptr, 0, never));
  const CUgraphExec exec = g.exec();
  OK(cuGraphExecEventWaitNodeSetEvent(exec, node, gated));
  {
    Gate gate(g.other);
    OK(cuEventRecord(gated, g.other));
    OK(cuGraphLaunch(exec, g.stream));
    let_things_happen();
    EXPECT_EQ(cuStreamQuery(g.stream), CUDA_ERROR_NOT_READY);
  }
  OK(cuStreamSynchronize(g.stream));
}

TEST(cuGraphExecNodeSetParams, ChangesAnyNode) {
  Graphs g;
  const CUgraphNode fill = g.fill(0, 1), host = g.note(1);
  const CUgraphExec exec = g.exec();
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_MEMSET;
  p.memset = {g.memory, 0, 6, 4, 1, 1, g.scene.context};
  OK(cuGraphExecNodeSetParams(exec, fill, &p));
  EXPECT_EQ(cuGraphExecNodeSetParams(exec, host, &p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecNodeSetParams(exec, fill, nullptr), CUDA_ERROR_INVALID_VALUE);
  g.run(exec);
  EXPECT_EQ(g.read(0), 6u);
}

TEST(cuGraphNodeSetEnabled, TurnsNodesOnAndOff) {
  Graphs g;
  const CUgraphNode fill = g.fill(0, 1), host = g.note(1, {fill});
  const CUgraphExec exec = g.exec();
  OK(cuMemsetD32Async(g.memory, 0, 1, g.stream));
  OK(cuGraphNodeSetEnabled(exec, fill, 0));
  g.run(exec);
  EXPECT_EQ(g.read(0), 0u);
  EXPECT_EQ(g.log.entries(), std::vector{1}) << "the order around it stays";
  OK(cuGraphNodeSetEnabled(exec, fill, 1));
  g.run(exec);
  EXPECT_EQ(g.read(0), 1u);
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, host, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeSetEnabled(no_exec, fill, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphNodeGetEnabled, TellsWhetherANodeIsOn) {
  Graphs g;
  const CUgraphNode fill = g.fill(0, 1), host = g.note(1);
  const CUgraphExec exec = g.exec();
  unsigned on = 7;
  OK(cuGraphNodeGetEnabled(exec, fill, &on));
  EXPECT_EQ(on, 1u);
  OK(cuGraphNodeSetEnabled(exec, fill, 0));
  OK(cuGraphNodeGetEnabled(exec, fill, &on));
  EXPECT_EQ(on, 0u);
  EXPECT_EQ(cuGraphNodeGetEnabled(exec, fill, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeGetEnabled(exec, host, &on), CUDA_ERROR_INVALID_VALUE);
}

class Updates : public Graphs {
 public:
  // A graph like the executable one, except for `change`.
  CUgraph like(int change) {
    CUgraph made = nullptr;
    EXPECT_EQ(cuGraphCreate(&made, 0), CUDA_SUCCESS);
    const CUgraphNode a = fill(0, 5, {}, made);
    const CUgraphNode b = change == 1 ? empty({a}, made) : note(6, {a}, made);
    const CUgraphNode c = fill(change == 2 ? 1000 : 1, 7, change == 3 ? Nodes{a} : Nodes{b}, made);
    if (change == 4) empty({c}, made);
    last = {a, b, c};
    return made;
  }
  Nodes last;
};

TEST(cuGraphExecUpdate, TakesOverTheWork) {
  Updates g;
  g.note(1, {g.fill(0, 1)});
  g.fill(1, 2, {g.empty()});
  const CUgraphNode a = g.fill(0, 1);
  (void)a;
  CUgraph first = g.like(0);
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, first, 0));
  CUgraph second = g.like(0);
  const CUDA_MEMSET_NODE_PARAMS changed = g.word(3, 33);
  OK(cuGraphMemsetNodeSetParams(g.last[2], &changed));
  CUgraphExecUpdateResultInfo info = {};
  OK(cuGraphExecUpdate(exec, second, &info));
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_EQ(info.errorNode, nullptr);
  g.run(exec);
  EXPECT_EQ(g.read(3), 33u);
}

TEST(cuGraphExecUpdate, SaysWhatDiffers) {
  Updates g;
  const CUgraph first = g.like(0);
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, first, 0));
  const auto expect = [&](CUgraph graph, CUgraphExecUpdateResult result, CUgraphNode node,
                          CUgraphNode from) {
    CUgraphExecUpdateResultInfo info = {};
    EXPECT_EQ(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    EXPECT_EQ(info.result, result);
    EXPECT_EQ(info.errorNode, node);
    EXPECT_EQ(info.errorFromNode, from);
    CUgraphNode culprit = no_node;
    auto same = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    EXPECT_EQ(update_v1(exec, graph, &culprit, &same), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    EXPECT_EQ(same, result);
    EXPECT_EQ(culprit, node);
  };
  const CUgraph typed = g.like(1);
  expect(typed, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, g.last[1], nullptr);
  const CUgraph edged = g.like(3);
  expect(edged, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, g.last[2], g.last[0]);
  const CUgraph longer = g.like(4);
  expect(longer, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr);
  const CUgraph rows = g.like(0);
  const CUDA_MEMSET_NODE_PARAMS changed = {g.memory, 64, 1, 1, 4, 2};
  OK(cuGraphMemsetNodeSetParams(g.last[0], &changed));
  expect(rows, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, g.last[0], nullptr);
  EXPECT_EQ(cuGraphExecUpdate(exec, first, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUgraphExecUpdateResultInfo info = {};
  EXPECT_EQ(cuGraphExecUpdate(no_exec, first, &info), CUDA_ERROR_INVALID_VALUE);
  g.run(exec);  // unchanged
  EXPECT_EQ(g.read(0), 5u);
}

}  // namespace
