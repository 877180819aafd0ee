// SPDX-License-Identifier: Apache-2.0
// Model: which orders of a program are different, from the log of one run.
//
// Two orders are the same if one becomes the other by swapping neighbours that touch different
// memory (Mazurkiewicz, 1977). So an order is, up to that, the answers to one question for each
// pair of commands that the program does not order and that may touch the same memory: which of the
// two comes first. Without such pairs all orders are the same.
//
// predict() runs a schedule on the log instead of the program. It is right as long as the program
// submits and waits in the same way in each order, and waits for nothing that the log does not say;
// the caller compares it with what has happened.
//
// Threads: any, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/exec/schedule.hpp"
#include "tools/cuvette/order.hpp"

namespace cuvette::tools {

class Model {
 public:
  // `eager`: the log of a run in the order of submission.
  explicit Model(const Order& eager);
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;

  // Whether predict() may be asked. It may not, nor is anything else known, if the program is too
  // long or several processes wrote the log.
  bool can_predict() const { return !blind_ && predictable_; }
  // Whether all orders of commands and steps are the same.
  bool has_one_order() const { return !blind_ && pairs_.empty() && !steps_matter_; }
  // Whether there is a pair that would not be one if it were known what kernels touch.
  bool would_gain_by_watching() const { return !blind_ && opaque_kernels_; }
  // Whether kernels have blocks or warps that may change places.
  bool has_grids() const { return grids_; }
  // Commands that the program does not order and that may touch the same memory, in the order of
  // submission.
  std::vector<std::pair<Order::Name, Order::Name>> pairs() const;
  // The lanes of the pairs.
  const std::set<uint32_t>& lanes() const { return lanes_; }
  // The lanes with commands that nothing orders and whose order the host may see, because they
  // touch memory that it may look at while they run.
  const std::set<uint32_t>& seen_lanes() const { return seen_lanes_; }

  // For each pair: 1 if the first, which was submitted first, comes first; 2 if the second does; 0
  // if neither took place.
  using Answers = std::string;
  Answers answers(const std::vector<Order::Name>& began) const;
  Answers predict(exec::Schedule schedule) const;

  // Returns a schedule for each of the different orders that are possible, as far as the program's
  // edges and waits show; nothing if there are more than `most`.
  std::optional<std::vector<std::string>> all_orders(size_t most) const;
  // Returns a schedule for each set of commands that can be missing when the host looks at memory
  // that it may use while they run; none if there is no such memory, nothing if there are more
  // than `most`.
  std::optional<std::vector<std::string>> host_views(size_t most) const;

 private:
  struct Command {
    Order::Name name;
    std::vector<size_t> after;     // commands of other lanes
    std::vector<uint64_t> before;  // a bit for each command that comes before it
    const Order::About* about = nullptr;
    bool in_default_stream = false;
    bool is_graph = false;  // the launch of one
    bool precedes(size_t index) const { return before[index / 64] >> index % 64 & 1; }
  };
  struct Event {
    Order::Event::Kind kind;
    size_t command = 0;                 // queued, waited
    std::vector<size_t> commands = {};  // waited_for_context
  };
  class Reader;
  class Simulation;

  void find_pairs();
  static bool may_meet(const Command& one, const Command& other);

  std::vector<Command> commands_;  // in the order of submission
  std::map<Order::Name, size_t> index_;
  std::vector<Event> events_;
  std::vector<std::pair<size_t, size_t>> pairs_;
  std::set<Order::Name> in_pairs_;
  std::set<uint32_t> lanes_, seen_lanes_;
  std::map<Order::Name, Order::About> about_;  // commands point into it
  bool blind_ = false, predictable_ = true, steps_matter_ = false, opaque_kernels_ = false;
  bool grids_ = false;
};

}  // namespace cuvette::tools
