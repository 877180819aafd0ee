// SPDX-License-Identifier: Apache-2.0
// Launches of graphs, and the nodes inside a graph.
#include "tests/wrong/races/race.hpp"

namespace {

// Captures what `work` submits to a stream.
template <typename Work>
CUgraphExec graph_of(const Program& p, CUstream stream, const Work& work) {
  NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  work();
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  NEED(cuGraphInstantiate(&exec, graph, 0));
  NEED(cuGraphDestroy(graph));
  p.at_end([exec] { NEED(cuGraphExecDestroy(exec)); });
  return exec;
}

}  // namespace

void launches_without_a_wait(Twin twin) {
  const Program p;
  const CUgraphExec exec = graph_of(p, p.a, [&] { fill(p.x, p.a); });
  NEED(cuGraphLaunch(exec, p.a));
  if (twin == Twin::repaired) link(p.a, p.b);
  copy(p.y, p.x, p.b);
}

// Launches of the same executable graph are in order even if their streams are not.
void launches_two_graphs(Twin twin) {
  const Program p;
  const CUgraphExec first = graph_of(p, p.a, [&] { fill(p.x, p.a); });
  const CUgraphExec second = graph_of(p, p.a, [&] { fill(p.x, p.a); });
  NEED(cuGraphLaunch(first, p.a));
  NEED(cuGraphLaunch(twin == Twin::wrong ? second : first, p.b));
}

void forgets_a_dependency(Twin twin) {
  const Program p;
  const CUgraphExec exec = graph_of(p, p.a, [&] {
    if (twin == Twin::wrong) link(p.a, p.b);
    fill(p.x, p.a);
    if (twin == Twin::repaired) link(p.a, p.b);
    fill(p.x, p.b);
    link(p.b, p.a);
  });
  NEED(cuGraphLaunch(exec, p.a));
}
