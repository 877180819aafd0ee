// SPDX-License-Identifier: Apache-2.0
// Graph: a description of work and its order, as nodes and edges, which can be changed, copied and
// made executable (GraphExec).
//
// Threads: any, under graph_mutex, which guards all graphs, their nodes and all captures; CUDA asks
// applications not to use one graph from two threads at once; one that does gets no crash.
// Lock order: graph_mutex comes before every other lock of this room.
// Invariants: an edge is in both of its nodes; a node that has left its graph has no edges and
// no graph.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/graph/graph_memory.hpp"
#include "sim/device/graph/graph_user_object.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/device/stream/external_semaphore.hpp"
#include "sim/device/stream/host_call.hpp"
#include "sim/device/stream/transfer.hpp"
#include "sim/device/stream/value_operation.hpp"

namespace cuvette::device {

class Graph;
class GraphNode;

extern Mutex graph_mutex;

// CUgraphNodeType's numbers.
enum class NodeType : uint8_t {
  kernel = 0,
  copy = 1,
  fill = 2,
  host = 3,
  child = 4,
  empty = 5,
  event_wait = 6,
  event_record = 7,
  external_signal = 8,
  external_wait = 9,
  allocate = 10,
  free = 11,
  batch = 12,
  conditional = 13,
};
const char* name(NodeType type);

// Where an edge starts and ends, and CUgraphDependencyType; all 0 is an ordinary edge.
struct EdgeKind {
  uint8_t from_port = 0, to_port = 0, type = 0;

  bool ordinary() const { return from_port == 0 && to_port == 0 && type == 0; }
  bool operator==(const EdgeKind&) const = default;
};

// --- What nodes do -------------------------------------------------------------------------------
struct CopyWork {
  CopyOperand to, from;
  Ref<Counted> description;  // the C API's own description, for queries; may be none
  Ref<Context> context;      // of the copy; none: the launching stream's
};
struct FillWork {
  memory::DevicePtr address = 0;
  size_t pitch = 0;   // bytes; irrelevant for one row
  size_t width = 0;   // elements
  size_t height = 1;  // rows
  uint32_t value = 0;
  unsigned element = 1;  // bytes
  Ref<Context> context;  // none: the launching stream's

  memory::Region region() const;
};
struct HostWork {
  HostFunction function = nullptr;
  void* data = nullptr;
};
struct ChildWork {
  Ref<Graph> graph;  // the node's own
};
struct EventWork {
  Ref<Event> event;  // to record or to wait for
};
struct AllocateWork {
  Ref<GraphMemory> memory;
  Ref<Counted> description;  // what the C API was given
};
struct FreeWork {
  memory::DevicePtr address = 0;
};
struct BatchWork {
  std::vector<ValueOperation> operations;
  Ref<Counted> description;  // what the C API was given; null: captured
  Ref<Context> context;
};
struct SemaphoreWork {
  std::vector<SemaphoreOperation> operations;
  Ref<Counted> description;  // what the C API was given; null: captured
};
// A number that kernels set while a graph runs; it decides what a conditional node does.
struct Condition final : Counted {
  uint64_t handle = 0;             // unique in this process
  uint32_t initial = 0;            // at the beginning of each launch, if `assigned`
  bool assigned = false;           // CU_GRAPH_COND_ASSIGN_DEFAULT
  bool used = false;               // by a node; at most one
  std::atomic<uint32_t> value{0};  // in an executable graph: the current value
};
enum class ConditionKind : uint8_t { if_else = 0, loop = 1, choice = 2 };
struct ConditionalWork {
  Ref<Condition> condition;
  ConditionKind kind = ConditionKind::if_else;
  std::vector<Ref<Graph>> bodies;
  Ref<Counted> handles;  // the bodies' handles that the C API has returned
};
struct KernelWork {
  Ref<KernelCall> call;
  Ref<Counted> attributes;  // what the C API was given, for its queries; may be null
};
using Work =
    std::variant<std::monostate, CopyWork, FillWork, HostWork, ChildWork, EventWork, AllocateWork,
                 FreeWork, ConditionalWork, BatchWork, SemaphoreWork, KernelWork>;

struct NodeEdge {
  GraphNode* node;
  EdgeKind kind;
};
// A node to come after; keeps it alive.
struct Dependency {
  Ref<GraphNode> node;
  EdgeKind kind;
};
using Dependencies = std::vector<Dependency>;

class GraphNode final : public Counted, public ApiObject {
 public:
  GraphNode(Graph& graph, NodeType type, Work work, uint64_t id, uint64_t original)
      : graph_(&graph), type_(type), id_(id), original_(original), work_(std::move(work)) {}

  NodeType type() const { return type_; }
  uint64_t id() const { return id_; }  // unique in this process
  uint64_t original() const {
    return original_;
  }                                        // the id of the node that this was copied from, or 0
  Graph* graph() const { return graph_; }  // null once it is destroyed

  template <typename T>
  T& work() {
    return std::get<T>(work_);
  }
  template <typename T>
  const T& work() const {
    return std::get<T>(work_);
  }
  const Work& any_work() const { return work_; }
  void set_work(Work work) { work_ = std::move(work); }

  const std::vector<NodeEdge>& before() const { return before_; }
  const std::vector<NodeEdge>& after() const { return after_; }

 private:
  friend class Graph;
  ~GraphNode() override = default;

  Graph* graph_;
  const NodeType type_;
  const uint64_t id_, original_;
  Work work_;
  std::vector<NodeEdge> before_, after_;
};

class Graph final : public Counted, public ApiObject {
 public:
  Graph();

  uint64_t id() const { return id_; }
  const std::vector<Ref<GraphNode>>& nodes() const { return nodes_; }  // in order of creation
  // The node that has this as its child graph or body; null for a graph by itself.
  GraphNode* parent() const { return parent_; }
  void set_parent(GraphNode* parent) { parent_ = parent; }
  // Whether a capture writes it; until then it cannot be ended or made executable.
  bool captured = false;

  // How deep graphs can be nested, the outermost counted: walks through them recurse on the
  // caller's stack.
  static constexpr unsigned most_nested = 512;
  // Errors: invalid_value if a dependency is of another graph, is named twice, or if two edges of
  // which kinds cannot be, and if graphs would lie in each other more than most_nested times.
  Result<Ref<GraphNode>> add(NodeType type, Work work, const Dependencies& after)
      REQUIRES(graph_mutex);
  // Errors: invalid_value for nodes that are not of this graph, an edge from a node to itself,
  // an edge that exists already or, for a removal, one that does not.
  Result<> add_edge(GraphNode& from, GraphNode& to, EdgeKind kind) REQUIRES(graph_mutex);
  Result<> remove_edge(GraphNode& from, GraphNode& to, const EdgeKind* kind) REQUIRES(graph_mutex);
  // Removes a node and its edges.
  void remove(GraphNode& node) REQUIRES(graph_mutex);

  // Removes everything and hands it over; the caller drops it without the lock. Nodes that are
  // still referenced then have no graph.
  std::vector<Ref<GraphNode>> dissolve() REQUIRES(graph_mutex);

  // Returns a copy; its nodes know their originals. Errors: not_supported if it allocates or
  // frees memory.
  Result<Ref<Graph>> clone() const REQUIRES(graph_mutex);
  // The same for the owner of the one executable graph: memory stays with the nodes.
  Ref<Graph> clone_to_execute() const REQUIRES(graph_mutex);
  // Finds the copy of the node with this number, here or in graphs inside.
  Ref<GraphNode> find_copy(uint64_t original) const REQUIRES(graph_mutex);

  bool manages_memory() const;         // it, or a graph inside, has nodes that allocate or free
  bool has_conditional_nodes() const;  // it, or a graph inside
  bool contains(const Graph& other) const;
  // The depth of nesting from here inward: 1 without graphs inside.
  unsigned nested() const;

  std::vector<Ref<Condition>> conditions;
  // Adds one and returns its handle. `assigned`: each launch begins with the value `initial`.
  uint64_t add_condition(uint32_t initial, bool assigned) REQUIRES(graph_mutex);

  // References that the graph holds for the application; they end with it.
  struct Held {
    Ref<UserObject> object;
    unsigned count;
  };
  std::vector<Held> held;
  void hold(Ref<UserObject> object, unsigned count) REQUIRES(graph_mutex);
  // Holds so many less; the caller gives them up without the lock. Errors: invalid_value if it
  // holds fewer.
  Result<> let_go(const UserObject& object, unsigned count) REQUIRES(graph_mutex);

  // The number of its executable graphs; at most one if it manages memory.
  struct Executables final : Counted {
    std::atomic<unsigned> count{0};
  };
  const Ref<Executables> executables = make_ref<Executables>();

 private:
  ~Graph() override;
  void detach();
  Ref<Graph> copy(std::vector<std::pair<const Condition*, Ref<Condition>>>& conditions) const;

  const uint64_t id_;
  GraphNode* parent_ = nullptr;
  std::vector<Ref<GraphNode>> nodes_;
};

}  // namespace cuvette::device
