// SPDX-License-Identifier: Apache-2.0
// RecordedSteps: what the record of this process has of the steps of one frame of a launch.
//
// Threads: made before any step runs; then one for each step at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/device/graph/graph_run.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::device {

class RecordedSteps final : public StepNotes {
 public:
  // Records the steps of a launch that begins, what orders them and what they touch.
  static void begin(GraphRun& run);

  RecordedSteps(record::Recorder& recorder, const GraphRun::Frame& frame, const Stream& stream,
                uint64_t number, bool is_root);

  void began(uint32_t step) override;
  void ended(uint32_t step) override { record::Recorder::end(steps_[step].record); }

 private:
  // A step that does nothing has the number 0.
  struct Step {
    record_format::Step next;               // its record, but for the times
    record_format::Step* record = nullptr;  // of the run that has begun last
    const Operation* operation = nullptr;
  };

  record::Recorder& recorder_;
  std::vector<Step> steps_;
};

}  // namespace cuvette::device
