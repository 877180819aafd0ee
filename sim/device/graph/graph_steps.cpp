// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_steps.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::device {

std::string name_of_step(const GraphRun::Frame& frame, uint32_t step) {
  switch (frame.topology->steps()[step].node->type()) {
    case NodeType::copy:
      return name(OperationKind::copy);
    case NodeType::fill:
      return name(OperationKind::fill);
    case NodeType::host:
      return name(OperationKind::host_function);
    case NodeType::event_record:
      return name(OperationKind::event_record);
    case NodeType::event_wait:
      return name(OperationKind::event_wait);
    case NodeType::allocate:
      return name(OperationKind::allocate);
    case NodeType::free:
      return name(OperationKind::free);
    case NodeType::batch:
      return name(OperationKind::value_batch);
    case NodeType::empty:
      return "empty node";
    case NodeType::conditional:
      return "conditional node";
    case NodeType::external_signal:
      return name(OperationKind::semaphore_signal);
    case NodeType::external_wait:
      return name(OperationKind::semaphore_wait);
    case NodeType::kernel:
      return describe(*frame.operations[step]);
    case NodeType::child:
      break;
  }
  return "node";
}

namespace {

// Returns the steps in the order of their nodes' creation, as far as the edges allow it.
std::vector<uint32_t> in_creation_order(const Topology& topology) {
  const auto& steps = topology.steps();
  using Entry = std::pair<uint64_t, uint32_t>;  // the node's number, the step
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> possible;
  const auto add = [&](uint32_t step) {
    possible.emplace(steps[step].node ? steps[step].node->id() : 0, step);
  };
  std::vector<uint32_t> order, missing;
  order.reserve(steps.size());
  for (uint32_t i = 0; i < steps.size(); ++i) {
    missing.push_back(steps[i].before);
    if (steps[i].before == 0) add(i);
  }
  while (!possible.empty()) {
    order.push_back(possible.top().second);
    possible.pop();
    for (const uint32_t next : topology.after(steps[order.back()]))
      if (--missing[next] == 0) add(next);
  }
  return order;
}

}  // namespace

// --- Names ---------------------------------------------------------------------------------------

void GraphSteps::begin(GraphRun& run) {
  exec::Step last;
  last.lane = *stream_.lane();
  last.number = run.number();
  name_steps(*run.root(), last);
  tell(*run.root(), last.step);
  MutexLock lock(mutex_);
  run_ = Ref<GraphRun>(&run);
}

// Branches are chains. Each begins with the first step that has no branch yet and continues with
// its first successor that has none. So two steps that nothing orders are in different branches.
void GraphSteps::name_steps(GraphRun::Frame& frame, exec::Step& last) {
  const Topology& topology = *frame.topology;
  const auto& steps = topology.steps();
  const auto count = static_cast<uint32_t>(steps.size());
  frame.names = std::make_unique<exec::Step[]>(count);
  std::vector<bool> taken(count, false);
  for (uint32_t begin = 0; begin < count; ++begin) {
    if (taken[begin]) continue;
    uint32_t place = 0;
    for (uint32_t at = begin;;) {
      taken[at] = true;
      if (steps[at].node) {
        if (place == 0) ++last.branch;
        frame.names[at].branch = last.branch;
        frame.names[at].place = ++place;
      }
      const auto after = topology.after(steps[at]);
      const auto next =
          std::find_if(after.begin(), after.end(), [&](uint32_t step) { return !taken[step]; });
      if (next == after.end()) break;
      at = *next;
    }
  }
  for (const uint32_t i : in_creation_order(topology)) {
    if (!steps[i].node) continue;
    exec::Step& own = frame.names[i];
    own.lane = last.lane;
    own.number = last.number;
    own.step = ++last.step;
    if (steps[i].bodies.empty()) continue;
    for (const auto& body : frame.specials.at(i).bodies) name_steps(*body, last);
  }
}

void GraphSteps::tell(GraphRun::Frame& frame, uint32_t steps) {
  const Observers& observers = device::observers();
  for (uint32_t i = 0; i < frame.topology->steps().size(); ++i) {
    exec::Step& step = frame.names[i];
    if (step.step == 0) continue;
    step.steps = steps;
    observers.notify(&Observer::step_submitted, stream_, step, name_of_step(frame, i).c_str(),
                     frame.operations[i]->call_site);
    if (frame.topology->steps()[i].bodies.empty()) continue;
    for (const auto& body : frame.specials.at(i).bodies) tell(*body, steps);
  }
}

// --- Choices -------------------------------------------------------------------------------------

void GraphSteps::add(const GraphRun::Item& item) {
  Ready ready{{}, item};
  // Steps that have begun, and steps that do nothing, come before all others.
  const exec::Step& step = item.frame->names[item.step];
  if (step.step != 0 && !item.again) {
    const exec::Delay delay = exec::Scheduler::get()->step_ready(step, ready.due);
    if (delay != exec::Delay{}) observers().notify(&Observer::step_held, stream_, step, delay);
  }
  {
    MutexLock lock(mutex_);
    ready_.push_back(ready);
  }
  offer();
}

void GraphSteps::waits_for(const exec::Edge& edge) {
  MutexLock lock(mutex_);
  std::erase_if(waited_for_, [](const exec::Edge& other) { return other.reached(); });
  waited_for_.push_back(edge);
}

void GraphSteps::started(const GraphRun::Item& item) {
  const exec::Step& step = item.frame->names[item.step];
  if (step.step != 0 && !item.again) observers().notify(&Observer::step_started, stream_, step);
}

exec::Due GraphSteps::due() const {
  MutexLock lock(mutex_);
  exec::Due least;
  for (size_t i = 0; i < ready_.size(); ++i)
    if (i == 0 || ready_[i].due < least) least = ready_[i].due;
  return least;
}

exec::Edge GraphSteps::blocked_on() const {
  MutexLock lock(mutex_);
  if (!ready_.empty()) return {};
  for (const exec::Edge& edge : waited_for_)
    if (!edge.reached()) return edge;
  return {};
}

void GraphSteps::drain(uint64_t target) {
  Ref<GraphRun> run;
  GraphRun::Item item;
  {
    MutexLock lock(mutex_);
    if (ready_.empty()) return;
    const auto least =
        std::min_element(ready_.begin(), ready_.end(),
                         [](const Ready& one, const Ready& other) { return one.due < other.due; });
    item = least->item;
    *least = ready_.back();
    ready_.pop_back();
    if (!ready_.empty()) want_again();
    run = run_;
  }
  run->do_step(item);
}

void GraphSteps::finished() {
  Ref<GraphRun> run;
  {
    MutexLock lock(mutex_);
    run = std::move(run_);
  }
  advance(1);
}

}  // namespace cuvette::device
