// SPDX-License-Identifier: Apache-2.0
// Changes of an executable graph, for later launches: which there may be, and taking them over.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/device/graph/graph_exec.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/transfer.hpp"
#include "sim/device/stream/value_operation.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::device {

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
  record::note_count(graph.nodes().size());
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
