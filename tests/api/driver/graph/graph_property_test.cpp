// SPDX-License-Identifier: Apache-2.0
// Random graphs: they run in an order that the edges allow and write the values that the edges
// imply, on whatever threads the work runs.
#include <random>
#include <thread>

#include "tests/api/driver/graph_scene.hpp"

namespace {

// A graph of `count` nodes: each comes after some of the earlier ones. A node fills a word, is
// empty, or is a host node that appends its number.
struct RandomGraph {
  RandomGraph(Graphs& g, unsigned seed, int count, int density) : random(seed) {
    before.resize(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      Graphs::Nodes after;
      for (int j = 0; j < i; ++j)
        if (static_cast<int>(random() % 100) < density) {
          before[static_cast<size_t>(i)].push_back(j);
          after.push_back(nodes[static_cast<size_t>(j)]);
        }
      switch (random() % 4) {
        case 0:
          nodes.push_back(g.fill(static_cast<size_t>(i), static_cast<unsigned>(i + 1), after));
          break;
        case 1:
          nodes.push_back(g.empty(after));
          break;
        default:
          nodes.push_back(g.note(i, after));
          notes.push_back(i);
      }
    }
  }

  // Whether one launch's part of the log has each host node once, and after the host nodes that it
  // depends on, also by way of other nodes.
  testing::AssertionResult allowed(const std::vector<int>& log) const {
    std::vector<int> place(nodes.size(), -1);
    for (size_t i = 0; i < log.size(); ++i) {
      if (place[static_cast<size_t>(log[i])] >= 0)
        return testing::AssertionFailure() << log[i] << " ran twice";
      place[static_cast<size_t>(log[i])] = static_cast<int>(i);
    }
    if (log.size() != notes.size())
      return testing::AssertionFailure() << log.size() << " of " << notes.size() << " ran";
    // The last place in the log of a host node at or before each node.
    std::vector<int> latest(nodes.size(), -1);
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const int j : before[i]) latest[i] = std::max(latest[i], latest[static_cast<size_t>(j)]);
      if (place[i] < 0) continue;
      if (place[i] < latest[i])
        return testing::AssertionFailure() << i << " ran before what it comes after";
      latest[i] = place[i];
    }
    return testing::AssertionSuccess();
  }

  std::mt19937 random;
  Graphs::Nodes nodes;
  std::vector<std::vector<int>> before;
  std::vector<int> notes;
};

class RandomGraphs : public testing::TestWithParam<int> {};

TEST_P(RandomGraphs, RunInAnAllowedOrder) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Graphs g;
    const RandomGraph graph(g, seed, 60, GetParam());
    const CUgraphExec exec = g.exec();
    for (int i = 0; i < 3; ++i) OK(cuGraphLaunch(exec, i % 2 ? g.other : g.stream));
    OK(cuStreamSynchronize(g.stream));
    OK(cuStreamSynchronize(g.other));
    const std::vector<int> log = g.log.entries();
    ASSERT_EQ(log.size(), 3 * graph.notes.size());
    const auto each = static_cast<std::ptrdiff_t>(graph.notes.size());
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(graph.allowed({log.begin() + i * each, log.begin() + (i + 1) * each}))
          << "seed " << seed << ", launch " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Densities, RandomGraphs, testing::Values(0, 2, 10, 50, 100));

// Nodes fill a word or copy an earlier node's word, so that a wrong order leaves a wrong value.
TEST(RandomGraph, PropagatesValuesAlongItsEdges) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Graphs g;
    std::mt19937 random(seed);
    std::vector<unsigned> expected;
    Graphs::Nodes nodes;
    for (unsigned i = 0; i < 80; ++i) {
      if (i == 0 || random() % 5 == 0) {
        nodes.push_back(g.fill(i, 1000 + i));
        expected.push_back(1000 + i);
      } else {
        const unsigned from = static_cast<unsigned>(random() % i);
        nodes.push_back(g.copy(from, i, {nodes[from]}));
        expected.push_back(expected[from]);
      }
    }
    const CUgraphExec exec = g.exec();
    for (int round = 0; round < 3; ++round) {
      OK(cuMemsetD32Async(g.memory, 0, 128, g.stream));
      OK(cuGraphLaunch(exec, g.stream));
      unsigned words[80];
      OK(cuMemcpyDtoHAsync(words, g.memory, sizeof words, g.stream));
      for (unsigned i = 0; i < 80; ++i) ASSERT_EQ(words[i], expected[i]) << seed << ", " << i;
    }
  }
}

// Several threads launch a common executable graph and ones of their own, in streams of their own.
TEST(RandomGraph, IsLaunchedByManyThreads) {
  Graphs g;
  const CUgraphNode a = g.fill(0, 1), b = g.note(1, {a}), c = g.fill(1, 2, {a});
  g.note(2, {b, c});
  const CUgraphExec shared = g.exec();
  constexpr int threads = 4, rounds = 50;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      OK(cuCtxSetCurrent(g.scene.context));
      const CUstream stream = new_stream();
      CUgraphExec own;
      OK(cuGraphInstantiate(&own, g.graph, 0));
      for (int round = 0; round < rounds; ++round) {
        OK(cuGraphLaunch(shared, stream));
        OK(cuGraphLaunch(own, stream));
        if (round % 8 != 0) continue;
        OK(cuStreamSynchronize(stream));
      }
      OK(cuStreamSynchronize(stream));
      OK(cuGraphExecDestroy(own));
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(g.log.entries().size(), size_t{2} * 2 * threads * rounds);
}

// As long a chain as a program may make: nothing recurses.
TEST(RandomGraph, MayBeALongChain) {
  Graphs g;
  CUgraphNode last = g.fill(0, 0);
  for (unsigned i = 1; i <= 20'000; ++i) last = g.fill(0, i, {last});
  const CUgraphExec exec = g.exec();
  g.run(exec);
  EXPECT_EQ(g.read(0), 20'000u);
}

TEST(RandomGraph, MayBeWide) {
  Graphs g;
  const CUgraphNode first = g.empty();
  Graphs::Nodes middle;
  for (unsigned i = 0; i < 1000; ++i) middle.push_back(g.fill(i, i + 1, {first}));
  g.note(1, middle);
  const CUgraphExec exec = g.exec();
  for (int round = 0; round < 5; ++round) g.run(exec);
  for (unsigned i = 0; i < 1000; ++i) ASSERT_EQ(g.read(i), i + 1);
  EXPECT_EQ(g.log.entries().size(), 5u);
}

}  // namespace
