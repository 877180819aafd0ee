// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_run.hpp"

#include "sim/base/sanitizer.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/workers.hpp"

namespace cuvette::device {

// A queue on the ready list by which another worker takes steps that are ready.
class GraphLane final : public exec::SerialQueue {
 public:
  explicit GraphLane(Ref<GraphRun> run)
      : SerialQueue(run->stream().urgency()), run_(std::move(run)) {}

  void drain(uint64_t target) override {
    GraphRun::Item item;
    bool finished = false;
    while (!finished && run_->take(item)) finished = run_->work(item);
    run_->lane_left();
    if (finished) run_->runner_->done_elsewhere(false);
  }
  exec::Edge blocked_on() const override { return {}; }

 private:
  ~GraphLane() override = default;
  const Ref<GraphRun> run_;
};

namespace {

// Runs a step that never has to wait.
class PlainStep final : public OperationRunner {
 public:
  PlainStep(Stream& stream, uint64_t number) : stream_(stream), number_(number) {}
  Stream& stream() override { return stream_; }
  uint64_t number() const override { return number_; }
  void hand_over(bool) override {}
  void done_elsewhere(bool) override {}

 private:
  Stream& stream_;
  const uint64_t number_;
};

}  // namespace

std::vector<const Steps*> GraphRun::Frame::bodies(size_t index) const {
  std::vector<const Steps*> all;
  if (topology->steps()[index].bodies.empty()) return all;
  for (const auto& body : specials.at(static_cast<uint32_t>(index)).bodies)
    all.push_back(body.get());
  return all;
}

GraphRun::GraphRun(Ref<Counted> owner, Stream& stream, Ref<GraphOrder> order)
    : owner_(std::move(owner)), kept_stream_(&stream), stream_(stream), order_(std::move(order)) {}

GraphRun::~GraphRun() = default;

// --- Ready steps ---------------------------------------------------------------------------------

void GraphRun::make_ready(const Item& item) {
  if (order_) return order_->add(item);
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
  // The thread that made a step ready may have counted this lane as one that would take it.
  if (more) call_lane();
}

// --- The runner's way in -------------------------------------------------------------------------

Progress GraphLaunch::step(OperationRunner& runner) {
  runner.hand_over(true);
  if (run_->start(runner)) return Progress::done();
  // Under a schedule the steps are a queue that a waiting thread helps to run.
  return Progress::elsewhere(run_->end());
}

bool GraphRun::start(OperationRunner& runner) {
  runner_ = &runner;
  number_ = runner.number();
  for (const Ref<Condition>& condition : assigned_)
    condition->value.store(condition->initial, std::memory_order_relaxed);
  if (order_) order_->begin(*this);
  if (begin_notes_) [[unlikely]]
    begin_notes_(*this);
  Item first;
  if (!begin(*root_, first)) {
    finish();
    return true;
  }
  return !order_ && work(first);
}

exec::Edge GraphRun::end() const {
  return order_ ? exec::Edge{Ref<exec::Timeline>(order_.get()), 1} : exec::Edge{};
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
  // The frame may be finished, and gone, as soon as the last of these is ready, so nothing of it is
  // read after that.
  const uint32_t roots = topology.roots();
  first = {&frame, 0};
  for (uint32_t i = order_ ? 0 : 1; i < roots; ++i) make_ready({&frame, i});
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

void GraphRun::do_step(const Item& item) {
  if (work(item)) runner_->done_elsewhere(false);
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
  Operation& operation = *frame.operations[item.step];
  if (frame.topology->steps()[item.step].before == 0) {
    acquire_at(&frame);
  } else {
    acquire_at(&frame.missing[item.step]);
  }
  if (order_) order_->started(item);
  if (frame.notes && !item.again) [[unlikely]]
    frame.notes->began(item.step);
  if (!frame.topology->steps()[item.step].bodies.empty())
    return choose(frame.specials.at(item.step), item.again, item);
  if (operation.may_block()) return go_on(frame.specials.at(item.step), operation);
  PlainStep runner(stream_, number_);
  operation.step(runner);
  return Done::complete;
}

GraphRun::Done GraphRun::go_on(Special& special, Operation& operation) {
  if (special.waited_for) {
    special.waited_for.timeline->remove(special);
    special.waited_for = {};
  }
  while (exec::Edge edge = operation.unreached())
    if (park_until(std::move(edge), special)) return Done::suspended;
  for (;;) {
    Progress progress = operation.step(special);
    switch (progress.state) {
      case Progress::State::done:
        return Done::complete;
      case Progress::State::elsewhere:
        return Done::suspended;
      case Progress::State::blocked:
        if (progress.edge && park_until(std::move(progress.edge), special)) return Done::suspended;
    }
  }
}

bool GraphRun::park_until(exec::Edge edge, Special& special) {
  special.waited_for = edge;
  if (!edge.timeline->add(special, edge.value)) {
    special.waited_for = {};
    return false;
  }
  // From here on another thread may run this step, or may have finished the run.
  if (order_) order_->waits_for(edge);
  return true;
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
    if (begin(*special.bodies[body], item)) return order_ ? Done::suspended : Done::redirected;
    if (special.kind != ConditionKind::loop) return Done::complete;
  }
}

GraphRun::Next GraphRun::complete(Item& item) {
  Frame& frame = *item.frame;
  if (frame.notes) [[unlikely]]
    frame.notes->ended(item.step);
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
    // A step with only one predecessor needs no count.
    if (topology.steps()[next].before > 1 &&
        frame.missing[next].fetch_sub(1, std::memory_order_acq_rel) != 1)
      continue;
    if (found || order_) {
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
  if (order_) order_->finished();
}

// --- From elsewhere ------------------------------------------------------------------------------

void GraphRun::Special::done_elsewhere(bool host_thread) {
  // Once the run is finished, this is gone.
  const Ref<GraphRun> self(&run);
  Item item{&frame, step};
  Next next = self->complete(item);
  // Host functions in a row stay on this thread; other threads take everything else that follows.
  while (next == Next::item && item.frame->operations[item.step]->calls_host())
    next = self->advance(item);
  if (next == Next::item) self->make_ready(item);
  if (next != Next::finished) return;
  self->finish();
  self->runner_->done_elsewhere(false);
}

void GraphRun::Special::wake() { run.make_ready({&frame, step, true}); }

}  // namespace cuvette::device
