// SPDX-License-Identifier: Apache-2.0
// GraphExec: a graph made executable: a private copy, which can be launched any number of times,
// one launch after the other. The work of its nodes can be changed, their order cannot.
//
// Threads: any. Lock order: graph_mutex, its own lock, an event's. Invariant: only this object
// reaches the copy's nodes, so its lock guards them.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/graph/graph.hpp"
#include "sim/device/graph/graph_run.hpp"
#include "sim/device/graph/graph_topology.hpp"
#include "sim/exec/timeline.hpp"

namespace cuvette::device {

class GraphExec final : public Counted, public GraphConditions {
 public:
  // CUgraphInstantiate_flags.
  static constexpr uint64_t auto_free = 1, upload = 2, device_launch = 4, node_priority = 8;

  // CUgraphInstantiateResult's numbers.
  enum class Verdict : uint8_t {
    success = 0,
    error = 1,
    invalid_structure = 2,
    not_supported = 3,
    several_contexts = 4,
    condition_unused = 5,
  };
  struct Instantiation {
    Verdict verdict = Verdict::success;
    Ref<GraphNode> node;  // the node of the graph at fault, if there is one
  };
  // Errors: invalid_value for flags that do not exist or exclude each other, a circle, an unused
  // condition, a graph that manages memory and is executable already; not_supported for nodes that
  // cannot be launched from a device, if the flags ask for that.
  static Result<Ref<GraphExec>> instantiate(Graph& graph, uint64_t flags, Instantiation& outcome)
      REQUIRES(graph_mutex);

  // Measured: without the flags that say what the instantiation did, or that priorities count.
  uint64_t flags() const { return flags_; }

  // Appends a launch to `stream`. Errors: invalid_value if memory of a copy or a fill is not there,
  // or if an allocation of the last launch was not freed; out_of_memory.
  Result<> launch(Stream& stream, const void* call_site) EXCLUDES(mutex_);

  // Backs the memory that a launch needs with pages now.
  void upload_memory() EXCLUDES(mutex_);

  // Returns a copy of what it executes, to become a part of another graph.
  Result<Ref<Graph>> copy() EXCLUDES(mutex_) REQUIRES(graph_mutex);

  // --- Changes, for later launches. `node` is one of the graph that was made executable. ---
  // Errors: invalid_value if the node is not known here, or its work cannot become `work`.
  Result<> set_work(const GraphNode& node, Work work) REQUIRES(graph_mutex) EXCLUDES(mutex_);
  // Nodes that copy or fill can be off: they do nothing. Errors: invalid_value for others.
  Result<bool> enabled(const GraphNode& node) EXCLUDES(mutex_);
  Result<> set_enabled(const GraphNode& node, bool enabled) EXCLUDES(mutex_);

  // CUgraphExecUpdateResult's numbers.
  enum class Update : uint8_t {
    success = 0,
    error = 1,
    topology_changed = 2,
    node_type_changed = 3,
    parameters_changed = 5,
    not_supported = 6,
    unsupported_function_change = 7,
  };
  struct Updating {
    Update result = Update::success;
    Ref<GraphNode> node, from;  // of `graph`
  };
  // Takes over the work of all nodes of `graph`, which must have the same shape, or of none.
  // Errors: graph_exec_update_failure.
  Result<> update(const Graph& graph, Updating& outcome) REQUIRES(graph_mutex) EXCLUDES(mutex_);

  // Informs the graph that it is no longer executable.
  void retire();

 private:
  struct Changes;

  GraphExec(Ref<Graph> graph, Ref<Topology> topology, uint64_t flags);
  ~GraphExec() override { retire(); }

  Result<GraphNode*> find(const GraphNode& node) REQUIRES(mutex_);
  using MemoryChanges = std::unordered_map<memory::DevicePtr, GraphMemory::Launch>;
  // Returns what a launch does with memory of graphs.
  Result<MemoryChanges> check_memory() REQUIRES(mutex_);
  void back_memory() REQUIRES(mutex_);
  Result<std::unique_ptr<GraphRun::Frame>> prepare(GraphRun& run, const Ref<Topology>& topology,
                                                   const void* call_site) REQUIRES(mutex_);
  Result<> add_operation(const GraphNode& node, const GraphRun& run, const void* call_site,
                         std::vector<AnyOperation>& operations) REQUIRES(mutex_);

  bool set_condition(uint64_t handle, uint32_t value) override;

  const Ref<Graph> graph_;
  const Ref<Topology> topology_;
  const uint64_t flags_;
  std::vector<Ref<Condition>> conditions_;  // of it and of the graphs inside
  Ref<Graph::Executables> counted_;

  Mutex mutex_;
  std::unordered_map<uint64_t, GraphNode*> nodes_ GUARDED_BY(mutex_);  // by the original's number
  std::unordered_set<const GraphNode*> disabled_ GUARDED_BY(mutex_);
  exec::Edge last_ GUARDED_BY(mutex_);  // the end of the last launch
};

}  // namespace cuvette::device
