// SPDX-License-Identifier: Apache-2.0
// Topology: the order in which launches run a graph's work, with the graphs inside it flattened.
//
// Threads: immutable once it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/graph/graph.hpp"

namespace cuvette::device {

class Topology final : public Counted {
 public:
  struct Step {
    GraphNode* node;  // null: the beginning or the end of a child graph, which does nothing
    uint32_t before;  // how many steps come before it
    uint32_t after;   // where its successors begin in the list of all successors
    uint32_t after_end;
    std::vector<Ref<Topology>> bodies;  // a conditional node's
  };

  // Lists the steps of `graph`, which must outlive this. Errors: invalid_value for a circle, of
  // which `culprit` is a node.
  static Result<Ref<Topology>> of(const Graph& graph, GraphNode** culprit);

  // In an order in which they could run one after the other.
  const std::vector<Step>& steps() const { return steps_; }
  std::span<const uint32_t> after(const Step& step) const {
    return {after_.data() + step.after, after_.data() + step.after_end};
  }
  uint32_t roots() const { return roots_; }  // how many come after nothing
  uint32_t sinks() const { return sinks_; }  // how many have nothing after them

 private:
  Topology() = default;
  ~Topology() override = default;

  std::vector<Step> steps_;
  std::vector<uint32_t> after_;
  uint32_t roots_ = 0, sinks_ = 0;
};

}  // namespace cuvette::device
