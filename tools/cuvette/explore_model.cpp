// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_model.hpp"

#include <algorithm>
#include <deque>
#include <functional>

namespace cuvette::tools {
namespace {

// A longer program has too many pairs to look at.
constexpr size_t most_commands = 4096;
// With more pairs, their combinations are too many anyway.
constexpr size_t most_enumerated_pairs = 16;

}  // namespace

// --- What the program orders ---------------------------------------------------------------------

// Reads one event of the log after the other.
class Model::Reader {
 public:
  Reader(Model& model, const Order& eager)
      : model_(model), eager_(eager), words_((eager.queued.size() + 63) / 64) {}

  void read(const Order::Event& event) {
    using Kind = Order::Event::Kind;
    switch (event.kind) {
      case Kind::question:
        model_.events_.push_back({event.kind});
        break;
      case Kind::queued:
        add(event);
        break;
      case Kind::waited:
        if (const auto found = model_.index_.find(event.name); found != model_.index_.end()) {
          add_to(known_by(event.thread), found->second);
          model_.events_.push_back({event.kind, found->second});
        }
        break;
      case Kind::waited_for_context: {
        Event wait{event.kind};
        for (const uint32_t lane : contexts_[event.context].lanes) {
          wait.commands.push_back(last_[lane]);
          add_to(known_by(event.thread), last_[lane]);
        }
        model_.events_.push_back(std::move(wait));
        break;
      }
    }
  }

 private:
  using Set = std::vector<uint64_t>;  // of commands, a bit for each
  struct Context {
    std::vector<uint32_t> lanes;  // in the order of their first commands
    std::set<uint32_t> blocking;  // those that the legacy stream waits for, and that wait for it
    std::optional<uint32_t> legacy;
  };

  // Adds a command, and what comes before it.
  void add_to(Set& set, size_t command) {
    const Set& before = model_.commands_[command].before;
    for (size_t i = 0; i < words_; ++i) set[i] |= before[i];
    set[command / 64] |= uint64_t{1} << command % 64;
  }

  // The commands that the host thread knows to be complete.
  Set& known_by(uint64_t thread) {
    Set& known = known_.try_emplace(thread, words_).first->second;
    if (known_.size() > 1) model_.predictable_ = false;
    return known;
  }

  // Returns the line about the next command; `queued` has the steps of graphs, too.
  const Order::Queued& next_queued() {
    while (eager_.queued[place_].name.step != 0) ++place_;
    return eager_.queued[place_++];
  }

  void add(const Order::Event& event) {
    const Order::Queued& queued = next_queued();
    const std::string& stream = queued.stream;
    const size_t index = model_.commands_.size();
    Command command{event.name, {}, known_by(event.thread), &model_.about_[event.name]};
    command.is_graph = queued.kind == "graph";
    command.in_default_stream = stream == "legacy" || stream == "per-thread";
    const auto comes_after = [&](size_t other) {
      command.after.push_back(other);
      add_to(command.before, other);
    };
    Context& context = contexts_[event.context];
    const auto [last, is_first] = last_.try_emplace(event.name.lane, index);
    if (is_first)
      context.lanes.push_back(event.name.lane);
    else
      add_to(command.before, std::exchange(last->second, index));
    for (const Order::Name& other : command.about->after)
      if (const auto found = model_.index_.find(other); found != model_.index_.end())
        comes_after(found->second);
    // These rules are not edges in the log where there is nothing to wait for.
    if (stream == "legacy") {
      context.legacy = event.name.lane;
      for (const uint32_t lane : context.blocking) comes_after(last_[lane]);
    } else if (stream != "non-blocking") {
      context.blocking.insert(event.name.lane);
      if (context.legacy) comes_after(last_[*context.legacy]);
    }
    model_.steps_matter_ = model_.steps_matter_ || command.about->steps_matter;
    model_.index_[event.name] = index;
    model_.commands_.push_back(std::move(command));
    model_.events_.push_back({event.kind, index});
  }

  Model& model_;
  const Order& eager_;
  const size_t words_;
  size_t place_ = 0;                 // in the log's `queued`
  std::map<uint64_t, Set> known_;    // by thread
  std::map<uint32_t, size_t> last_;  // by lane
  std::map<uint64_t, Context> contexts_;
};

Model::Model(const Order& eager) : about_(eager.about) {
  grids_ = std::ranges::any_of(about_, [](const auto& one) { return one.second.is_grid; });
  size_t commands = 0;
  for (const Order::Event& event : eager.events)
    if (event.kind == Order::Event::Kind::queued) ++commands;
  blind_ = eager.mixed || commands > most_commands;
  if (blind_) return;
  Reader reader(*this, eager);
  for (const Order::Event& event : eager.events) reader.read(event);
  find_pairs();
}

bool Model::may_meet(const Command& one, const Command& other) {
  const auto touches_any = [](const Command& command) {
    return command.about->opaque || !command.about->touches.empty();
  };
  if (one.about->opaque || other.about->opaque) return touches_any(one) && touches_any(other);
  return std::ranges::any_of(one.about->touches, [&](const Order::Touch& a) {
    return std::ranges::any_of(other.about->touches, [&](const Order::Touch& b) {
      return (a.writes || b.writes) && a.memory == b.memory && a.begin < b.end && b.begin < a.end;
    });
  });
}

void Model::find_pairs() {
  const auto unknown_kernel = [](const Command& command) {
    return command.about->opaque && command.about->kernels;
  };
  for (size_t later = 0; later < commands_.size(); ++later)
    for (size_t earlier = 0; earlier < later; ++earlier) {
      const Command &one = commands_[earlier], &other = commands_[later];
      if (other.precedes(earlier)) continue;
      if (one.about->seen && other.about->seen)
        seen_lanes_.insert({one.name.lane, other.name.lane});
      if (!may_meet(one, other)) continue;
      pairs_.emplace_back(earlier, later);
      for (const Command* command : {&one, &other}) {
        in_pairs_.insert(command->name);
        lanes_.insert(command->name.lane);
        // A launch and what comes between its steps are in more orders than two.
        if (command->is_graph) predictable_ = false;
      }
      opaque_kernels_ = opaque_kernels_ || unknown_kernel(one) || unknown_kernel(other);
    }
  if (steps_matter_) predictable_ = false;
}

std::vector<std::pair<Order::Name, Order::Name>> Model::pairs() const {
  std::vector<std::pair<Order::Name, Order::Name>> names;
  for (const auto& [first, second] : pairs_)
    names.emplace_back(commands_[first].name, commands_[second].name);
  return names;
}

Model::Answers Model::answers(const std::vector<Order::Name>& began) const {
  std::map<Order::Name, size_t> places;
  for (size_t i = 0; i < began.size(); ++i) places.emplace(began[i], i);
  Answers answers;
  for (const auto& [first, second] : pairs_) {
    const auto a = places.find(commands_[first].name), b = places.find(commands_[second].name);
    const bool has_a = a != places.end(), has_b = b != places.end();
    answers += !has_a && !has_b ? '0' : has_a && (!has_b || a->second < b->second) ? '1' : '2';
  }
  return answers;
}

// --- A run of a schedule on the log --------------------------------------------------------------

// Does what exec::Scheduler does.
class Model::Simulation {
 public:
  Simulation(const Model& model, exec::Schedule schedule)
      : model_(model), schedule_(std::move(schedule)), done_(model.commands_.size()) {}

  std::vector<Order::Name> run() {
    using Kind = Order::Event::Kind;
    bool returns = true;  // the next copy may return before it is done
    for (size_t i = 0; i < model_.events_.size(); ++i) {
      const Event& event = model_.events_[i];
      switch (event.kind) {
        case Kind::question:
          returns = schedule_.may();
          break;
        case Kind::queued:
          submit(event.command);
          if (!returns) wait(event.command);
          returns = true;
          if (!is_waited_for_by_its_call(i)) run_due();
          break;
        case Kind::waited:
          wait(event.command);
          run_due();
          break;
        case Kind::waited_for_context:
          for (const size_t command : event.commands) wait(command);
          break;
      }
    }
    time_ = UINT64_MAX;  // the program's end
    run_due();
    return std::move(began_);
  }

 private:
  static constexpr unsigned level_shift = 44;
  static constexpr size_t none = SIZE_MAX;
  struct Pending {
    size_t command;
    exec::Due due;
  };

  // Such a call runs what is due when it has waited. The log does not contain calls; calls that
  // wait at once for what they submit, such as cuMemcpyDtoH, usually use a default stream.
  bool is_waited_for_by_its_call(size_t event) const {
    if (event + 1 == model_.events_.size()) return false;
    const Event& next = model_.events_[event + 1];
    const size_t command = model_.events_[event].command;
    return next.kind == Order::Event::Kind::waited && next.command == command &&
           model_.commands_[command].in_default_stream;
  }

  void submit(size_t command) {
    const Order::Name& name = model_.commands_[command].name;
    const exec::Delay delay = schedule_.delay(name.lane, name.number);
    ++time_;
    const uint64_t time = delay.level == 0 ? time_ + delay.steps
                                           : (uint64_t{delay.level} << level_shift) + delay.steps;
    lanes_[name.lane].push_back({command, {time, ++order_}});
  }

  // Whether the head of a lane has nothing to wait for.
  bool is_ready(const Pending& head) const {
    return std::ranges::all_of(model_.commands_[head.command].after,
                               [this](size_t other) { return done_[other]; });
  }

  // Returns the ready head that is due first; null if there is none.
  const Pending* first() const {
    const Pending* least = nullptr;
    for (const auto& [lane, pending] : lanes_)
      if (!pending.empty() && is_ready(pending.front()) &&
          (!least || pending.front().due < least->due))
        least = &pending.front();
    return least;
  }

  // Returns the ready head that `command` waits for.
  const Pending* needed(size_t command) const {
    for (;;) {
      const auto& pending = lanes_.at(model_.commands_[command].name.lane);
      if (pending.empty()) return nullptr;
      const Pending& head = pending.front();
      if (is_ready(head)) return &head;
      const auto& after = model_.commands_[head.command].after;
      command = *std::ranges::find_if(after, [this](size_t other) { return !done_[other]; });
    }
  }

  void take(const Pending& head) {
    const size_t command = head.command;
    done_[command] = true;
    began_.push_back(model_.commands_[command].name);
    lanes_[model_.commands_[command].name.lane].pop_front();
  }

  void run_due() {
    while (const Pending* next = first()) {
      if (next->due.time > time_) return;
      take(*next);
    }
  }

  static bool held_less(const exec::Due& one, const exec::Due& other) {
    constexpr uint64_t steps = (uint64_t{1} << level_shift) - 1;
    return one.time <= steps ? one.time < other.time : (one.time & ~steps) < (other.time & ~steps);
  }

  void wait(size_t command) {
    while (!done_[command]) {
      const Pending* const next = first();
      const Pending* const wanted = needed(command);
      if (!next || !wanted) return;
      take(held_less(next->due, wanted->due) ? *next : *wanted);
    }
  }

  const Model& model_;
  exec::Schedule schedule_;
  std::vector<bool> done_;
  std::map<uint32_t, std::deque<Pending>> lanes_;
  std::vector<Order::Name> began_;
  uint64_t time_ = 0, order_ = 0;
};

Model::Answers Model::predict(exec::Schedule schedule) const {
  return answers(Simulation(*this, std::move(schedule)).run());
}

// --- All orders ----------------------------------------------------------------------------------

std::optional<std::vector<std::string>> Model::all_orders(size_t most) const {
  if (pairs_.size() > most_enumerated_pairs) return std::nullopt;
  // Only the commands of pairs are given places; the commands between them move along.
  std::vector<size_t> commands;
  for (const Order::Name& name : in_pairs_) commands.push_back(index_.at(name));
  std::ranges::sort(commands);
  const size_t count = commands.size();
  using Before = std::vector<std::vector<bool>>;  // [earlier][later]
  Before before(count, std::vector<bool>(count));
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < i; ++j) before[j][i] = commands_[commands[i]].precedes(commands[j]);
  const auto place_of = [&](size_t command) {
    return static_cast<size_t>(std::ranges::lower_bound(commands, command) - commands.begin());
  };

  std::vector<std::string> schedules;
  bool too_many = false;
  const auto print = [&](const Before& order) {
    exec::Decisions decisions;
    for (size_t i = 0; i < count; ++i) {
      // The place of a command among the others; each place is a level.
      uint32_t level = 1;
      for (size_t j = 0; j < count; ++j) level += order[j][i] ? 1 : 0;
      const Order::Name& name = commands_[commands[i]].name;
      decisions.held.push_back({name.lane, name.number, name.number, {0, level}});
    }
    schedules.push_back("replay:" + decisions.print());
  };
  const std::function<void(size_t, Before)> choose = [&](size_t pair, const Before& order) {
    if (too_many) return;
    if (pair == pairs_.size()) {
      if (schedules.size() == most) {
        too_many = true;
      } else {
        print(order);
      }
      return;
    }
    const size_t a = place_of(pairs_[pair].first), b = place_of(pairs_[pair].second);
    // First the order that the program did not submit them in.
    for (const auto& [first, second] : {std::pair(b, a), std::pair(a, b)}) {
      if (order[second][first]) continue;
      Before more = order;
      for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < count; ++j)
          if ((i == first || order[i][first]) && (j == second || order[second][j]))
            more[i][j] = true;
      choose(pair + 1, more);
    }
  };
  choose(0, before);
  if (too_many) return std::nullopt;
  return schedules;
}

std::optional<std::vector<std::string>> Model::host_views(size_t most) const {
  struct Lane {
    std::vector<uint64_t> seen;  // numbers of commands
    uint64_t last = 0;
  };
  std::map<uint32_t, Lane> lanes;
  for (const Command& command : commands_) {
    Lane& lane = lanes[command.name.lane];
    lane.last = command.name.number;
    if (command.about->seen) lane.seen.push_back(command.name.number);
  }
  // In each lane everything from some command on is missing, or nothing is.
  std::vector<exec::Decisions> views = {{}};
  for (const auto& [number, lane] : lanes) {
    if (views.size() * (lane.seen.size() + 1) > most + 1) return std::nullopt;
    const std::vector<exec::Decisions> before = views;
    for (const uint64_t first : lane.seen)
      for (exec::Decisions view : before) {
        view.held.push_back({number, first, lane.last, {0, 1}});
        views.push_back(std::move(view));
      }
  }
  std::vector<std::string> schedules;
  for (const exec::Decisions& view : views)
    if (!view.held.empty()) schedules.push_back("replay:" + view.print());
  return schedules;
}

}  // namespace cuvette::tools
