// SPDX-License-Identifier: Apache-2.0
// Graph nodes that signal external semaphores and wait for them. Results for invalid arguments are
// in tests/conformance, as a real driver gave them.
#include <cuda.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "tests/api/driver/graph_scene.hpp"
#include "tests/api/driver/semaphores.hpp"

namespace {

// A node's parameters, together with the arrays they point to.
template <typename Parameters, typename One>
class Of : public Parameters {
 public:
  Of(std::vector<CUexternalSemaphore> semaphores, std::vector<One> ones)
      : semaphores_(std::move(semaphores)), ones_(std::move(ones)) {
    this->extSemArray = semaphores_.data();
    this->paramsArray = ones_.data();
    this->numExtSems = static_cast<unsigned>(semaphores_.size());
  }

 private:
  std::vector<CUexternalSemaphore> semaphores_;
  std::vector<One> ones_;
};
using SignalNode = Of<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, Signal>;
using WaitNode = Of<CUDA_EXT_SEM_WAIT_NODE_PARAMS, Wait>;

class SemaphoreGraphs : public Graphs {
 public:
  CUgraphNode add(const SignalNode& parameters, const Nodes& after = {}) {
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddExternalSemaphoresSignalNode(&node, graph, after.data(), after.size(),
                                                     &parameters),
              CUDA_SUCCESS);
    return node;
  }
  CUgraphNode add(const WaitNode& parameters, const Nodes& after = {}) {
    CUgraphNode node = nullptr;
    EXPECT_EQ(
        cuGraphAddExternalSemaphoresWaitNode(&node, graph, after.data(), after.size(), &parameters),
        CUDA_SUCCESS);
    return node;
  }
  bool waits(CUstream which) const {
    let_things_happen();
    return cuStreamQuery(which) == CUDA_ERROR_NOT_READY;
  }
};

CUgraphNodeType type_of(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
  return type;
}

TEST(cuGraphAddExternalSemaphoresSignalNode, SignalsAfterWhatComesBeforeIt) {
  SemaphoreGraphs g;
  Timeline timeline;
  Binary binary;
  const CUgraphNode fill = g.fill(0, 7);
  const CUgraphNode node =
      g.add(SignalNode({timeline.import(), binary.import()}, {signal_of(3), signal_of(0)}), {fill});
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
  const CUgraphExec exec = g.exec();
  {
    Gate gate(g.stream);
    OK(cuGraphLaunch(exec, g.stream));
    let_things_happen();
    EXPECT_EQ(timeline.value(), 0u);
  }
  EXPECT_TRUE(timeline.wait(3));
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.read(0), 7u);
  EXPECT_TRUE(binary.take());
  g.run(exec);
  EXPECT_TRUE(binary.take()) << "each launch signals";
  EXPECT_EQ(timeline.value(), 3u);
}

TEST(cuGraphAddExternalSemaphoresWaitNode, HoldsUpWhatComesAfterItAlone) {
  SemaphoreGraphs g;
  Timeline timeline;
  Binary binary;
  const CUgraphNode node =
      g.add(WaitNode({timeline.import(), binary.import()}, {wait_of(2), wait_of(0)}));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
  g.note(1, {node});
  g.note(2);
  const CUgraphExec exec = g.exec();
  OK(cuGraphLaunch(exec, g.stream));
  EXPECT_TRUE(eventually([&] { return g.log.entries() == std::vector{2}; }));
  timeline.signal(2);
  EXPECT_TRUE(g.waits(g.stream));
  EXPECT_EQ(g.log.entries(), std::vector{2});
  binary.signal();
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.log.entries(), (std::vector{2, 1}));
  // A second launch: the timeline still has its value, but the binary semaphore's signal was
  // consumed.
  OK(cuGraphLaunch(exec, g.stream));
  EXPECT_TRUE(g.waits(g.stream));
  binary.signal();
  OK(cuStreamSynchronize(g.stream));
  EXPECT_EQ(g.log.entries().size(), 4u);
  EXPECT_FALSE(binary.take());
}

TEST(cuGraphAddExternalSemaphoresWaitNode, IsEndedByABranchOfTheSameLaunch) {
  SemaphoreGraphs g;
  Binary binary;
  const CUexternalSemaphore semaphore = binary.import();
  const CUgraphNode awaited = g.add(WaitNode({semaphore}, {wait_of(0)}));
  g.copy(0, 1, {awaited});
  g.add(SignalNode({semaphore}, {signal_of(0)}), {g.fill(0, 9)});
  const CUgraphExec exec = g.exec();
  for (int i = 0; i < 50; ++i) {
    OK(cuMemsetD32Async(g.memory, 0, 2, g.stream));
    g.run(exec);
    EXPECT_EQ(g.read(1), 9u);
  }
}

TEST(cuGraphAddExternalSemaphoresSignalNode, TakesNoSemaphoresToo) {
  SemaphoreGraphs g;
  const CUgraphNode node = g.add(SignalNode({}, {}));
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told{};
  OK(cuGraphExternalSemaphoresSignalNodeGetParams(node, &told));
  EXPECT_EQ(told.numExtSems, 0u);
  g.run(g.exec());
}

TEST(cuGraphAddExternalSemaphoresSignalNode, KeepsASemaphoreThatIsDestroyed) {
  SemaphoreGraphs g;
  Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  g.add(SignalNode({semaphore}, {signal_of(4)}));
  const CUgraphExec exec = g.exec();
  OK(cuDestroyExternalSemaphore(semaphore));
  g.run(exec);
  EXPECT_EQ(timeline.value(), 4u);
  CUgraphNode node = nullptr;
  const SignalNode stale({semaphore}, {signal_of(4)});
  EXPECT_EQ(cuGraphAddExternalSemaphoresSignalNode(&node, g.graph, nullptr, 0, &stale),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExternalSemaphoresSignalNodeGetParams, TellsWhatTheNodeHas) {
  SemaphoreGraphs g;
  const Timeline timeline;
  const CUexternalSemaphore first = timeline.import(), second = timeline.import();
  const CUgraphNode node = g.add(SignalNode({first, second}, {signal_of(1), signal_of(2)}));
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told{};
  OK(cuGraphExternalSemaphoresSignalNodeGetParams(node, &told));
  ASSERT_EQ(told.numExtSems, 2u);
  EXPECT_EQ(told.extSemArray[0], first);
  EXPECT_EQ(told.extSemArray[1], second);
  EXPECT_EQ(told.paramsArray[1].params.fence.value, 2u);
  EXPECT_EQ(cuGraphExternalSemaphoresSignalNodeGetParams(g.empty(), &told),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExternalSemaphoresWaitNodeGetParams, TellsWhatTheNodeHas) {
  SemaphoreGraphs g;
  const Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  const CUgraphNode node = g.add(WaitNode({semaphore}, {wait_of(6)}));
  CUDA_EXT_SEM_WAIT_NODE_PARAMS told{};
  OK(cuGraphExternalSemaphoresWaitNodeGetParams(node, &told));
  ASSERT_EQ(told.numExtSems, 1u);
  EXPECT_EQ(told.extSemArray[0], semaphore);
  EXPECT_EQ(told.paramsArray[0].params.fence.value, 6u);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS other{};
  EXPECT_EQ(cuGraphExternalSemaphoresSignalNodeGetParams(node, &other), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExternalSemaphoresSignalNodeSetParams, ChangesTheGraphNotWhatWasMadeOfIt) {
  SemaphoreGraphs g;
  Timeline timeline, another;
  const CUexternalSemaphore semaphore = timeline.import(), other = another.import();
  const CUgraphNode node = g.add(SignalNode({semaphore}, {signal_of(1)}));
  const CUgraphExec before = g.exec();
  const SignalNode two({semaphore, other}, {signal_of(5), signal_of(6)});
  OK(cuGraphExternalSemaphoresSignalNodeSetParams(node, &two));
  g.run(before);
  EXPECT_EQ(timeline.value(), 1u);
  g.run(g.exec());
  EXPECT_EQ(timeline.value(), 5u);
  EXPECT_EQ(another.value(), 6u);
}

TEST(cuGraphExternalSemaphoresWaitNodeSetParams, ChangesTheGraph) {
  SemaphoreGraphs g;
  Timeline timeline(4);
  const CUexternalSemaphore semaphore = timeline.import();
  const CUgraphNode node = g.add(WaitNode({semaphore}, {wait_of(9)}));
  const WaitNode less({semaphore}, {wait_of(4)});
  OK(cuGraphExternalSemaphoresWaitNodeSetParams(node, &less));
  g.run(g.exec());
  const SignalNode signal({semaphore}, {signal_of(4)});
  EXPECT_EQ(cuGraphExternalSemaphoresSignalNodeSetParams(node, &signal), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExecExternalSemaphoresSignalNodeSetParams, CountsForLaterLaunches) {
  SemaphoreGraphs g;
  Timeline timeline, another;
  const CUexternalSemaphore semaphore = timeline.import(), other = another.import();
  const CUgraphNode node = g.add(SignalNode({semaphore}, {signal_of(1)}));
  const CUgraphExec exec = g.exec();
  {
    Gate gate(g.stream);
    OK(cuGraphLaunch(exec, g.stream));
    const SignalNode later({other}, {signal_of(2)});
    OK(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &later));
  }
  g.run(exec);
  EXPECT_EQ(timeline.value(), 1u) << "the launch under way";
  EXPECT_EQ(another.value(), 2u);
  const SignalNode more({other, semaphore}, {signal_of(2), signal_of(2)}), none({}, {});
  EXPECT_EQ(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &more),
            CUDA_ERROR_INVALID_VALUE)
      << "their number stays";
  EXPECT_EQ(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &none),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told{};
  OK(cuGraphExternalSemaphoresSignalNodeGetParams(node, &told));
  EXPECT_EQ(told.extSemArray[0], semaphore) << "the graph's own node is as it was";
}

TEST(cuGraphExecExternalSemaphoresWaitNodeSetParams, CountsForLaterLaunches) {
  SemaphoreGraphs g;
  Timeline timeline(3);
  const CUexternalSemaphore semaphore = timeline.import();
  const CUgraphNode node = g.add(WaitNode({semaphore}, {wait_of(3)}));
  const CUgraphExec exec = g.exec();
  g.run(exec);
  const WaitNode later({semaphore}, {wait_of(4)});
  OK(cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node, &later));
  OK(cuGraphLaunch(exec, g.stream));
  EXPECT_TRUE(g.waits(g.stream));
  timeline.signal(4);
  OK(cuStreamSynchronize(g.stream));
  const SignalNode signal({semaphore}, {signal_of(4)});
  EXPECT_EQ(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &signal),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExecUpdate, TakesOtherSemaphoresButNotAnotherNumber) {
  SemaphoreGraphs g;
  Timeline timeline, another;
  const CUexternalSemaphore semaphore = timeline.import(), other = another.import();
  g.add(SignalNode({semaphore}, {signal_of(1)}));
  const CUgraphExec exec = g.exec();
  CUgraphExecUpdateResultInfo info{};
  OK(cuGraphCreate(&g.graph, 0));
  g.add(SignalNode({other}, {signal_of(8)}));
  OK(cuGraphExecUpdate(exec, g.graph, &info));
  g.run(exec);
  EXPECT_EQ(another.value(), 8u);
  OK(cuGraphCreate(&g.graph, 0));
  const CUgraphNode node = g.add(SignalNode({other, semaphore}, {signal_of(9), signal_of(9)}));
  EXPECT_EQ(cuGraphExecUpdate(exec, g.graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
  EXPECT_EQ(info.errorNode, node);
  g.run(exec);
  EXPECT_EQ(timeline.value(), 0u);
}

TEST(cuGraphAddNode, MakesNodesOfSemaphores) {
  SemaphoreGraphs g;
  Timeline timeline;
  const SignalNode sent({timeline.import()}, {signal_of(3)});
  const WaitNode awaited({timeline.import()}, {wait_of(3)});
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
  parameters.extSemSignal.extSemArray = sent.extSemArray;
  parameters.extSemSignal.paramsArray = sent.paramsArray;
  parameters.extSemSignal.numExtSems = 1;
  CUgraphNode first = nullptr, second = nullptr;
  OK(cuGraphAddNode(&first, g.graph, nullptr, nullptr, 0, &parameters));
  CUgraphNodeParams other{};
  other.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
  other.extSemWait.extSemArray = awaited.extSemArray;
  other.extSemWait.paramsArray = awaited.paramsArray;
  other.extSemWait.numExtSems = 1;
  OK(cuGraphAddNode(&second, g.graph, &first, nullptr, 1, &other));
  EXPECT_EQ(type_of(second), CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
  const CUgraphExec exec = g.exec();
  g.run(exec);
  EXPECT_EQ(timeline.value(), 3u);
  const SignalNode later({timeline.import()}, {signal_of(7)});
  parameters.extSemSignal.extSemArray = later.extSemArray;
  parameters.extSemSignal.paramsArray = later.paramsArray;
  OK(cuGraphExecNodeSetParams(exec, first, &parameters));
  g.run(exec);
  EXPECT_EQ(timeline.value(), 7u);
  EXPECT_EQ(cuGraphNodeSetParams(first, &other), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphNodeSetParams(first, &parameters));
}

TEST(cuGraphClone, CopiesNodesOfSemaphores) {
  SemaphoreGraphs g;
  Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  const CUgraphNode node = g.add(SignalNode({semaphore}, {signal_of(3)}));
  CUgraph clone = nullptr;
  OK(cuGraphClone(&clone, g.graph));
  const SignalNode later({semaphore}, {signal_of(4)});
  OK(cuGraphExternalSemaphoresSignalNodeSetParams(node, &later));
  CUgraphNode same = nullptr;
  OK(cuGraphNodeFindInClone(&same, node, clone));
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told{};
  OK(cuGraphExternalSemaphoresSignalNodeGetParams(same, &told));
  ASSERT_EQ(told.numExtSems, 1u);
  EXPECT_EQ(told.paramsArray[0].params.fence.value, 3u);
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, clone, 0));
  g.run(exec);
  EXPECT_EQ(timeline.value(), 3u);
}

TEST(cuGraphDebugDotPrint, NamesSemaphores) {
  SemaphoreGraphs g;
  const Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  g.add(SignalNode(std::vector(20, semaphore), std::vector(20, signal_of(123456))));
  g.add(WaitNode({semaphore}, {wait_of(654321)}));
  const std::string path = testing::TempDir() + "semaphores.dot";
  const auto print = [&](unsigned flags) {
    EXPECT_EQ(cuGraphDebugDotPrint(g.graph, path.c_str(), flags), CUDA_SUCCESS);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  EXPECT_EQ(print(0).find("123456"), std::string::npos);
  const std::string signals = print(CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS);
  EXPECT_NE(signals.find("EXT_SEMAS_SIGNAL"), std::string::npos);
  EXPECT_NE(signals.find("value 123456\"];"), std::string::npos) << signals;
  EXPECT_EQ(signals.find("654321"), std::string::npos);
  EXPECT_NE(print(CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS).find("value 654321"),
            std::string::npos);
  remove(path.c_str());
}

TEST(cuStreamEndCapture, HasNodesOfTheSemaphoresThatWereCaptured) {
  SemaphoreGraphs g;
  Timeline timeline;
  Binary binary;
  const CUexternalSemaphore both[] = {timeline.import(), binary.import()};
  const Signal values[] = {signal_of(4), signal_of(0)};
  OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemsetD32Async(g.memory, 5, 1, g.stream));
  OK(cuSignalExternalSemaphoresAsync(both, values, 2, g.stream));
  OK(wait(both[0], 4, g.stream));
  CUgraph captured = nullptr;
  OK(cuStreamEndCapture(g.stream, &captured));
  EXPECT_EQ(timeline.value(), 0u);
  CUgraphNode nodes[4];
  size_t count = 4;
  OK(cuGraphGetNodes(captured, nodes, &count));
  ASSERT_EQ(count, 3u);
  EXPECT_EQ(type_of(nodes[1]), CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
  EXPECT_EQ(type_of(nodes[2]), CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told{};
  OK(cuGraphExternalSemaphoresSignalNodeGetParams(nodes[1], &told));
  ASSERT_EQ(told.numExtSems, 2u);
  EXPECT_EQ(told.extSemArray[1], both[1]);
  EXPECT_EQ(told.paramsArray[0].params.fence.value, 4u);
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, captured, 0));
  g.run(exec);
  EXPECT_EQ(timeline.value(), 4u);
  EXPECT_TRUE(binary.take());
}

TEST(cuImportExternalSemaphore, IsNotForThoseWhoCapture) {
  SemaphoreGraphs g;
  const Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  CUgraph captured = nullptr;
  for (const bool import : {false, true}) {
    OK(cuStreamBeginCapture(g.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUexternalSemaphore another = nullptr;
    EXPECT_EQ(import ? import_fd(&another, timeline.fd(), as_timeline)
                     : cuDestroyExternalSemaphore(semaphore),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(cuStreamEndCapture(g.stream, &captured), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  OK(cuDestroyExternalSemaphore(semaphore)) << "it was not destroyed";
}

}  // namespace
