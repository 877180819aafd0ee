// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/recorded_steps.hpp"

#include "sim/device/graph/graph_steps.hpp"
#include "sim/device/kernel/kernel_launch.hpp"

namespace cuvette::device {

namespace format = record_format;

namespace {

// Records the steps of a frame, and of those inside it.
void begin_frame(record::Recorder& recorder, GraphRun& run, GraphRun::Frame& frame, bool is_root) {
  frame.notes =
      std::make_unique<RecordedSteps>(recorder, frame, run.stream(), run.number(), is_root);
  for (auto& [step, special] : frame.specials)
    for (const auto& body : special.bodies) begin_frame(recorder, run, *body, false);
}

}  // namespace

void RecordedSteps::begin(GraphRun& run) {
  record::Recorder* const recorder = record::recorder();
  if (!recorder) return;
  if (!run.stream().lane()) {  // a schedule needs names, too
    exec::Step last;
    last.number = run.number();
    GraphSteps::name_steps(*run.root(), last);
  }
  begin_frame(*recorder, run, *run.root(), true);
}

RecordedSteps::RecordedSteps(record::Recorder& recorder, const GraphRun::Frame& frame,
                             const Stream& stream, uint64_t number, bool is_root)
    : recorder_(recorder), steps_(frame.operations.size()) {
  const auto own = static_cast<uint32_t>(stream.id());
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    if (frame.names[i].step == 0) continue;
    const Operation& operation = *frame.operations[i];
    steps_[i].operation = &operation;
    format::Step& next = steps_[i].next;
    next.stream = own;
    next.number = number;
    next.step = frame.names[i].step;
    next.place = is_root ? i + 1 : 0;
    next.site = recorder.place(operation.call_site);
    if (operation.kind == OperationKind::kernel) {
      const auto& call = static_cast<const KernelLaunch&>(operation).call();
      next.what = recorder.symbol(device::name(operation.kind));
      next.name = recorder.symbol(call.name());
      next.blocks = call.shape().blocks();
      next.threads = static_cast<uint32_t>(call.shape().threads());
    } else {
      next.what = recorder.text(name_of_step(frame, i));
    }
    const auto touch = [&](const memory::Region& region, const memory::Use& use, bool writes) {
      if (region.empty()) return;
      const auto& allocation = use.allocation();
      recorder.add(format::Touch{.writes = writes,
                                 .stream = own,
                                 .number = number,
                                 .step = next.step,
                                 .address = region.address,
                                 .size = region.extent(),
                                 .memory = allocation ? allocation->buffer_id : 0});
    };
    const Footprint& footprint = operation.footprint();
    touch(footprint.reads, footprint.reads_in, false);
    touch(footprint.writes, footprint.writes_in, true);
    for (const uint32_t after : frame.after(i))
      if (frame.names[after].step != 0)
        recorder.add(format::Edge{.why = format::EdgeWhy::graph,
                                  .from_stream = own,
                                  .to_stream = own,
                                  .from_step = next.step,
                                  .to_step = frame.names[after].step,
                                  .from_number = number,
                                  .to_number = number});
  }
}

void RecordedSteps::began(uint32_t step) {
  Step& one = steps_[step];
  if (one.next.step == 0) return;
  format::Step begun = one.next;
  begun.began = os::ticks();
  one.record = recorder_.add(begun);
  one.operation->recorded = recorder_.number_of(one.record);
}

}  // namespace cuvette::device
