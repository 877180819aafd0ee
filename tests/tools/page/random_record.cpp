// SPDX-License-Identifier: Apache-2.0
// A record of a legal run, drawn at random: the commands run one after another.
#include <random>

#include "tests/tools/page/record_maker.hpp"
#include "tests/tools/page/records.hpp"

namespace cuvette::tools {
namespace {

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  bool chance(uint32_t percent) { return below(100) < percent; }

 private:
  std::mt19937 random_;
};

}  // namespace

Record random_record(uint32_t seed) {
  Draw draw(seed);
  RecordMaker maker("random");
  const uint32_t stream_count = 1 + draw.below(5);
  for (uint32_t i = 0; i < stream_count; ++i) maker.stream(i == 0 ? "legacy" : "non-blocking");
  const uint32_t memory = maker.memory("device", "values", 0x10000, 4096, 1);
  Record& record = maker.record;
  std::vector<uint64_t> numbers(stream_count, 0);
  const uint32_t events = 10 + draw.below(50);
  for (uint32_t i = 0; i < events; ++i) {
    if (!record.commands.empty() && draw.chance(12)) {
      const uint32_t command = draw.below(static_cast<uint32_t>(record.commands.size()));
      const uint32_t call = maker.call("cuStreamSynchronize", 7, 100);
      // Some calls were under way when the process was killed.
      if (draw.chance(15)) record.calls[call].ended = Record::open;
      record.host_waits.push_back({command, call});
      continue;
    }
    Record::Command command;
    command.stream = draw.below(stream_count);
    command.number = ++numbers[command.stream];
    command.call = maker.call("cuLaunchKernel", 8, 100);
    command.submitted = record.calls[command.call].ended - 10;
    command.began = maker.now();
    command.kind = "kernel";
    const auto index = static_cast<uint32_t>(record.commands.size());
    record.commands.push_back(command);
    const uint32_t steps = draw.chance(20) ? 1 + draw.below(4) : 0;
    if (steps > 0) record.commands[index].kind = "graph";
    for (uint32_t step = 1; step <= steps; ++step) {
      maker.pass(50);
      Record::Command part = command;
      part.launch = index;
      part.step = step;
      part.began = maker.now();
      part.ended = maker.now() + 20;
      const auto own = static_cast<uint32_t>(record.commands.size());
      record.commands.push_back(part);
      for (uint32_t other = index + 1; other < own; ++other)
        if (draw.chance(40)) maker.edge(other, own, Record::Edge::Why::graph);
    }
    maker.pass(100);
    record.commands[index].ended = maker.now();
    maker.pass(10);
    for (uint32_t other = 0; other < index; ++other)
      if (draw.chance(4)) maker.edge(other, index, Record::Edge::Why::event);
  }
  for (uint32_t command = 0; command < record.commands.size(); ++command)
    maker.touch(command, memory, draw.below(8) * 512, 512, draw.chance(60));
  maker.finish();
  return record;
}

}  // namespace cuvette::tools
