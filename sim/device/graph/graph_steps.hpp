// SPDX-License-Identifier: Apache-2.0
// GraphSteps: the steps of one launch if a schedule decides their order: a queue of possible steps,
// from which the runner takes the least due, one at a time.
//
// The stream that the graph was launched in waits for this queue's timeline, which goes to 1 when
// the launch is finished.
//
// Threads: add() and waits() from any; drain() by the runner, which the scheduler sees to.
#pragma once

#include <string>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/graph/graph_run.hpp"
#include "sim/exec/schedule.hpp"
#include "sim/exec/serial_queue.hpp"

namespace cuvette::device {

// Returns the step's name, the same as the corresponding stream command's if there is one.
std::string name_of_step(const GraphRun::Frame& frame, uint32_t step);

class GraphSteps final : public GraphOrder {
 public:
  // `stream` lives on until the run is finished.
  explicit GraphSteps(Stream& stream) : GraphOrder(stream.urgency()), stream_(stream) {}

  // Gives the steps of all frames their names, and notifies the observers of them.
  void begin(GraphRun& run) override EXCLUDES(mutex_);
  // A step has become possible, or goes on.
  void add(const GraphRun::Item& item) override EXCLUDES(mutex_);
  // A step that has begun waits for this.
  void waits_for(const exec::Edge& edge) override EXCLUDES(mutex_);
  // Notifies the observers that a step takes place.
  void started(const GraphRun::Item& item) override;
  // The run is finished.
  void finished() override EXCLUDES(mutex_);

  // Names the steps of `frame` and of the frames inside it, counting from `last`.
  static void name_steps(GraphRun::Frame& frame, exec::Step& last);

  void drain(uint64_t target) override EXCLUDES(mutex_);
  exec::Edge blocked_on() const override EXCLUDES(mutex_);
  exec::Due due() const override EXCLUDES(mutex_);

 private:
  struct Ready {
    exec::Due due;
    GraphRun::Item item;
  };

  ~GraphSteps() override = default;

  void tell(GraphRun::Frame& frame, uint32_t steps);

  Stream& stream_;
  mutable Mutex mutex_;
  Ref<GraphRun> run_ GUARDED_BY(mutex_);  // until it is finished
  std::vector<Ready> ready_ GUARDED_BY(mutex_);
  std::vector<exec::Edge> waited_for_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
