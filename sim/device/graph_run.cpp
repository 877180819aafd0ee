// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph_run.hpp"

#include "sim/device/context.hpp"
#include "sim/device/graph_steps.hpp"
#include "sim/device/kernel.hpp"
#include "sim/device/misuse.hpp"
#include "sim/device/thread.hpp"
#include "sim/device/value_operation.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/workers.hpp"
#include "sim/os/clock.hpp"
#include "sim/sanitizer.hpp"

namespace cuvette::device {

// Somebody to take steps that are ready; a worker finds it on the ready list.
class GraphLane final : public exec::SerialQueue {
 public:
  explicit GraphLane(Ref<GraphRun> run)
      : SerialQueue(run->stream().urgency()), run_(std::move(run)) {}

  void drain(uint64_t target) override {
    const Ref<Stream> stream(&run_->stream());
    const uint64_t number = run_->number_;
    GraphRun::Item item;
    bool finished = false;
    while (!finished && run_->take(item)) finished = run_->work(item);
    run_->lane_left();
    if (finished) stream->graph_finished(number);
  }
  exec::Edge blocked_on() const override { return {}; }

 private:
  ~GraphLane() override = default;
  const Ref<GraphRun> run_;
};

GraphRun::GraphRun(Ref<Counted> owner, Stream& stream)
    : owner_(std::move(owner)), kept_stream_(&stream), stream_(stream) {
  if (stream.lane()) steps_ = make_ref<GraphSteps>(stream);
}

GraphRun::~GraphRun() = default;

// --- Ready steps ---------------------------------------------------------------------------------

void GraphRun::make_ready(const Item& item) {
  if (steps_) return steps_->add(item);
  {
    MutexLock lock(mutex_);
    ready_.push_back(item);
  }
  call_lane();
}

bool GraphRun::take(Item& item) {
  MutexLock lock(mutex_);
  if (ready_.empty()) return false;
  item = ready_.back();
  ready_.pop_back();
  return true;
}

void GraphRun::call_lane() {
  unsigned lanes = lanes_.load(std::memory_order_seq_cst);
  do {
    if (lanes >= exec::Workers::get().count()) return;  // each looks again before it leaves
  } while (!lanes_.compare_exchange_weak(lanes, lanes + 1, std::memory_order_seq_cst));
  make_ref<GraphLane>(Ref<GraphRun>(this))->offer();
}

void GraphRun::lane_left() {
  lanes_.fetch_sub(1, std::memory_order_seq_cst);
  bool more;
  {
    MutexLock lock(mutex_);
    more = !ready_.empty();
  }
  // Whoever made it ready may have seen enough lanes, this one among them.
  if (more) call_lane();
}

// --- The runner's way in -------------------------------------------------------------------------

bool GraphRun::start(uint64_t number) {
  number_ = number;
  for (const Ref<Condition>& condition : assigned_)
    condition->value.store(condition->initial, std::memory_order_relaxed);
  if (steps_) steps_->begin(*this);
  Item first;
  if (!begin(*root_, first)) {
    finish();
    return true;
  }
  return !steps_ && work(first);
}

exec::Edge GraphRun::end() const {
  return steps_ ? exec::Edge{Ref<exec::Timeline>(steps_.get()), 1} : exec::Edge{};
}

bool GraphRun::help() {
  Item item;
  while (take(item))
    if (work(item)) return true;
  return false;
}

// --- Steps ---------------------------------------------------------------------------------------

bool GraphRun::begin(Frame& frame, Item& first) {
  const Topology& topology = *frame.topology;
  const auto& steps = topology.steps();
  if (steps.empty()) return false;
  for (size_t i = 0; i < steps.size(); ++i)
    frame.missing[i].store(steps[i].before, std::memory_order_relaxed);
  frame.sinks.store(topology.sinks(), std::memory_order_relaxed);
  release_at(&frame);
  // From the second on they may be over before this returns: nothing of the frame is looked at
  // after the last.
  const uint32_t roots = topology.roots();
  first = {&frame, 0};
  for (uint32_t i = steps_ ? 0 : 1; i < roots; ++i) make_ready({&frame, i});
  return true;
}

bool GraphRun::work(Item item) {
  for (;;) {
    switch (advance(item)) {
      case Next::item:
        continue;
      case Next::none:
        if (!take(item)) return false;
        continue;
      case Next::finished:
        finish();
        return true;
    }
  }
}

GraphRun::Next GraphRun::advance(Item& item) {
  switch (perform(item)) {
    case Done::complete:
      return complete(item);
    case Done::redirected:
      return Next::item;
    case Done::suspended:
      return Next::none;
  }
  return Next::none;
}

GraphRun::Done GraphRun::perform(Item& item) {
  Frame& frame = *item.frame;
  Command& command = frame.commands[item.step];
  if (frame.topology->steps()[item.step].before == 0) {
    acquire_at(&frame);
  } else {
    acquire_at(&frame.missing[item.step]);
  }
  if (steps_) steps_->started(item);
  switch (command.kind) {
    case CommandKind::host_function:
      // As in streams: not called once the context has an error.
      if (stream_.context().error()) return Done::complete;
      stream_.context().host_thread().post(frame.specials.at(item.step));
      return Done::suspended;
    case CommandKind::event_record:
      command.record->time_ns.store(os::now_ns(), std::memory_order_relaxed);
      frame.specials.at(item.step).marker->reach();
      return Done::complete;
    case CommandKind::event_wait: {
      if (frame.specials.empty()) return Done::complete;
      const auto special = frame.specials.find(item.step);
      if (special == frame.specials.end()) return Done::complete;
      if (special->second.condition) return choose(special->second, item.again, item);
      return edges_reached(special->second, command) ? Done::complete : suspended(special->second);
    }
    case CommandKind::value_batch: {
      Special& batch = frame.specials.at(item.step);
      return operate(batch) ? Done::complete : suspended(batch);
    }
    case CommandKind::semaphore_signal:
    case CommandKind::semaphore_wait: {
      Special& semaphores = frame.specials.at(item.step);
      return operate_semaphores(semaphores) ? Done::complete : suspended(semaphores);
    }
    case CommandKind::kernel:
      return run_kernel(item);
    default:
      stream_.execute(number_, command);
      return Done::complete;
  }
}

GraphRun::Done GraphRun::suspended(const Special& special) {
  // Without a schedule another thread may be at this step already.
  if (steps_) steps_->waits_for(special.waited_for);
  return Done::suspended;
}

GraphRun::Done GraphRun::run_kernel(Item& item) {
  Frame& frame = *item.frame;
  Command& command = frame.commands[item.step];
  auto& run = static_cast<KernelRun&>(*command.run);
  if (run.call()->may_wait()) {
    Special& special = frame.specials.at(item.step);
    if (special.waited_for.timeline) {
      special.waited_for.timeline->remove(special);
      special.waited_for = {};
    }
    while (!run.run(stream_, number_, command)) {
      special.waited_for = run.pause();
      if (!special.waited_for.timeline) continue;
      // From a successful add() on another thread may be at this step.
      if (special.waited_for.timeline->add(special, special.waited_for.value))
        return suspended(special);
      special.waited_for = {};
    }
  } else {
    run.run(stream_, number_, command);
  }
  // Of a body that is run again, the launch is a new one.
  if (frame.parent) command.run = make_ref<KernelRun>(run.call(), run.context(), run.conditions());
  return Done::complete;
}

GraphRun::Done GraphRun::choose(Special& special, bool again, Item& item) {
  if (again && special.kind != ConditionKind::loop) return Done::complete;
  for (;;) {
    const uint32_t value = special.condition->value.load(std::memory_order_acquire);
    size_t body = special.bodies.size();
    switch (special.kind) {
      case ConditionKind::if_else:
        body = value != 0 ? 0 : 1;
        break;
      case ConditionKind::loop:
        if (value != 0) body = 0;
        break;
      case ConditionKind::choice:
        body = value;
        break;
    }
    if (body >= special.bodies.size()) return Done::complete;
    if (begin(*special.bodies[body], item)) return steps_ ? Done::suspended : Done::redirected;
    if (special.kind != ConditionKind::loop) return Done::complete;
  }
}

bool GraphRun::edges_reached(Special& special, const Command& command) {
  if (special.waited_for.timeline) {
    special.waited_for.timeline->remove(special);
    special.waited_for = {};
  }
  const size_t count =
      (command.after.timeline ? 1 : 0) + (command.also_after ? command.also_after->size() : 0);
  for (; special.edges_reached < count; ++special.edges_reached) {
    const exec::Edge& edge = special.edges_reached == 0
                                 ? command.after
                                 : (*command.also_after)[special.edges_reached - 1];
    if (edge.reached()) continue;
    special.waited_for = edge;
    // From here on another thread may be at this step.
    if (edge.timeline->add(special, edge.value)) return false;
    special.waited_for = {};
  }
  special.edges_reached = 0;  // for a body that is run again
  return true;
}

bool GraphRun::operate(Special& special) {
  if (special.waited_for.timeline) {
    special.waited_for.timeline->remove(special);
    special.waited_for = {};
  }
  for (; special.operated < special.operations.size(); ++special.operated) {
    Command& operation = special.operations[special.operated];
    if (operation.kind != CommandKind::value_wait) {
      stream_.execute(number_, operation);
      continue;
    }
    special.waited_for = value_edge(stream_.context(), operation);
    // From a successful add() on another thread may be at this step.
    if (!special.waited_for.reached() && special.waited_for.timeline->add(special, 1)) return false;
    special.waited_for = {};
    operation.run = nullptr;  // of a body that is run again, the wait is a new one
  }
  special.operated = 0;
  return true;
}

bool GraphRun::operate_semaphores(Special& special) {
  if (special.waited_for.timeline) {
    special.waited_for.timeline->remove(special);
    special.waited_for = {};
  }
  for (; special.operated < special.semaphores.size(); ++special.operated) {
    special.waited_for = special.semaphores[special.operated]->begin();
    // From a successful add() on another thread may be at this step.
    if (!special.waited_for.reached() && special.waited_for.timeline->add(special, 1)) return false;
    special.waited_for = {};
  }
  return true;
}

GraphRun::Next GraphRun::complete(Item& item) {
  Frame& frame = *item.frame;
  const Topology& topology = *frame.topology;
  const Topology::Step& step = topology.steps()[item.step];
  const std::span<const uint32_t> after = topology.after(step);
  if (after.empty()) {
    release_at(&frame.sinks);
    if (frame.sinks.fetch_sub(1, std::memory_order_acq_rel) != 1) return Next::none;
    acquire_at(&frame.sinks);
    if (!frame.parent) return Next::finished;
    item = {&frame.parent->frame, frame.parent->step, true};
    return Next::item;
  }
  bool found = false;
  for (const uint32_t next : after) {
    release_at(&frame.missing[next]);
    // What has one step before it only needs no count.
    if (topology.steps()[next].before > 1 &&
        frame.missing[next].fetch_sub(1, std::memory_order_acq_rel) != 1)
      continue;
    if (found || steps_) {
      make_ready({&frame, next});
    } else {
      item = {&frame, next};
      found = true;
    }
  }
  return found ? Next::item : Next::none;
}

void GraphRun::finish() {
  root_ = nullptr;
  owner_ = nullptr;
  if (steps_) steps_->finished();
}

// --- From elsewhere ------------------------------------------------------------------------------

void GraphRun::Special::call_host() {
  const Command& call = frame.commands[step];
  const Thread::HostFunctionScope scope;
  call.function(call.data);
}

void GraphRun::Special::host_called(bool returned) {
  // Once the run is finished, this is gone.
  const Ref<GraphRun> self(&run);
  const Ref<Stream> stream(&run.stream_);
  const uint64_t number = run.number_;
  if (!returned) notify_thread_ended(frame.commands[step].call_site);
  Item item{&frame, step};
  Next next = self->complete(item);
  // Host functions in a row stay here; whatever else follows is for others.
  while (next == Next::item && item.frame->commands[item.step].kind == CommandKind::host_function)
    next = self->advance(item);
  if (next == Next::item) self->make_ready(item);
  if (next != Next::finished) return;
  self->finish();
  stream->graph_finished(number);
}

void GraphRun::Special::wake() { run.make_ready({&frame, step, true}); }

}  // namespace cuvette::device
