// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "sim/device/machine/machine.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::device {

constinit Mutex graph_mutex;

const char* name(NodeType type) {
  switch (type) {
    case NodeType::kernel:
      return "KERNEL";
    case NodeType::copy:
      return "MEMCPY";
    case NodeType::fill:
      return "MEMSET";
    case NodeType::host:
      return "HOST";
    case NodeType::child:
      return "GRAPH";
    case NodeType::empty:
      return "EMPTY";
    case NodeType::event_wait:
      return "WAIT_EVENT";
    case NodeType::event_record:
      return "EVENT_RECORD";
    case NodeType::external_signal:
      return "EXT_SEMAS_SIGNAL";
    case NodeType::external_wait:
      return "EXT_SEMAS_WAIT";
    case NodeType::allocate:
      return "MEM_ALLOC";
    case NodeType::free:
      return "MEM_FREE";
    case NodeType::batch:
      return "BATCH_MEM_OP";
    case NodeType::conditional:
      return "CONDITIONAL";
  }
  return "?";
}

memory::Region FillWork::region() const {
  if (height == 1) return memory::Region::linear(address, width * element);
  return {address, width * element, pitch, height, pitch * height, 1};
}

namespace {

const std::vector<Ref<Graph>>& inner_graphs(const GraphNode& node, std::vector<Ref<Graph>>& own) {
  own.clear();
  if (const auto* child = std::get_if<ChildWork>(&node.any_work())) own.push_back(child->graph);
  if (const auto* conditional = std::get_if<ConditionalWork>(&node.any_work()))
    return conditional->bodies;
  return own;
}

}  // namespace

Graph::Graph() : id_(Machine::get().next_id()) {}

Graph::~Graph() {
  detach();
  for (const Held& one : held) one.object->release_references(one.count);
}

void Graph::detach() {
  for (const Ref<GraphNode>& node : nodes_) {
    node->graph_ = nullptr;
    node->before_.clear();
    node->after_.clear();
    if (auto* child = std::get_if<ChildWork>(&node->work_)) child->graph->set_parent(nullptr);
    if (auto* conditional = std::get_if<ConditionalWork>(&node->work_))
      for (const Ref<Graph>& body : conditional->bodies) body->set_parent(nullptr);
  }
}

uint64_t Graph::add_condition(uint32_t initial, bool assigned) {
  auto condition = make_ref<Condition>();
  condition->handle = Machine::get().next_id();
  condition->initial = initial;
  condition->assigned = assigned;
  return conditions.emplace_back(std::move(condition))->handle;
}

void Graph::hold(Ref<UserObject> object, unsigned count) {
  held.push_back({std::move(object), count});
}

Result<> Graph::let_go(const UserObject& object, unsigned count) {
  uint64_t all = 0;
  for (const Held& one : held)
    if (one.object.get() == &object) all += one.count;
  if (all < count)
    return refuse(Error::invalid_value, "The graph holds %llu references to the object, not %u.",
                  static_cast<unsigned long long>(all), count);
  for (Held& one : held) {
    if (one.object.get() != &object) continue;
    const unsigned taken = std::min(count, one.count);
    one.count -= taken;
    count -= taken;
  }
  std::erase_if(held, [](const Held& one) { return one.count == 0; });
  return {};
}

std::vector<Ref<GraphNode>> Graph::dissolve() {
  std::vector<Ref<Graph>> own;
  std::vector<Ref<GraphNode>> all;
  for (const Ref<GraphNode>& node : nodes_)
    for (const Ref<Graph>& inner : inner_graphs(*node, own)) {
      std::vector<Ref<GraphNode>> nodes = inner->dissolve();
      std::move(nodes.begin(), nodes.end(), std::back_inserter(all));
    }
  detach();
  record::note_count(nodes_.size());
  std::move(nodes_.begin(), nodes_.end(), std::back_inserter(all));
  nodes_.clear();
  return all;
}

namespace {

// Ports and programmatic edges belong to kernels; every other edge is an ordinary one.
Result<> check(const GraphNode& from, EdgeKind kind) {
  if (kind.ordinary()) return {};
  if (from.type() != NodeType::kernel || kind.from_port > 2 || kind.to_port != 0 || kind.type > 1)
    return refuse(Error::invalid_value,
                  "An edge has type %u and port %u but comes from a %s node: only kernel nodes "
                  "have such edges.",
                  kind.type, kind.from_port, name(from.type()));
  return {};
}

auto find(const std::vector<NodeEdge>& edges, const GraphNode& node) {
  return std::find_if(edges.begin(), edges.end(),
                      [&](const NodeEdge& edge) { return edge.node == &node; });
}

}  // namespace

Result<Ref<GraphNode>> Graph::add(NodeType type, Work work, const Dependencies& after) {
  for (size_t i = 0; i < after.size(); ++i) {
    const GraphNode& node = *after[i].node;
    if (node.graph() != this)
      return refuse(Error::invalid_value, "A node can only depend on nodes of its own graph.");
    TRY(check(node, after[i].kind));
  }
  std::vector<const GraphNode*> distinct;
  distinct.reserve(after.size());
  for (const Dependency& dependency : after) distinct.push_back(dependency.node.get());
  std::sort(distinct.begin(), distinct.end());
  // "dependencies may not have any duplicate entries."
  if (std::adjacent_find(distinct.begin(), distinct.end()) != distinct.end())
    return refuse(Error::invalid_value, "A node is listed twice among the dependencies.");

  unsigned inside = 0;
  if (const auto* child = std::get_if<ChildWork>(&work)) inside = child->graph->nested();
  if (const auto* conditional = std::get_if<ConditionalWork>(&work))
    for (const Ref<Graph>& body : conditional->bodies) inside = std::max(inside, body->nested());
  if (inside > 0) {
    unsigned around = 1;
    for (const Graph* graph = this; graph->parent_ && graph->parent_->graph();
         graph = graph->parent_->graph())
      ++around;
    if (around + inside > most_nested)
      return refuse(Error::invalid_value, "%u graphs would be nested; the limit is %u.",
                    around + inside, most_nested);
  }

  auto node = make_ref<GraphNode>(*this, type, std::move(work), Machine::get().next_id(), 0);
  if (auto* child = std::get_if<ChildWork>(&node->work_)) child->graph->set_parent(node.get());
  if (auto* conditional = std::get_if<ConditionalWork>(&node->work_))
    for (const Ref<Graph>& body : conditional->bodies) body->set_parent(node.get());
  for (const Dependency& dependency : after) {
    node->before_.push_back({dependency.node.get(), dependency.kind});
    dependency.node->after_.push_back({node.get(), dependency.kind});
  }
  nodes_.push_back(node);
  return node;
}

Result<> Graph::add_edge(GraphNode& from, GraphNode& to, EdgeKind kind) {
  if (from.graph() != this || to.graph() != this)
    return refuse(Error::invalid_value, "An edge can only join two nodes of its own graph.");
  if (&from == &to) return refuse(Error::invalid_value, "A node cannot depend on itself.");
  TRY(check(from, kind));
  const bool few = from.after_.size() <= to.before_.size();
  // "Specifying an existing dependency will return an error."
  if (few ? find(from.after_, to) != from.after_.end() : find(to.before_, from) != to.before_.end())
    return refuse(Error::invalid_value, "The edge already exists.");
  from.after_.push_back({&to, kind});
  to.before_.push_back({&from, kind});
  return {};
}

Result<> Graph::remove_edge(GraphNode& from, GraphNode& to, const EdgeKind* kind) {
  const auto edge = find(from.after_, to);
  if (from.graph() != this || to.graph() != this || edge == from.after_.end())
    return refuse(Error::invalid_value, "The graph does not have this edge.");
  if (kind ? *kind != edge->kind : !edge->kind.ordinary())
    return refuse(Error::invalid_value, "The existing edge has different data.");
  from.after_.erase(edge);
  to.before_.erase(find(to.before_, from));
  return {};
}

void Graph::remove(GraphNode& node) {
  for (const NodeEdge& edge : node.before_) edge.node->after_.erase(find(edge.node->after_, node));
  for (const NodeEdge& edge : node.after_) edge.node->before_.erase(find(edge.node->before_, node));
  node.before_.clear();
  node.after_.clear();
  node.graph_ = nullptr;
  std::vector<Ref<Graph>> own;
  for (const Ref<Graph>& inner : inner_graphs(node, own)) inner->set_parent(nullptr);
  std::erase_if(nodes_, [&](const Ref<GraphNode>& one) { return one.get() == &node; });
}

bool Graph::manages_memory() const {
  std::vector<Ref<Graph>> own;
  for (const Ref<GraphNode>& node : nodes_) {
    if (node->type() == NodeType::allocate || node->type() == NodeType::free) return true;
    for (const Ref<Graph>& inner : inner_graphs(*node, own))
      if (inner->manages_memory()) return true;
  }
  return false;
}

bool Graph::has_conditional_nodes() const {
  std::vector<Ref<Graph>> own;
  for (const Ref<GraphNode>& node : nodes_) {
    if (node->type() == NodeType::conditional) return true;
    for (const Ref<Graph>& inner : inner_graphs(*node, own))
      if (inner->has_conditional_nodes()) return true;
  }
  return false;
}

bool Graph::contains(const Graph& other) const {
  if (this == &other) return true;
  std::vector<Ref<Graph>> own;
  for (const Ref<GraphNode>& node : nodes_)
    for (const Ref<Graph>& inner : inner_graphs(*node, own))
      if (inner->contains(other)) return true;
  return false;
}

unsigned Graph::nested() const {
  unsigned most = 0;
  std::vector<Ref<Graph>> own;
  for (const Ref<GraphNode>& node : nodes_)
    for (const Ref<Graph>& inner : inner_graphs(*node, own)) most = std::max(most, inner->nested());
  return most + 1;
}

Ref<Graph> Graph::copy(
    std::vector<std::pair<const Condition*, Ref<Condition>>>& conditions_so_far) const {
  auto target = make_ref<Graph>();
  for (const Ref<Condition>& condition : conditions) {
    // Kernels name a condition by its number, so the copy keeps that.
    auto same = make_ref<Condition>();
    same->handle = condition->handle;
    same->initial = condition->initial;
    same->assigned = condition->assigned;
    same->used = condition->used;
    conditions_so_far.emplace_back(condition.get(), same);
    target->conditions.push_back(std::move(same));
  }
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  copies.reserve(nodes_.size());
  for (const Ref<GraphNode>& node : nodes_) {
    Work work = node->work_;
    if (auto* child = std::get_if<ChildWork>(&work))
      child->graph = child->graph->copy(conditions_so_far);
    if (auto* conditional = std::get_if<ConditionalWork>(&work)) {
      for (const auto& [original, same] : conditions_so_far)
        if (conditional->condition.get() == original) conditional->condition = same;
      for (Ref<Graph>& body : conditional->bodies) body = body->copy(conditions_so_far);
    }
    auto same = make_ref<GraphNode>(*target, node->type_, std::move(work), Machine::get().next_id(),
                                    node->id_);
    if (auto* child = std::get_if<ChildWork>(&same->work_)) child->graph->set_parent(same.get());
    if (auto* conditional = std::get_if<ConditionalWork>(&same->work_))
      for (const Ref<Graph>& body : conditional->bodies) body->set_parent(same.get());
    copies.emplace(node.get(), same.get());
    target->nodes_.push_back(std::move(same));
  }
  for (const Ref<GraphNode>& node : nodes_) {
    GraphNode& same = *copies.at(node.get());
    for (const NodeEdge& edge : node->before_)
      same.before_.push_back({copies.at(edge.node), edge.kind});
    for (const NodeEdge& edge : node->after_)
      same.after_.push_back({copies.at(edge.node), edge.kind});
  }
  for (const Held& one : held) {
    one.object->retain_references(one.count);
    target->held.push_back(one);
  }
  return target;
}

Ref<Graph> Graph::clone_to_execute() const {
  std::vector<std::pair<const Condition*, Ref<Condition>>> conditions_so_far;
  return copy(conditions_so_far);
}

Result<Ref<Graph>> Graph::clone() const {
  // "The graph cannot be cloned" if it has nodes that allocate or free.
  if (manages_memory())
    return refuse(Error::not_supported, "A graph that allocates or frees memory cannot be copied.");
  // "Cloning is not supported for graphs which contain memory allocation nodes, memory free nodes,
  // or conditional nodes."
  if (has_conditional_nodes())
    return refuse(Error::not_supported, "A graph that has conditional nodes cannot be copied.");
  return clone_to_execute();
}

Ref<GraphNode> Graph::find_copy(uint64_t original) const {
  std::vector<Ref<Graph>> own;
  for (const Ref<GraphNode>& node : nodes_) {
    if (node->original_ == original) return node;
    for (const Ref<Graph>& inner : inner_graphs(*node, own))
      if (Ref<GraphNode> found = inner->find_copy(original)) return found;
  }
  return nullptr;
}

}  // namespace cuvette::device
