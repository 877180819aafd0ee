// SPDX-License-Identifier: Apache-2.0
// Nodes of each type: how they are made, queried and changed, and what is refused.
#include <cstring>

#include "tests/api/driver/graph_scene.hpp"

extern "C" {
CUresult add_v1(CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
                CUgraphNodeParams*) __asm__("cuGraphAddNode");
}

namespace {

CUgraphNodeType type_of(CUgraphNode node) {
  auto type = static_cast<CUgraphNodeType>(99);
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
  return type;
}

// The arguments that every function that adds a node must refuse.
template <typename Add>
void expect_checks(Graphs& g, const Add& add) {
  CUgraphNode node = nullptr;
  const CUgraphNode known = g.empty();
  CUgraph other;
  OK(cuGraphCreate(&other, 0));
  const CUgraphNode foreign = g.empty({}, other), twice[] = {known, known};
  const size_t before = g.count();
  EXPECT_EQ(add(nullptr, g.graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(&node, no_graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(&node, nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(&node, g.graph, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(&node, g.graph, &no_node, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(&node, g.graph, &foreign, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(&node, g.graph, twice, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(g.count(), before) << "nothing was made";
  EXPECT_EQ(node, nullptr);
  OK(add(&node, g.graph, &known, 1));
  EXPECT_EQ(g.count(), before + 1);
}

TEST(cuGraphAddEmptyNode, MakesANode) {
  Graphs g;
  expect_checks(g, cuGraphAddEmptyNode);
  EXPECT_EQ(type_of(g.empty()), CU_GRAPH_NODE_TYPE_EMPTY);
}

TEST(cuGraphNodeGetType, RefusesWhatIsNoNode) {
  Graphs g;
  CUgraphNodeType type;
  const CUgraphNode node = g.empty();
  EXPECT_EQ(cuGraphNodeGetType(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  for (const CUgraphNode bad : {CUgraphNode{}, no_node, reinterpret_cast<CUgraphNode>(g.graph)})
    EXPECT_EQ(cuGraphNodeGetType(bad, &type), CUDA_ERROR_INVALID_VALUE);
}

// --- Copies --------------------------------------------------------------------------------------

TEST(cuGraphAddMemcpyNode, MakesANode) {
  Graphs g;
  CUDA_MEMCPY3D p = g.words(0, 1);
  expect_checks(g, [&](CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return cuGraphAddMemcpyNode(node, graph, after, count, &p, g.scene.context);
  });
  EXPECT_EQ(type_of(g.copy(0, 1)), CU_GRAPH_NODE_TYPE_MEMCPY);
}

TEST(cuGraphAddMemcpyNode, ChecksTheCopy) {
  Graphs g;
  CUgraphNode node = nullptr;
  const auto add = [&](const CUDA_MEMCPY3D* p) {
    return cuGraphAddMemcpyNode(&node, g.graph, nullptr, 0, p, g.scene.context);
  };
  EXPECT_EQ(add(nullptr), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMCPY3D p = g.words(0, 1);
  p.dstDevice = 16;
  EXPECT_EQ(add(&p), CUDA_ERROR_INVALID_VALUE) << "no memory";
  p = g.words(0, 1);
  p.srcDevice = g.memory + 4094;
  EXPECT_EQ(add(&p), CUDA_ERROR_INVALID_VALUE) << "past the end";
  p = g.words(0, 1);
  p.srcLOD = 1;
  EXPECT_EQ(add(&p), CUDA_ERROR_INVALID_VALUE);
  p = g.words(0, 1);
  EXPECT_EQ(
      cuGraphAddMemcpyNode(&node, g.graph, nullptr, 0, &p, reinterpret_cast<CUcontext>(0x123450)),
      CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(g.count(), 0u);
}

TEST(cuGraphAddMemcpyNode, CopiesBoxes) {
  Graphs g;
  const CUdeviceptr to = new_memory(4096);
  unsigned char bytes[8][16], back[8][16] = {};
  for (int i = 0; i < 128; ++i) bytes[i / 16][i % 16] = static_cast<unsigned char>(i);
  CUDA_MEMCPY3D p = {};
  p.srcMemoryType = CU_MEMORYTYPE_HOST;
  p.srcHost = bytes;
  p.srcPitch = 16;
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = to;
  p.dstPitch = 32;
  p.WidthInBytes = 16, p.Height = 8, p.Depth = 1;
  CUgraphNode in, out;
  OK(cuGraphAddMemcpyNode(&in, g.graph, nullptr, 0, &p, g.scene.context));
  p = {};
  p.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  p.srcDevice = to;
  p.srcPitch = 32;
  p.srcXInBytes = 4, p.srcY = 2;
  p.dstMemoryType = CU_MEMORYTYPE_HOST;
  p.dstHost = back;
  p.dstPitch = 16;
  p.WidthInBytes = 8, p.Height = 5, p.Depth = 1;
  OK(cuGraphAddMemcpyNode(&out, g.graph, &in, 1, &p, g.scene.context));
  g.run(g.exec());
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 16; ++column)
      EXPECT_EQ(back[row][column], row < 5 && column < 8 ? bytes[row + 2][column + 4] : 0)
          << row << ", " << column;
}

TEST(cuGraphMemcpyNodeGetParams, TellsWhatWasGiven) {
  Graphs g;
  CUDA_MEMCPY3D p = g.words(0, 1), told;
  p.srcXInBytes = 8, p.srcPitch = 64;
  CUgraphNode node;
  OK(cuGraphAddMemcpyNode(&node, g.graph, nullptr, 0, &p, g.scene.context));
  OK(cuGraphMemcpyNodeGetParams(node, &told));
  EXPECT_EQ(memcmp(&p, &told, sizeof p), 0);
  EXPECT_EQ(cuGraphMemcpyNodeGetParams(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphMemcpyNodeGetParams(g.empty(), &told), CUDA_ERROR_INVALID_VALUE);
}

// GetParams also describes a captured copy: a node made from these parameters does the same.
TEST(cuGraphMemcpyNodeGetParams, TellsWhatWasCaptured) {
  Graphs g;
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = g.memory;
  copy.srcXInBytes = 4, copy.srcY = 1, copy.srcPitch = 64;
  copy.dstDevice = g.memory + 1024;
  copy.dstPitch = 32;
  copy.WidthInBytes = 8, copy.Height = 3;
  OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemcpy2DAsync(&copy, g.stream));
  CUgraph captured;
  OK(cuStreamEndCapture(g.stream, &captured));
  CUgraphNode node;
  size_t count = 1;
  OK(cuGraphGetNodes(captured, &node, &count));
  CUDA_MEMCPY3D told;
  OK(cuGraphMemcpyNodeGetParams(node, &told));
  EXPECT_EQ(told.WidthInBytes, 8u);
  EXPECT_EQ(told.Height, 3u);
  EXPECT_EQ(told.Depth, 1u);
  for (unsigned i = 0; i < 256; ++i) OK(cuMemsetD32Async(g.memory + 4 * i, i, 1, g.stream));
  CUgraphNode again;
  OK(cuGraphAddMemcpyNode(&again, g.graph, nullptr, 0, &told, g.scene.context));
  g.run(g.exec());
  for (unsigned row = 0; row < 3; ++row)
    for (unsigned column = 0; column < 2; ++column)
      EXPECT_EQ(g.read(256 + 8 * row + column), 16 * (row + 1) + 1 + column);
}

TEST(cuGraphMemcpyNodeSetParams, ChangesTheCopy) {
  Graphs g;
  const CUgraphNode node = g.copy(0, 1), host = g.note(1);
  CUDA_MEMCPY3D p = g.words(2, 3), told;
  OK(cuGraphMemcpyNodeSetParams(node, &p));
  OK(cuGraphMemcpyNodeGetParams(node, &told));
  EXPECT_EQ(told.srcDevice, g.memory + 8);
  OK(cuMemsetD32Async(g.memory + 8, 9, 1, g.stream));
  g.run(g.exec());
  EXPECT_EQ(g.read(3), 9u);
  EXPECT_EQ(cuGraphMemcpyNodeSetParams(host, &p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphMemcpyNodeSetParams(node, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// --- Fills ---------------------------------------------------------------------------------------

TEST(cuGraphAddMemsetNode, MakesANode) {
  Graphs g;
  const CUDA_MEMSET_NODE_PARAMS p = g.word(0, 1);
  expect_checks(g, [&](CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return cuGraphAddMemsetNode(node, graph, after, count, &p, g.scene.context);
  });
  EXPECT_EQ(type_of(g.fill(0, 1)), CU_GRAPH_NODE_TYPE_MEMSET);
}

TEST(cuGraphAddMemsetNode, ChecksTheFill) {
  Graphs g;
  const CUDA_MEMSET_NODE_PARAMS good = g.word(0, 1);
  const auto expect_refused = [&](const char* why, auto spoil) {
    CUDA_MEMSET_NODE_PARAMS p = good;
    spoil(p);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemsetNode(&node, g.graph, nullptr, 0, &p, g.scene.context),
              CUDA_ERROR_INVALID_VALUE)
        << why;
  };
  using P = CUDA_MEMSET_NODE_PARAMS;
  expect_refused("the element", [](P& p) { p.elementSize = 3; });
  expect_refused("the element", [](P& p) { p.elementSize = 8; });
  expect_refused("no width", [](P& p) { p.width = 0; });
  expect_refused("no height", [](P& p) { p.height = 0; });
  expect_refused("alignment", [](P& p) { p.dst += 2; });
  expect_refused("no memory", [](P& p) { p.dst = 64; });
  expect_refused("past the end", [](P& p) { p.width = 1025; });
  expect_refused("too wide", [](P& p) { p.width = SIZE_MAX / 2; });
  expect_refused("too high", [](P& p) { p.height = SIZE_MAX / 2, p.pitch = 64; });
  expect_refused("the pitch", [](P& p) { p.height = 2, p.pitch = 2; });
  expect_refused("the pitch", [](P& p) { p.height = 2, p.pitch = 6; });
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddMemsetNode(&node, g.graph, nullptr, 0, nullptr, g.scene.context),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(g.count(), 0u);
}

TEST(cuGraphAddMemsetNode, SetsRowsOfEachElement) {
  for (const unsigned element : {1u, 2u, 4u}) {
    Graphs g;
    const CUDA_MEMSET_NODE_PARAMS p = {g.memory + 8, 32, 0x01020304, element, 8 / element, 3};
    CUgraphNode node;
    OK(cuMemsetD8Async(g.memory, 0, 128, g.stream));
    OK(cuGraphAddMemsetNode(&node, g.graph, nullptr, 0, &p, g.scene.context));
    g.run(g.exec());
    const unsigned word = element == 4 ? 0x01020304 : element == 2 ? 0x03040304 : 0x04040404;
    for (size_t i = 0; i < 32; ++i) {
      const bool inside = i / 8 < 3 && (i % 8 == 2 || i % 8 == 3);
      EXPECT_EQ(g.read(i), inside ? word : 0) << i;
    }
  }
}

TEST(cuGraphMemsetNodeGetParams, TellsWhatWasGiven) {
  Graphs g;
  const CUDA_MEMSET_NODE_PARAMS p = {g.memory, 64, 7, 2, 5, 3};
  CUDA_MEMSET_NODE_PARAMS told = {};
  CUgraphNode node;
  OK(cuGraphAddMemsetNode(&node, g.graph, nullptr, 0, &p, g.scene.context));
  OK(cuGraphMemsetNodeGetParams(node, &told));
  EXPECT_EQ(memcmp(&p, &told, sizeof p), 0);
  EXPECT_EQ(cuGraphMemsetNodeGetParams(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphMemsetNodeGetParams(g.empty(), &told), CUDA_ERROR_INVALID_VALUE);

  OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemsetD2D16Async(g.memory, 64, 9, 5, 3, g.stream));
  CUgraph captured;
  OK(cuStreamEndCapture(g.stream, &captured));
  size_t count = 1;
  OK(cuGraphGetNodes(captured, &node, &count));
  OK(cuGraphMemsetNodeGetParams(node, &told));
  EXPECT_EQ(told.dst, g.memory);
  EXPECT_EQ(told.pitch, 64u);
  EXPECT_EQ(told.value, 9u);
  EXPECT_EQ(told.elementSize, 2u);
  EXPECT_EQ(told.width, 5u);
  EXPECT_EQ(told.height, 3u);
}

TEST(cuGraphMemsetNodeSetParams, ChangesTheFill) {
  Graphs g;
  const CUgraphNode node = g.fill(0, 1);
  const CUDA_MEMSET_NODE_PARAMS p = {g.memory + 16, 16, 3, 4, 1, 2};
  OK(cuGraphMemsetNodeSetParams(node, &p));
  g.run(g.exec());
  EXPECT_EQ(g.read(4), 3u);
  EXPECT_EQ(g.read(8), 3u);
  EXPECT_EQ(cuGraphMemsetNodeSetParams(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphMemsetNodeSetParams(g.note(1), &p), CUDA_ERROR_INVALID_VALUE);
}

// --- Host functions ------------------------------------------------------------------------------

TEST(cuGraphAddHostNode, MakesANode) {
  Graphs g;
  const CUDA_HOST_NODE_PARAMS p = g.noting(1);
  expect_checks(g, [&](CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return cuGraphAddHostNode(node, graph, after, count, &p);
  });
  EXPECT_EQ(type_of(g.note(1)), CU_GRAPH_NODE_TYPE_HOST);
  CUgraphNode node;
  EXPECT_EQ(cuGraphAddHostNode(&node, g.graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  const CUDA_HOST_NODE_PARAMS none = {};
  EXPECT_EQ(cuGraphAddHostNode(&node, g.graph, nullptr, 0, &none), CUDA_ERROR_INVALID_VALUE);
}

std::atomic<int> answer;

// "Host functions must not make any CUDA API calls."
TEST(cuGraphAddHostNode, ForbidsCallsInside) {
  Graphs g;
  answer = -1;
  const CUDA_HOST_NODE_PARAMS p = {[](void*) { answer = cuCtxSynchronize(); }, nullptr};
  CUgraphNode node;
  OK(cuGraphAddHostNode(&node, g.graph, nullptr, 0, &p));
  g.run(g.exec());
  EXPECT_EQ(answer, CUDA_ERROR_NOT_PERMITTED);
}

TEST(cuGraphHostNodeGetParams, TellsWhatWasGiven) {
  Graphs g;
  const CUDA_HOST_NODE_PARAMS p = g.noting(1);
  CUDA_HOST_NODE_PARAMS told = {};
  CUgraphNode node;
  OK(cuGraphAddHostNode(&node, g.graph, nullptr, 0, &p));
  OK(cuGraphHostNodeGetParams(node, &told));
  EXPECT_EQ(told.fn, p.fn);
  EXPECT_EQ(told.userData, p.userData);
  EXPECT_EQ(cuGraphHostNodeGetParams(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphHostNodeGetParams(g.empty(), &told), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphHostNodeSetParams, ChangesTheFunction) {
  Graphs g;
  const CUgraphNode node = g.note(1);
  CUDA_HOST_NODE_PARAMS p = g.noting(2);
  OK(cuGraphHostNodeSetParams(node, &p));
  g.run(g.exec());
  EXPECT_EQ(g.log.entries(), std::vector{2});
  p.fn = nullptr;
  EXPECT_EQ(cuGraphHostNodeSetParams(node, &p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphHostNodeSetParams(g.empty(), &p), CUDA_ERROR_INVALID_VALUE);
}

// --- Child graphs --------------------------------------------------------------------------------

TEST(cuGraphAddChildGraphNode, MakesANodeOfACopy) {
  Graphs g;
  CUgraph child;
  OK(cuGraphCreate(&child, 0));
  expect_checks(g, [&](CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return cuGraphAddChildGraphNode(node, graph, after, count, child);
  });
  CUgraphNode node;
  EXPECT_EQ(cuGraphAddChildGraphNode(&node, g.graph, nullptr, 0, no_graph),
            CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphAddChildGraphNode(&node, g.graph, nullptr, 0, g.graph)) << "a copy of itself";
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_GRAPH);
}

// The whole child comes after the node's predecessors and before its successors.
TEST(cuGraphAddChildGraphNode, KeepsItsPlaceInTheOrder) {
  Graphs g;
  CUgraph child, grandchild;
  OK(cuGraphCreate(&child, 0));
  OK(cuGraphCreate(&grandchild, 0));
  g.note(3, {}, grandchild);
  CUgraphNode inner;
  const CUgraphNode two = g.note(2, {}, child);
  OK(cuGraphAddChildGraphNode(&inner, child, &two, 1, grandchild));
  g.note(4, {inner}, child);
  const CUgraphNode first = g.note(1);
  CUgraphNode node, nothing;
  OK(cuGraphAddChildGraphNode(&node, g.graph, &first, 1, child));
  CUgraph empty;
  OK(cuGraphCreate(&empty, 0));
  OK(cuGraphAddChildGraphNode(&nothing, g.graph, &node, 1, empty));
  g.note(5, {nothing});
  g.run(g.exec());
  EXPECT_EQ(g.log.entries(), (std::vector{1, 2, 3, 4, 5}));
}

TEST(cuGraphChildGraphNodeGetGraph, TellsTheNodesOwnGraph) {
  Graphs g;
  CUgraph child, inner, again;
  OK(cuGraphCreate(&child, 0));
  CUgraphNode node;
  OK(cuGraphAddChildGraphNode(&node, g.graph, nullptr, 0, child));
  OK(cuGraphChildGraphNodeGetGraph(node, &inner));
  OK(cuGraphChildGraphNodeGetGraph(node, &again));
  EXPECT_EQ(inner, again);
  g.note(1, {}, inner);  // inner can still be changed
  g.run(g.exec());
  EXPECT_EQ(g.log.entries(), std::vector{1});
  EXPECT_EQ(cuGraphChildGraphNodeGetGraph(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphChildGraphNodeGetGraph(g.empty(), &inner), CUDA_ERROR_INVALID_VALUE);
}

// --- Events --------------------------------------------------------------------------------------

TEST(cuGraphAddEventRecordNode, MakesANode) {
  Graphs g;
  const CUevent event = new_event();
  expect_checks(g, [&](CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return cuGraphAddEventRecordNode(node, graph, after, count, event);
  });
  CUgraphNode node;
  EXPECT_EQ(cuGraphAddEventRecordNode(&node, g.graph, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuGraphAddEventWaitNode, MakesANode) {
  Graphs g;
  const CUevent event = new_event();
  expect_checks(g, [&](CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return cuGraphAddEventWaitNode(node, graph, after, count, event);
  });
  CUgraphNode node;
  EXPECT_EQ(cuGraphAddEventWaitNode(&node, g.graph, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  g.run(g.exec());  // the event was never recorded
}

TEST(cuGraphEventRecordNodeGetEvent, TellsTheEvent) {
  Graphs g;
  const CUevent event = new_event();
  CUgraphNode node;
  CUevent told = nullptr;
  OK(cuGraphAddEventRecordNode(&node, g.graph, nullptr, 0, event));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  OK(cuGraphEventRecordNodeGetEvent(node, &told));
  EXPECT_EQ(told, event);
  EXPECT_EQ(cuGraphEventRecordNodeGetEvent(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphEventWaitNodeGetEvent(node, &told), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphEventRecordNodeSetEvent, ChangesTheEvent) {
  Graphs g;
  const CUevent event = new_event(), other = new_event();
  CUgraphNode node;
  CUevent told = nullptr;
  OK(cuGraphAddEventRecordNode(&node, g.graph, nullptr, 0, event));
  OK(cuGraphEventRecordNodeSetEvent(node, other));
  OK(cuGraphEventRecordNodeGetEvent(node, &told));
  EXPECT_EQ(told, other);
  EXPECT_EQ(cuGraphEventRecordNodeSetEvent(node, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphEventRecordNodeSetEvent(g.empty(), other), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphEventWaitNodeGetEvent, TellsTheEvent) {
  Graphs g;
  const CUevent event = new_event();
  CUgraphNode node;
  CUevent told = nullptr;
  OK(cuGraphAddEventWaitNode(&node, g.graph, nullptr, 0, event));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  OK(cuGraphEventWaitNodeGetEvent(node, &told));
  EXPECT_EQ(told, event);
  EXPECT_EQ(cuGraphEventWaitNodeGetEvent(node, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphEventWaitNodeSetEvent, ChangesTheEvent) {
  Graphs g;
  const CUevent event = new_event(), other = new_event();
  CUgraphNode node;
  CUevent told = nullptr;
  OK(cuGraphAddEventWaitNode(&node, g.graph, nullptr, 0, event));
  OK(cuGraphEventWaitNodeSetEvent(node, other));
  OK(cuGraphEventWaitNodeGetEvent(node, &told));
  EXPECT_EQ(told, other);
  EXPECT_EQ(cuGraphEventWaitNodeSetEvent(node, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

// In a capture, external records and waits are nodes.
TEST(cuEventRecordWithFlags, IsANodeIfItIsExternal) {
  Graphs g;
  const CUevent recorded = new_event(), waited = new_event();
  OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuEventRecordWithFlags(recorded, g.stream, CU_EVENT_RECORD_EXTERNAL));
  OK(cuStreamWaitEvent(g.stream, waited, CU_EVENT_WAIT_EXTERNAL));
  CUgraph captured;
  OK(cuStreamEndCapture(g.stream, &captured));
  CUgraphNode nodes[2];
  size_t count = 2;
  OK(cuGraphGetNodes(captured, nodes, &count));
  ASSERT_EQ(count, 2u);
  CUevent told = nullptr;
  OK(cuGraphEventRecordNodeGetEvent(nodes[0], &told));
  EXPECT_EQ(told, recorded);
  OK(cuGraphEventWaitNodeGetEvent(nodes[1], &told));
  EXPECT_EQ(told, waited);
  OK(cuEventQuery(recorded));
}

// --- Nodes of any type ---------------------------------------------------------------------------

TEST(cuGraphAddNode, MakesNodesOfEachType) {
  Graphs g;
  CUgraph child;
  OK(cuGraphCreate(&child, 0));
  const CUevent event = new_event();
  std::vector<CUgraphNodeParams> all(7);
  for (auto& p : all) memset(&p, 0, sizeof p);
  all[0].type = CU_GRAPH_NODE_TYPE_MEMCPY;
  all[0].memcpy.copyParams = g.words(0, 1);
  all[0].memcpy.copyCtx = g.scene.context;
  all[1].type = CU_GRAPH_NODE_TYPE_MEMSET;
  all[1].memset = {g.memory, 0, 1, 4, 1, 1, g.scene.context};
  all[2].type = CU_GRAPH_NODE_TYPE_HOST;
  const CUDA_HOST_NODE_PARAMS note = g.noting(1);
  all[2].host = {note.fn, note.userData};
  all[3].type = CU_GRAPH_NODE_TYPE_GRAPH;
  all[3].graph.graph = child;
  all[4].type = CU_GRAPH_NODE_TYPE_EMPTY;
  all[5].type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  all[5].eventWait.event = event;
  all[6].type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  all[6].eventRecord.event = event;
  CUgraphNode last = nullptr;
  for (auto& p : all) {
    CUgraphNode node = nullptr;
    OK(cuGraphAddNode(&node, g.graph, &last, nullptr, last ? 1 : 0, &p));
    EXPECT_EQ(type_of(node), p.type);
    OK(add_v1(&last, g.graph, &node, 1, &p));
  }
  g.run(g.exec());
  EXPECT_EQ(g.log.entries(), (std::vector{1, 1}));
}

TEST(cuGraphAddNode, RefusesByName) {
  Graphs g;
  expect_checks(g, [&](CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_EMPTY;
    return cuGraphAddNode(node, graph, after, nullptr, count, &p);
  });
  CUgraphNode node;
  EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeParams p = {};
  for (const int type : {CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT}) {
    p.type = static_cast<CUgraphNodeType>(type);
    p.extSemSignal.numExtSems = 1;
    EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  }
  for (const int type : {-1, 14, 99}) {
    p.type = static_cast<CUgraphNodeType>(type);
    EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  }
  // "Reserved. Must be zero."
  for (int field = 0; field < 4; ++field) {
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_EMPTY;
    OK(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p));
    if (field < 3) p.reserved0[field] = 1;
    if (field == 3) p.reserved2 = 1;
    EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  }
  p = {};
  p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  p.memcpy.copyParams = g.words(0, 1);
  OK(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p));
  p.memcpy.flags = 1;
  EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
}

// A batch of operations on words, in order; a wait among them holds up the nodes that come after.
TEST(cuGraphAddNode, MakesABatchOfMemoryOperations) {
  Graphs g;
  OK(cuMemsetD32(g.memory, 0, 4));
  OK(cuCtxSynchronize());
  CUstreamBatchMemOpParams operations[3] = {};
  operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = g.memory;
  operations[0].writeValue.value = 3;
  operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operations[1].waitValue.address = g.memory + 4;
  operations[1].waitValue.value = 5;
  operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  operations[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  operations[2].writeValue.address = g.memory + 8;
  operations[2].writeValue.value64 = 7;
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  p.memOp.ctx = g.scene.context;
  p.memOp.count = 3;
  p.memOp.paramArray = operations;
  CUgraphNode node = nullptr;
  OK(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  g.note(1, {node});
  const CUgraphExec exec = g.exec();
  OK(cuGraphLaunch(exec, g.stream));
  EXPECT_TRUE(eventually([&] { return g.read(0) == 3; }));
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(g.stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(g.read(2), 0u);
  EXPECT_TRUE(g.log.entries().empty());
  OK(cuStreamWriteValue32(g.other, g.memory + 4, 5, CU_STREAM_WRITE_VALUE_DEFAULT));
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.read(2), 7u);
  EXPECT_EQ(g.log.entries(), std::vector{1});
  CUDA_BATCH_MEM_OP_NODE_PARAMS told = {};
  OK(cuGraphBatchMemOpNodeGetParams(node, &told));
  EXPECT_EQ(told.count, 3u);
  EXPECT_EQ(told.ctx, g.scene.context);
  EXPECT_EQ(told.paramArray[2].writeValue.value64, 7u);
  operations[0].writeValue.value = 9;
  OK(cuGraphExecNodeSetParams(exec, node, &p));
  g.run(exec);
  EXPECT_EQ(g.read(0), 9u);
  p.memOp.ctx = nullptr;
  EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  p.memOp.ctx = g.scene.context;
  p.memOp.flags = 1;
  EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  p.memOp.flags = 0;
  operations[1].waitValue.address += 1;
  EXPECT_EQ(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
}

// A child graph can be moved into a node instead of being copied.
TEST(cuGraphAddNode, TakesAChildOver) {
  Graphs g;
  CUgraph child, inner;
  OK(cuGraphCreate(&child, 0));
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_GRAPH;
  p.graph = {child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
  CUgraphNode node, other;
  OK(cuGraphAddNode(&node, g.graph, nullptr, nullptr, 0, &p));
  OK(cuGraphChildGraphNodeGetGraph(node, &inner));
  EXPECT_EQ(inner, child);
  EXPECT_EQ(cuGraphDestroy(child), CUDA_ERROR_INVALID_VALUE) << "it is the node's";
  EXPECT_EQ(cuGraphAddNode(&other, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  p.graph = {g.graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
  EXPECT_EQ(cuGraphAddNode(&other, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddNode(&other, inner, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
  p.graph = {g.graph, static_cast<CUgraphChildGraphNodeOwnership>(5)};
  EXPECT_EQ(cuGraphAddNode(&other, g.graph, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphNodeSetParams, ChangesWorkOfTheSameType) {
  Graphs g;
  const CUgraphNode fill = g.fill(0, 1), host = g.note(1);
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_MEMSET;
  p.memset = {g.memory + 4, 0, 8, 4, 1, 1, g.scene.context};
  OK(cuGraphNodeSetParams(fill, &p));
  EXPECT_EQ(cuGraphNodeSetParams(host, &p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeSetParams(fill, nullptr), CUDA_ERROR_INVALID_VALUE);
  p.memset.elementSize = 5;
  EXPECT_EQ(cuGraphNodeSetParams(fill, &p), CUDA_ERROR_INVALID_VALUE);
  p.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  EXPECT_EQ(cuGraphNodeSetParams(fill, &p), CUDA_ERROR_INVALID_VALUE);
  g.run(g.exec());
  EXPECT_EQ(g.read(1), 8u);
}

}  // namespace
