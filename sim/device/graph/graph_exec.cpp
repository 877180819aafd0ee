// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_exec.hpp"

#include <algorithm>
#include <utility>

#include "sim/device/graph/graph_memory.hpp"
#include "sim/device/graph/graph_steps.hpp"
#include "sim/device/graph/recorded_steps.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/device/stream/host_call.hpp"
#include "sim/device/stream/observer.hpp"
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

bool allowed_in_body(NodeType type) {
  return type == NodeType::conditional || launchable_from_device(type);
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
  // "Allowed node types are kernel nodes, empty nodes, child graphs, memsets, memcopies, and
  // conditionals. This applies recursively to child graphs and conditional bodies."
  visit_bodies(graph, [&](GraphNode& node) {
    if (!outcome.node && !allowed_in_body(node.type()))
      outcome = {Verdict::not_supported, Ref<GraphNode>(&node)};
  });
  if (outcome.node)
    return refuse(Error::invalid_value, "The body of a conditional node cannot have a %s node.",
                  name(outcome.node->type()));
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
  record::note_count(exec->topology_->steps().size());
  return exec;
}

void GraphExec::retire() {
  MutexLock lock(mutex_);
  record::note_count(topology_->steps().size());
  if (Ref<Graph::Executables> counted = std::exchange(counted_, nullptr))
    counted->count.fetch_sub(1, std::memory_order_relaxed);
}

Result<Ref<Graph>> GraphExec::copy() {
  MutexLock lock(mutex_);
  return graph_->clone();
}

// --- Launch --------------------------------------------------------------------------------------

// "Relaunch without freeing" is an error, unless the launch frees what is left itself.
Result<GraphExec::MemoryChanges> GraphExec::check_memory() {
  MemoryChanges changes;
  const auto state = [&](memory::DevicePtr address) -> GraphMemory::Launch& {
    const auto [entry, added] = changes.try_emplace(address);
    if (added) entry->second.in_use = GraphMemory::in_use(address);
    return entry->second;
  };
  std::optional<memory::DevicePtr> left, not_there;
  visit_steps(*topology_, [&](const GraphNode& node) {
    if (node.type() == NodeType::allocate) {
      const memory::DevicePtr address = node.work<AllocateWork>().memory->address();
      if (state(address).in_use && !(flags_ & auto_free)) left = address;
      state(address).in_use = state(address).allocates = true;
    } else if (node.type() == NodeType::free) {
      const memory::DevicePtr address = node.work<FreeWork>().address;
      if (!state(address).in_use) not_there = address;
      state(address).in_use = false;
      ++state(address).frees;
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
  if (!changes.empty()) back_memory();
  return changes;
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
  record::note_count(topology_->steps().size());
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
      const Context& context = work.context ? *work.context : run.stream().context();
      return add(TRY(make_copy(&context, work.to, work.from, call_site)));
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
      return add(
          TRY(make_batch(run.stream().context(), node.work<BatchWork>().operations, call_site)));
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
      break;
    case NodeType::allocate:
      return add(GraphMemoryChange(OperationKind::allocate,
                                   node.work<AllocateWork>().memory->allocation(), call_site));
    case NodeType::free: {
      Ref<memory::Allocation> memory = GraphMemory::allocation_at(node.work<FreeWork>().address);
      if (!memory) break;  // check_memory() refuses the launch
      return add(GraphMemoryChange(OperationKind::free, std::move(memory), call_site));
    }
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
  if (record::recorder()) [[unlikely]]
    run->note_steps(RecordedSteps::begin);
  MutexLock lock(mutex_);
  record::note_count(topology_->steps().size());
  std::unique_ptr<GraphRun::Frame> root = TRY(prepare(*run, topology_, call_site));
  const MemoryChanges memory = TRY(check_memory());
  std::vector<Ref<GraphMarker>> markers;
  if (const auto connected = connect_events(*root, stream, call_site, markers); !connected.ok()) {
    for (const Ref<GraphMarker>& marker : markers) marker->reach();
    return connected;
  }
  for (const Ref<Condition>& condition : conditions_)
    if (condition->assigned) run->assign_at_start(condition);
  run->set_root(std::move(root));
  for (const auto& [address, change] : memory) GraphMemory::launched(address, change, call_site);

  GraphLaunch launch(std::move(run), call_site);
  // An executable graph runs once at a time.
  if (!last_.reached() || (last_.timeline && observers().want_edges())) launch.wait_for(last_);
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

}  // namespace cuvette::device
