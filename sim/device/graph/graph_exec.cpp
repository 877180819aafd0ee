// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_exec.hpp"

#include <algorithm>
#include <utility>

#include "sim/device/graph/graph_memory.hpp"
#include "sim/device/graph/graph_steps.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/device/stream/host_call.hpp"
#include "sim/device/stream/transfer.hpp"
#include "sim/device/stream/value_operation.hpp"

namespace cuvette::device {
namespace {

template <typename Visitor>
void visit_nodes(const Graph& graph, const Visitor& visitor) {
  for (const Ref<GraphNode>& node : graph.nodes()) {
    visitor(*node);
    if (const auto* child = std::get_if<ChildWork>(&node->any_work()))
      visit_nodes(*child->graph, visitor);
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->any_work()))
      for (const Ref<Graph>& body : conditional->bodies) visit_nodes(*body, visitor);
  }
}

// Visits only the nodes inside conditional nodes.
template <typename Visitor>
void visit_bodies(const Graph& graph, const Visitor& visitor) {
  for (const Ref<GraphNode>& node : graph.nodes()) {
    if (const auto* child = std::get_if<ChildWork>(&node->any_work()))
      visit_bodies(*child->graph, visitor);
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->any_work()))
      for (const Ref<Graph>& body : conditional->bodies) visit_nodes(*body, visitor);
  }
}

void collect_conditions(const Graph& graph, std::vector<Ref<Condition>>& conditions) {
  conditions.insert(conditions.end(), graph.conditions.begin(), graph.conditions.end());
  for (const Ref<GraphNode>& node : graph.nodes()) {
    if (const auto* child = std::get_if<ChildWork>(&node->any_work()))
      collect_conditions(*child->graph, conditions);
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->any_work()))
      for (const Ref<Graph>& body : conditional->bodies) collect_conditions(*body, conditions);
  }
}

template <typename Visitor>
void visit_steps(const Topology& topology, const Visitor& visitor) {
  for (const Topology::Step& step : topology.steps()) {
    if (step.node) visitor(*step.node);
    for (const Ref<Topology>& body : step.bodies) visit_steps(*body, visitor);
  }
}

bool uses_semaphores(const GraphNode& node) {
  return node.type() == NodeType::external_signal || node.type() == NodeType::external_wait;
}

bool launchable_from_device(NodeType type) {
  return type == NodeType::kernel || type == NodeType::copy || type == NodeType::fill ||
         type == NodeType::child || type == NodeType::empty;
}

}  // namespace

GraphExec::GraphExec(Ref<Graph> graph, Ref<Topology> topology, uint64_t flags)
    : graph_(std::move(graph)), topology_(std::move(topology)), flags_(flags) {
  auto nodes = std::move(nodes_);
  visit_nodes(*graph_, [&](GraphNode& node) { nodes.emplace(node.original(), &node); });
  nodes_ = std::move(nodes);
  collect_conditions(*graph_, conditions_);
}

Result<Ref<GraphExec>> GraphExec::instantiate(Graph& graph, uint64_t flags,
                                              Instantiation& outcome) {
  outcome.verdict = Verdict::error;
  if (flags & ~(auto_free | upload | device_launch | node_priority))
    return refuse(Error::invalid_value, "Flags 0x%llx have bits beyond CUgraphInstantiate_flags.",
                  static_cast<unsigned long long>(flags));
  // "This flag cannot be used in conjunction with"
  if ((flags & auto_free) && (flags & device_launch))
    return refuse(Error::invalid_value,
                  "A graph that devices launch cannot free its memory when it is launched.");
  if (graph.captured) return refuse(Error::invalid_value, "A capture is writing the graph.");
  const bool manages_memory = graph.manages_memory();
  if (manages_memory && graph.executables->count.load(std::memory_order_relaxed) > 0)
    return refuse(Error::not_supported,
                  "The graph allocates or frees memory, and has already been instantiated.");

  GraphNode* culprit = nullptr;
  if (auto topology = Topology::of(graph, &culprit); !topology.ok()) {
    outcome = {Verdict::invalid_structure, Ref<GraphNode>(culprit)};
    return topology.error();
  }
  std::vector<Ref<Condition>> conditions;
  collect_conditions(graph, conditions);
  for (const Ref<Condition>& condition : conditions) {
    if (condition->used) continue;
    outcome.verdict = Verdict::condition_unused;
    return refuse(Error::invalid_value, "One of the graph's conditions is used by no node.");
  }
  // Measured.
  bool semaphores_in_body = false;
  visit_bodies(graph, [&](const GraphNode& node) {
    semaphores_in_body = semaphores_in_body || uses_semaphores(node);
  });
  if (semaphores_in_body)
    return refuse(
        Error::invalid_value,
        "The body of a conditional node can neither signal semaphores nor wait for them.");
  if (flags & device_launch) {
    bool does_something = false;
    visit_nodes(graph, [&](GraphNode& node) {
      does_something = does_something || node.type() != NodeType::empty;
      if (!outcome.node && !launchable_from_device(node.type()))
        outcome = {Verdict::not_supported, Ref<GraphNode>(&node)};
    });
    // Semaphores are an invalid value (measured).
    if (outcome.node)
      return refuse(uses_semaphores(*outcome.node) ? Error::invalid_value : Error::not_supported,
                    "Devices cannot launch a graph that has a %s node.",
                    name(outcome.node->type()));
    if (!does_something)
      return refuse(Error::invalid_value, "Devices cannot launch a graph that does nothing.");
  }

  Ref<Graph> own = graph.clone_to_execute();
  Ref<Topology> topology = TRY(Topology::of(*own, nullptr));
  auto exec = Ref<GraphExec>::adopt(
      new GraphExec(std::move(own), std::move(topology), flags & ~(upload | node_priority)));
  exec->counted_ = graph.executables;
  exec->counted_->count.fetch_add(1, std::memory_order_relaxed);
  outcome.verdict = Verdict::success;
  return exec;
}

void GraphExec::retire() {
  MutexLock lock(mutex_);
  if (Ref<Graph::Executables> counted = std::exchange(counted_, nullptr))
    counted->count.fetch_sub(1, std::memory_order_relaxed);
}

Result<Ref<Graph>> GraphExec::copy() {
  MutexLock lock(mutex_);
  return graph_->clone();
}

// --- Launch --------------------------------------------------------------------------------------

// "Relaunch without freeing" is an error, unless the launch frees what is left itself.
Result<> GraphExec::check_memory() {
  struct State {
    bool in_use, allocated = false;
  };
  std::unordered_map<memory::DevicePtr, State> states;
  const auto state = [&](memory::DevicePtr address) -> State& {
    const auto [entry, added] = states.try_emplace(address);
    if (added) entry->second.in_use = GraphMemory::in_use(address);
    return entry->second;
  };
  std::optional<memory::DevicePtr> left, not_there;
  visit_steps(*topology_, [&](const GraphNode& node) {
    if (node.type() == NodeType::allocate) {
      const memory::DevicePtr address = node.work<AllocateWork>().memory->address();
      if (state(address).in_use && !(flags_ & auto_free)) left = address;
      state(address) = {true, true};
    } else if (node.type() == NodeType::free) {
      const memory::DevicePtr address = node.work<FreeWork>().address;
      if (!state(address).in_use) not_there = address;
      state(address).in_use = false;
    }
  });
  if (left)
    return refuse(Error::invalid_value,
                  "The memory at 0x%llx of an earlier launch has not been freed.",
                  static_cast<unsigned long long>(*left));
  if (not_there)
    return refuse(Error::invalid_value,
                  "A node frees the memory at 0x%llx, which no launch has allocated.",
                  static_cast<unsigned long long>(*not_there));
  if (!states.empty()) back_memory();
  for (const auto& [address, after] : states) {
    if (after.allocated) GraphMemory::set_in_use(address, true);
    GraphMemory::set_in_use(address, after.in_use);
  }
  return {};
}

void GraphExec::back_memory() {
  std::vector<Ref<GraphMemory>> memories;
  visit_steps(*topology_, [&](const GraphNode& node) {
    if (node.type() == NodeType::allocate) memories.push_back(node.work<AllocateWork>().memory);
  });
  GraphMemory::back(memories);
}

void GraphExec::upload_memory() {
  MutexLock lock(mutex_);
  back_memory();
}

// An operation is made where it stays: each move of one costs as much as a short step.
Result<> GraphExec::add_operation(const GraphNode& node, const GraphRun& run, const void* call_site,
                                  std::vector<AnyOperation>& operations) {
  const auto add = [&](Operation&& operation) -> Result<> {
    operations.emplace_back(std::move(operation));
    return {};
  };
  const auto nothing = [&] { return add(EdgeWait(call_site)); };
  if (!disabled_.empty() && disabled_.contains(&node)) return nothing();
  switch (node.type()) {
    case NodeType::copy: {
      const auto& work = node.work<CopyWork>();
      if (work.to.region.empty()) return nothing();
      return add(TRY(make_copy(work.to, work.from, call_site)));
    }
    case NodeType::fill: {
      const auto& work = node.work<FillWork>();
      const memory::Region region = work.region();
      if (region.empty()) return nothing();
      const Context& context = work.context ? *work.context : run.stream().context();
      return add(TRY(make_fill(context, region, work.value, work.element, call_site)));
    }
    case NodeType::host: {
      const auto& work = node.work<HostWork>();
      return add(HostCall(work.function, work.data, call_site));
    }
    case NodeType::event_record:
      return add(GraphEventMark(call_site));
    case NodeType::batch:
      return add(TRY(make_batch(node.work<BatchWork>().operations, call_site)));
    case NodeType::external_signal:
    case NodeType::external_wait:
      return add(TRY(make_semaphore_call(run.stream(), node.work<SemaphoreWork>().operations,
                                         node.type() == NodeType::external_signal, call_site)));
    case NodeType::kernel: {
      const auto& call = node.work<KernelWork>().call;
      Context& context = call->function() ? *call->function()->context() : run.stream().context();
      if (!context.alive()) return Error::context_is_destroyed;
      return add(KernelLaunch(call, context, this, call_site));
    }
    case NodeType::event_wait:   // gets its edges from connect_events()
    case NodeType::conditional:  // is control flow
    case NodeType::child:        // is laid flat
    case NodeType::empty:
    case NodeType::allocate:  // happens at the launch: check_memory()
    case NodeType::free:
      break;
  }
  return nothing();
}

Result<std::unique_ptr<GraphRun::Frame>> GraphExec::prepare(GraphRun& run,
                                                            const Ref<Topology>& topology,
                                                            const void* call_site) {
  auto frame = std::make_unique<GraphRun::Frame>();
  frame->topology = topology;
  const auto& steps = topology->steps();
  frame->operations.reserve(steps.size());
  frame->missing = std::make_unique<std::atomic<uint32_t>[]>(steps.size());
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const GraphNode* node = steps[i].node;
    if (!node) {
      frame->operations.emplace_back(EdgeWait(call_site));
      continue;
    }
    TRY(add_operation(*node, run, call_site, frame->operations));
    if (node->type() == NodeType::event_record || node->type() == NodeType::event_wait)
      frame->has_events = true;
    // A wait for an event gets its edges later.
    if (!frame->operations.back()->may_block() && node->type() != NodeType::event_wait &&
        node->type() != NodeType::conditional)
      continue;
    GraphRun::Special& special = frame->specials
                                     .emplace(std::piecewise_construct, std::forward_as_tuple(i),
                                              std::forward_as_tuple(run, *frame, i))
                                     .first->second;
    if (node->type() != NodeType::conditional) continue;
    const auto& work = node->work<ConditionalWork>();
    special.condition = work.condition;
    special.kind = work.kind;
    for (const Ref<Topology>& body : steps[i].bodies) {
      special.bodies.push_back(TRY(prepare(run, body, call_site)));
      special.bodies.back()->parent = &special;
      frame->has_events = frame->has_events || special.bodies.back()->has_events;
    }
  }
  return frame;
}

namespace {

// Gives the events their new content and the waits their edges, in the order of the steps. Errors:
// as for events that processes share; events that have new content by then count as done.
Result<> connect_events(GraphRun::Frame& frame, Stream& stream, const void* call_site,
                        std::vector<Ref<GraphMarker>>& markers) {
  if (!frame.has_events) return {};
  const auto& steps = frame.topology->steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].node) continue;
    if (!steps[i].bodies.empty())
      for (const auto& body : frame.specials.at(i).bodies)
        TRY(connect_events(*body, stream, call_site, markers));
    Operation& operation = *frame.operations[i];
    if (steps[i].node->type() == NodeType::event_record) {
      const auto marker = make_ref<GraphMarker>(stream);
      markers.push_back(marker);
      static_cast<GraphEventMark&>(operation).connect(
          TRY(steps[i].node->work<EventWork>().event->record_in_graph(marker, call_site)), marker);
    } else if (steps[i].node->type() == NodeType::event_wait) {
      exec::Edge edge = TRY(steps[i].node->work<EventWork>().event->condition(stream.context()));
      if (edge) operation.wait_for(std::move(edge));
    }
  }
  return {};
}

}  // namespace

Result<> GraphExec::launch(Stream& stream, const void* call_site) {
  Ref<GraphOrder> order;
  if (stream.lane()) order = make_ref<GraphSteps>(stream);
  auto run = make_ref<GraphRun>(Ref<Counted>(Ref<GraphExec>(this)), stream, std::move(order));
  MutexLock lock(mutex_);
  std::unique_ptr<GraphRun::Frame> root = TRY(prepare(*run, topology_, call_site));
  TRY(check_memory());
  std::vector<Ref<GraphMarker>> markers;
  if (const auto connected = connect_events(*root, stream, call_site, markers); !connected.ok()) {
    for (const Ref<GraphMarker>& marker : markers) marker->reach();
    return connected;
  }
  for (const Ref<Condition>& condition : conditions_)
    if (condition->assigned) run->assign_at_start(condition);
  run->set_root(std::move(root));

  GraphLaunch launch(std::move(run), call_site);
  // An executable graph runs once at a time.
  if (!last_.reached() || (last_.timeline && Machine::get().observers().want_edges()))
    launch.wait_for(last_);
  const uint64_t number = stream.context().submit(stream, std::move(launch));
  for (const Ref<GraphMarker>& marker : markers) marker->launched(number);
  last_ = {Ref<exec::Timeline>(&stream), number};
  return {};
}

// Kernels call this. The set of conditions does not change while the graph is executable.
bool GraphExec::set_condition(uint64_t handle, uint32_t value) {
  for (const Ref<Condition>& condition : conditions_) {
    if (condition->handle != handle) continue;
    condition->value.store(value, std::memory_order_release);
    return true;
  }
  return false;
}

// --- Changes -------------------------------------------------------------------------------------

Result<GraphNode*> GraphExec::find(const GraphNode& node) {
  const auto found = nodes_.find(node.id());
  if (found == nodes_.end())
    return refuse(Error::invalid_value,
                  "The node does not belong to the graph that was instantiated.");
  return found->second;
}

namespace {

// The properties of an operand's memory that an update of an executable graph must not change.
struct Mapping {
  bool known = false;
  memory::AllocationKind kind{};
  uint64_t owner = 0;

  bool operator==(const Mapping&) const = default;
};

Mapping mapping_of(memory::DevicePtr address) {
  const auto allocation = Machine::get().memory().find(address);
  if (!allocation) return {};
  return {true, allocation->kind, allocation->owner};
}

// The array itself must stay the same.
Mapping mapping_of(const CopyOperand& place) {
  if (!place.array) return mapping_of(place.region.address);
  return {true, {}, reinterpret_cast<uint64_t>(place.array.get())};
}

bool linear(const memory::Region& region) { return region.height <= 1 && region.depth <= 1; }

bool same(const memory::Region& a, const memory::Region& b) {
  return a.address == b.address && a.width == b.width && a.height == b.height &&
         a.depth == b.depth && a.pitch == b.pitch && a.slice == b.slice;
}

bool same(const CopyWork& a, const CopyWork& b) {
  return same(a.to.region, b.to.region) && same(a.from.region, b.from.region) &&
         a.to.array == b.to.array && a.from.array == b.from.array;
}

bool same(const FillWork& a, const FillWork& b) {
  return same(a.region(), b.region()) && a.value == b.value && a.element == b.element;
}

// "CUDA_ERROR_INVALID_VALUE is also returned if the memory operands' mappings changed or either the
// original or new memory operands are multidimensional."
bool changes_within_limits(const CopyWork& from, const CopyWork& to) {
  if (same(from, to)) return true;
  return linear(from.to.region) && linear(from.from.region) && linear(to.to.region) &&
         linear(to.from.region) && mapping_of(from.to) == mapping_of(to.to) &&
         mapping_of(from.from) == mapping_of(to.from);
}

// "The following fields on operations may be modified on an executable graph:
// op.waitValue.address, op.waitValue.value[64], op.waitValue.flags bits corresponding to wait type
// ..., op.writeValue.address, op.writeValue.value[64]".
bool changes_within_limits(const BatchWork& from, const BatchWork& to) {
  return std::equal(from.operations.begin(), from.operations.end(), to.operations.begin(),
                    to.operations.end(), [](const ValueOperation& a, const ValueOperation& b) {
                      return a.kind == b.kind && a.bytes == b.bytes;
                    });
}

// The number of semaphores cannot change (measured); which ones they are can.
bool changes_within_limits(const SemaphoreWork& from, const SemaphoreWork& to) {
  return from.operations.size() == to.operations.size();
}

// "The function's owning context cannot change."
bool changes_within_limits(const KernelWork& from, const KernelWork& to) {
  const auto &before = from.call->function(), &after = to.call->function();
  return !before || !after || before->context() == after->context();
}

bool changes_within_limits(const FillWork& from, const FillWork& to) {
  if (same(from, to)) return true;
  return from.height == 1 && to.height == 1 && mapping_of(from.address) == mapping_of(to.address);
}

}  // namespace

// The changes of an update, collected before anything is changed.
struct GraphExec::Changes {
  std::vector<std::pair<GraphNode*, const Work*>> works;
  Updating outcome;

  bool fail(Update result, const GraphNode* node, const GraphNode* from) {
    outcome.result = result;
    outcome.node = Ref<GraphNode>(const_cast<GraphNode*>(node));
    outcome.from = Ref<GraphNode>(const_cast<GraphNode*>(from));
    return false;
  }

  // True if `own` can take `work` over.
  bool change(GraphNode& own, const Work& work, const GraphNode* node) {
    switch (own.type()) {
      case NodeType::copy:
        if (!changes_within_limits(own.work<CopyWork>(), std::get<CopyWork>(work)))
          return fail(Update::parameters_changed, node, nullptr);
        break;
      case NodeType::fill:
        if (!changes_within_limits(own.work<FillWork>(), std::get<FillWork>(work)))
          return fail(Update::parameters_changed, node, nullptr);
        break;
      case NodeType::child:
        return compare(*own.work<ChildWork>().graph, *std::get<ChildWork>(work).graph);
      case NodeType::conditional: {
        const auto &mine = own.work<ConditionalWork>(), &other = std::get<ConditionalWork>(work);
        if (mine.kind != other.kind || mine.bodies.size() != other.bodies.size())
          return fail(Update::parameters_changed, node, nullptr);
        for (size_t i = 0; i < mine.bodies.size(); ++i)
          if (!compare(*mine.bodies[i], *other.bodies[i])) return false;
        return true;
      }
      case NodeType::host:
      case NodeType::event_record:
      case NodeType::event_wait:
        break;
      case NodeType::batch:
        if (!changes_within_limits(own.work<BatchWork>(), std::get<BatchWork>(work)))
          return fail(Update::parameters_changed, node, nullptr);
        break;
      case NodeType::allocate:
      case NodeType::free:
        return fail(Update::not_supported, node, nullptr);
      case NodeType::kernel:
        if (!changes_within_limits(own.work<KernelWork>(), std::get<KernelWork>(work)))
          return fail(Update::unsupported_function_change, node, nullptr);
        break;
      case NodeType::external_signal:
      case NodeType::external_wait:
        if (!changes_within_limits(own.work<SemaphoreWork>(), std::get<SemaphoreWork>(work)))
          return fail(Update::parameters_changed, node, nullptr);
        break;
      case NodeType::empty:
        return true;
    }
    works.emplace_back(&own, &work);
    return true;
  }

  // Nodes are paired by the order in which they were made.
  bool compare(const Graph& own, const Graph& graph) {
    const auto &mine = own.nodes(), &others = graph.nodes();
    if (mine.size() != others.size()) return fail(Update::topology_changed, nullptr, nullptr);
    std::unordered_map<const GraphNode*, size_t> places, other_places;
    for (size_t i = 0; i < mine.size(); ++i) {
      places.emplace(mine[i].get(), i);
      other_places.emplace(others[i].get(), i);
    }
    for (size_t i = 0; i < mine.size(); ++i) {
      const GraphNode& other = *others[i];
      if (mine[i]->type() != other.type()) return fail(Update::node_type_changed, &other, nullptr);
      std::vector<size_t> before, other_before;
      for (const NodeEdge& edge : mine[i]->before()) before.push_back(places.at(edge.node));
      for (const NodeEdge& edge : other.before())
        other_before.push_back(other_places.at(edge.node));
      std::sort(before.begin(), before.end());
      std::sort(other_before.begin(), other_before.end());
      if (before == other_before) continue;
      const auto [at, other_at] =
          std::mismatch(before.begin(), before.end(), other_before.begin(), other_before.end());
      return fail(Update::topology_changed, &other,
                  other_at == other_before.end() ? nullptr : others[*other_at].get());
    }
    for (size_t i = 0; i < mine.size(); ++i)
      if (!change(*mine[i], others[i]->any_work(), others[i].get())) return false;
    return true;
  }

  void apply() {
    for (const auto& [node, work] : works) node->set_work(*work);
  }
};

Result<> GraphExec::set_work(const GraphNode& node, Work work) {
  MutexLock lock(mutex_);
  GraphNode* own = TRY(find(node));
  if (own->any_work().index() != work.index())
    return refuse(Error::invalid_value, "The parameters do not belong to a %s node.",
                  name(own->type()));
  Changes changes;
  if (!changes.change(*own, work, nullptr))
    return refuse(
        Error::invalid_value,
        "An executable graph's %s node cannot be changed in this way: an update may not change the "
        "memory's kind or context, the dimensions, or the number and kinds of operations.",
        name(own->type()));
  changes.apply();
  return {};
}

Result<> GraphExec::update(const Graph& graph, Updating& outcome) {
  MutexLock lock(mutex_);
  Changes changes;
  if (!changes.compare(*graph_, graph)) {
    outcome = std::move(changes.outcome);
    return refuse(
        Error::graph_exec_update_failure,
        "The graph differs from the instantiated graph by more than an update may change.");
  }
  changes.apply();
  // Keeps alive what the new work needs, besides what launches under way need.
  for (const Graph::Held& one : graph.held)
    if (one.object->retain_references(one.count)) graph_->held.push_back(one);
  return {};
}

Result<bool> GraphExec::enabled(const GraphNode& node) {
  MutexLock lock(mutex_);
  GraphNode* own = TRY(find(node));
  if (own->type() != NodeType::copy && own->type() != NodeType::fill &&
      own->type() != NodeType::kernel)
    return refuse(Error::invalid_value, "A %s node cannot be enabled or disabled.",
                  name(own->type()));
  return !disabled_.contains(own);
}

Result<> GraphExec::set_enabled(const GraphNode& node, bool enabled) {
  TRY(this->enabled(node));
  MutexLock lock(mutex_);
  GraphNode* own = TRY(find(node));
  if (enabled) {
    disabled_.erase(own);
  } else {
    disabled_.insert(own);
  }
  return {};
}

}  // namespace cuvette::device
