// SPDX-License-Identifier: Apache-2.0
// GraphRun: one launch of an executable graph, from the call to the end of its last step.
//
// The thread that completes the last step before a step runs it. If several steps become possible
// at once, that thread runs one; the others are ready for lanes, queues that workers take from the
// ready list like any other, and for a thread that waits for the launch. A step that has to wait is
// left and continued when its edge is reached. No thread blocks. Under a schedule the steps run one
// by one, in the order that it decides (GraphOrder).
//
// Threads: the launching one makes it; the runner of the stream calls start() and help(); any
// thread may do the rest. Invariants: only the thread that completes the last step learns that the
// run is finished; afterwards no step's operation exists.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/graph/graph_topology.hpp"
#include "sim/device/stream/event_record.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/exec/schedule.hpp"
#include "sim/exec/serial_queue.hpp"

namespace cuvette::device {

// The timeline of an event that a step of a graph records: 1 once that is done. A thread that waits
// for it helps the stream in which the graph was launched.
class GraphMarker final : public exec::SerialQueue {
 public:
  explicit GraphMarker(Stream& stream) : SerialQueue(stream.urgency()), stream_(&stream) {}

  void launched(uint64_t number) { number_.store(number, std::memory_order_release); }
  void reach() { advance(1); }

  void drain(uint64_t target) override {}
  exec::Edge blocked_on() const override {
    return {stream_, number_.load(std::memory_order_acquire)};
  }

 private:
  ~GraphMarker() override = default;
  const Ref<Stream> stream_;
  std::atomic<uint64_t> number_{0};  // the launch's number in the stream, once known
};

// The operation of a step that records an event.
class GraphEventMark final : public OperationOf<GraphEventMark> {
 public:
  explicit GraphEventMark(const void* call_site)
      : OperationOf(OperationKind::event_record, call_site) {}

  // Prepares the launch: the record that it stamps, and the timeline of the waits for it.
  void connect(Ref<EventRecord> record, Ref<GraphMarker> marker) {
    record_ = std::move(record);
    marker_ = std::move(marker);
  }
  Progress step(OperationRunner&) override {
    record_->stamp();
    marker_->reach();
    return Progress::done();
  }
  bool tells_other_processes() const override { return record_->exported; }

 private:
  Ref<EventRecord> record_;
  Ref<GraphMarker> marker_;
};

class GraphOrder;

// Notes the steps of one frame as they run; made before any of them does.
class StepNotes {
 public:
  virtual ~StepNotes() = default;
  virtual void began(uint32_t step) = 0;
  virtual void ended(uint32_t step) = 0;
};

class GraphRun final : public Counted {
 public:
  // A step that may have to wait, or that chooses what comes next. Its address is fixed: threads
  // and timelines know it.
  struct Frame;
  struct Special final : OperationRunner, exec::Waiter {
    Special(GraphRun& run, Frame& frame, uint32_t step) : run(run), frame(frame), step(step) {}

    GraphRun& run;
    Frame& frame;
    const uint32_t step;
    exec::Edge waited_for;     // what it is linked to
    Ref<Condition> condition;  // of a conditional step
    ConditionKind kind{};
    std::vector<std::unique_ptr<Frame>> bodies;

    Stream& stream() override { return run.stream_; }
    uint64_t number() const override { return run.number_; }
    void hand_over(bool help) override {}
    void done_elsewhere(bool host_thread) override;

   private:
    void wake() override;
  };

  // A topology during a run. A step's name is its index in it.
  struct Frame final : Steps {
    Ref<Topology> topology;
    std::vector<AnyOperation> operations;              // one for each step
    std::unique_ptr<std::atomic<uint32_t>[]> missing;  // how many steps each step still waits for
    std::atomic<uint32_t> sinks{0};                    // how many of the last steps are incomplete
    std::unordered_map<uint32_t, Special> specials;
    bool has_events = false;    // steps, here or in bodies, record events or wait for them
    Special* parent = nullptr;  // the conditional step that this is a body of
    // Under a schedule, and for a record; step 0 for steps that do nothing.
    std::unique_ptr<exec::Step[]> names;
    std::unique_ptr<StepNotes> notes;  // null: nobody wants them

    size_t count() const override { return operations.size(); }
    const Operation& step(size_t index) const override { return *operations[index]; }
    std::span<const uint32_t> after(size_t index) const override {
      return topology->after(topology->steps()[index]);
    }
    std::vector<const Steps*> bodies(size_t index) const override;
  };

  // A step that can begin or continue.
  struct Item {
    Frame* frame;
    uint32_t step;
    bool again = false;  // it has begun: a body of it, or its wait, is complete
  };

  // `owner` lives as long as the run. `order` decides which step comes next; null: any free
  // thread takes a ready step.
  GraphRun(Ref<Counted> owner, Stream& stream, Ref<GraphOrder> order);

  Frame* root() const { return root_.get(); }  // null once the run is finished
  Stream& stream() const { return stream_; }
  uint64_t number() const { return number_; }  // of the launch, once it has started
  void set_root(std::unique_ptr<Frame> root) { root_ = std::move(root); }

  // Has `begin` called when the launch begins: it may give frames their notes.
  void note_steps(void (*begin)(GraphRun& run)) { begin_notes_ = begin; }

  // Resets the condition to its initial value when the launch begins.
  void assign_at_start(Ref<Condition> condition) { assigned_.push_back(std::move(condition)); }

  // Runs steps as far as it can, for `runner`. Returns true if the run is finished; otherwise the
  // runner is notified later.
  bool start(OperationRunner& runner);
  bool help();
  // With `order`, once it has started: the edge that is reached when the run is finished.
  exec::Edge end() const;

  // Continues from `item` as far as it can, and notifies the runner if that was the end.
  void do_step(const Item& item);

 private:
  friend class GraphLane;
  enum class Next {
    item,      // a step to continue with
    none,      // no step here
    finished,  // that was the run's last step
  };
  enum class Done { complete, suspended, redirected };

  ~GraphRun() override;

  // Makes the first steps of a frame ready, except for one; false if there are none.
  bool begin(Frame& frame, Item& first);
  // Continues from `item` as far as it can. Returns true if the run is finished.
  bool work(Item item);
  Next advance(Item& item);
  Done perform(Item& item);
  // A step that may have to wait.
  Done go_on(Special& special, Operation& operation);
  // Returns true if the step waits, and continues once `edge` is reached; another thread may run it
  // then.
  bool park_until(exec::Edge edge, Special& special);
  Done choose(Special& special, bool again, Item& item);
  Next complete(Item& item);
  void finish();

  void make_ready(const Item& item) EXCLUDES(mutex_);
  bool take(Item& item) EXCLUDES(mutex_);
  void call_lane();
  void lane_left() EXCLUDES(mutex_);

  Ref<Counted> owner_;
  // A lane may be looked at after the run is finished and the stream is released.
  const Ref<Stream> kept_stream_;
  Stream& stream_;
  uint64_t number_ = 0;
  OperationRunner* runner_ = nullptr;  // of the launch, once it has started
  std::vector<Ref<Condition>> assigned_;
  std::unique_ptr<Frame> root_;
  const Ref<GraphOrder> order_;
  void (*begin_notes_)(GraphRun& run) = nullptr;
  std::atomic<unsigned> lanes_{0};  // called and not yet left
  Mutex mutex_;
  std::vector<Item> ready_ GUARDED_BY(mutex_);
};

// Decides which of the steps that are possible comes next; a queue with a timeline that goes to 1
// when the launch is finished.
class GraphOrder : public exec::SerialQueue {
 public:
  // The run starts.
  virtual void begin(GraphRun& run) = 0;
  // A step has become possible, or goes on.
  virtual void add(const GraphRun::Item& item) = 0;
  // A step that has begun waits for this.
  virtual void waits_for(const exec::Edge& edge) = 0;
  // A step takes place.
  virtual void started(const GraphRun::Item& item) = 0;
  // The run is finished.
  virtual void finished() = 0;

 protected:
  using SerialQueue::SerialQueue;
};

// The operation of a launch.
class GraphLaunch final : public OperationOf<GraphLaunch> {
 public:
  GraphLaunch(Ref<GraphRun> run, const void* call_site)
      : OperationOf(OperationKind::graph, call_site), run_(std::move(run)) {}

  Progress step(OperationRunner& runner) override;
  bool help() override { return run_->help(); }
  bool may_block() const override { return true; }
  const Steps* steps() const override { return run_->root(); }

 private:
  Ref<GraphRun> run_;
};

}  // namespace cuvette::device
