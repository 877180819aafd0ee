// SPDX-License-Identifier: Apache-2.0
// GraphRun: one launch of an executable graph, from the call to the end of its last step.
//
// A step is done by whoever completed the last one before it; where several become possible at
// once, one goes on in that thread and the others lie ready for lanes, queues that workers take
// from the ready list like any other, and for a thread that waits for the launch. A step that waits
// for an event is left, and taken up again when the event's timeline gets there; one that calls a
// host function is handed to the context's host thread. Nobody blocks. Under a schedule the steps
// are taken one by one, as that decides (graph_steps.hpp).
//
// Threads: made by the launching one; start() and help() by the runner of the stream; the rest is
// done by any. Invariants: whoever completes the last step, and nobody else, learns that the run is
// finished; afterwards no step's command exists.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/device/command.hpp"
#include "sim/device/external_semaphore.hpp"
#include "sim/device/graph_topology.hpp"
#include "sim/device/stream.hpp"
#include "sim/exec/host_thread.hpp"
#include "sim/exec/schedule.hpp"
#include "sim/exec/serial_queue.hpp"
#include "sim/mutex.hpp"

namespace cuvette::device {

// The timeline of an event that a step of a graph records: 1 once that is done. Who waits for it
// helps the stream in which the graph was launched.
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
  std::atomic<uint64_t> number_{0};  // the launch's in the stream, once that is known
};

class GraphSteps;

class GraphRun final : public Counted {
 public:
  // What makes a step more than a command. Its address is fixed: threads and timelines know it.
  struct Frame;
  struct Special final : exec::HostItem, exec::Waiter {
    Special(GraphRun& run, Frame& frame, uint32_t step) : run(run), frame(frame), step(step) {}

    GraphRun& run;
    Frame& frame;
    const uint32_t step;
    Ref<GraphMarker> marker;          // of a step that records an event
    size_t edges_reached = 0;         // of a step that waits for events
    exec::Edge waited_for;            // the one that it is linked to
    std::vector<Command> operations;  // of a batch, and how many of them are done
    size_t operated = 0;
    std::vector<Ref<SemaphoreAction>> semaphores;  // signals or waits; `operated` counts these, too
    Ref<Condition> condition;                      // of a conditional step
    ConditionKind kind{};
    std::vector<std::unique_ptr<Frame>> bodies;

   private:
    void call_host() override;
    void host_called(bool returned) override;
    void wake() override;
  };

  // A topology on its way through. Steps are named by their place in it.
  struct Frame {
    Ref<Topology> topology;
    std::vector<Command> commands;                     // one for each step
    std::unique_ptr<std::atomic<uint32_t>[]> missing;  // what each step still has before it
    std::atomic<uint32_t> sinks{0};                    // how many last steps are not complete
    std::unordered_map<uint32_t, Special> specials;
    Special* parent = nullptr;            // the conditional step whose body this is
    std::unique_ptr<exec::Step[]> names;  // under a schedule; of what does nothing: step 0
  };

  // `owner` lives as long as the run.
  GraphRun(Ref<Counted> owner, Stream& stream);

  Frame& root() { return *root_; }
  Stream& stream() const { return stream_; }
  void set_root(std::unique_ptr<Frame> root) { root_ = std::move(root); }

  // The condition has its initial value again when the launch begins.
  void assign_at_start(Ref<Condition> condition) { assigned_.push_back(std::move(condition)); }

  // Does what it can of command `number` of the stream. True: the run is finished; else the stream
  // hears of it (Stream::graph_finished).
  bool start(uint64_t number);
  bool help();
  // Under a schedule, once it has started: reached when the run is finished.
  exec::Edge end() const;

 private:
  friend class GraphLane;
  friend class GraphSteps;
  struct Item {
    Frame* frame;
    uint32_t step;
    bool again = false;  // it has begun: a body of it is complete, or what it waited for
  };
  enum class Next {
    item,      // there is one to go on with
    none,      // there is none here
    finished,  // that was the last one of the run
  };
  enum class Done { complete, suspended, redirected };

  ~GraphRun() override;

  // Makes the first steps of a frame ready, but for one; false if there are none.
  bool begin(Frame& frame, Item& first);
  // Goes on from `item` as far as it can. True: the run is finished.
  bool work(Item item);
  Next advance(Item& item);
  Done perform(Item& item);
  // `special` is, until it is woken.
  Done suspended(const Special& special);
  Done run_kernel(Item& item);
  Done choose(Special& special, bool again, Item& item);
  bool edges_reached(Special& special, const Command& command);
  // False: a wait among the operations is not satisfied, and the step goes on when it is.
  bool operate(Special& special);
  bool operate_semaphores(Special& special);
  Next complete(Item& item);
  void finish();

  void make_ready(const Item& item) EXCLUDES(mutex_);
  bool take(Item& item) EXCLUDES(mutex_);
  void call_lane();
  void lane_left() EXCLUDES(mutex_);

  Ref<Counted> owner_;
  // A lane may be looked at after the run is finished, when nobody else has the stream any more.
  const Ref<Stream> kept_stream_;
  Stream& stream_;
  uint64_t number_ = 0;
  std::vector<Ref<Condition>> assigned_;
  std::unique_ptr<Frame> root_;
  Ref<GraphSteps> steps_;           // under a schedule
  std::atomic<unsigned> lanes_{0};  // called and not yet gone
  Mutex mutex_;
  std::vector<Item> ready_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
