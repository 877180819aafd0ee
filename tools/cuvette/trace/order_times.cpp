// SPDX-License-Identifier: Apache-2.0
// The clock that shows the order of events.
#include <algorithm>
#include <utility>
#include <vector>

#include "tools/cuvette/trace/groups.hpp"
#include "tools/cuvette/trace/times.hpp"

namespace cuvette::tools {
namespace {

// A viewer shows them as a microsecond and a tenth of one.
constexpr uint64_t order_begin = 1'000'000'000, command_length = 1000, host_step = 100;

class OrderClock {
 public:
  OrderClock(const CheckedRecord& record, const HostTimeline& timeline)
      : record_(record), timeline_(timeline) {}
  Times run();

 private:
  void host_item(const HostTimeline::Item& item);
  void end_call(uint32_t call);
  void place_until(uint64_t recorded);
  void place(uint32_t command);
  void place_those_that_never_began();
  uint64_t submission(uint32_t command);
  uint64_t end_of_stream(uint32_t stream) const;
  void pass(uint64_t recorded) { times_.moments.emplace_back(recorded, now_); }

  const Record::Command& command(uint32_t index) const { return record_->commands[index]; }

  const CheckedRecord& record_;
  const HostTimeline& timeline_;
  Times times_;
  uint64_t now_ = order_begin;  // of the host threads
  Groups sources_ = edges(), submitted_by_ = submitted_commands(), awaited_by_ = waits();
  std::vector<bool> is_submitted_ = std::vector<bool>(record_->commands.size());
  std::vector<bool> is_placed_ = std::vector<bool>(record_->commands.size());
  std::vector<uint32_t> last_of_stream_ =
      std::vector<uint32_t>(record_->streams.size(), Record::none);
  // Commands in the order of their beginnings and of their ends, and how far each was read.
  std::vector<uint32_t> begins_, ends_;
  size_t next_begin_ = 0, next_end_ = 0;
  uint64_t latest_end_ = order_begin;  // of the commands that have been read in `ends_`

  Groups edges() const;
  Groups submitted_commands() const;
  Groups waits() const;
  void sort_commands();
};

// The commands that a command waits for.
Groups OrderClock::edges() const {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const Record::Edge& edge : record_->edges) pairs.emplace_back(edge.to, edge.from);
  return Groups(record_->commands.size(), pairs);
}

Groups OrderClock::submitted_commands() const {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t index = 0; index < record_->commands.size(); ++index)
    if (command(index).call != Record::none && command(index).launch == Record::none)
      pairs.emplace_back(command(index).call, index);
  return Groups(record_->calls.size(), pairs);
}

Groups OrderClock::waits() const {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const Record::HostWait& wait : record_->host_waits)
    pairs.emplace_back(wait.call, wait.command);
  return Groups(record_->calls.size(), pairs);
}

void OrderClock::sort_commands() {
  for (uint32_t index = 0; index < record_->commands.size(); ++index) {
    if (command(index).began != Record::open) begins_.push_back(index);
    if (command(index).ended != Record::open) ends_.push_back(index);
  }
  // A launch comes before its steps, which may begin and end at the same time.
  const auto key = [this](uint32_t index) {
    return std::pair(command(index).began, command(index).launch != Record::none);
  };
  std::ranges::stable_sort(begins_, {}, key);
  std::ranges::stable_sort(ends_, {}, [this](uint32_t index) { return command(index).ended; });
}

// A call that waits for nothing submits its commands at its end, so that the arrow to them starts
// there. One that waits for them cannot, and shows the moment of their submission.
void OrderClock::host_item(const HostTimeline::Item& item) {
  switch (item.what) {
    case HostTimeline::What::call_begins:
      times_.calls[item.index].begin = now_ += host_step;
      break;
    case HostTimeline::What::call_ends:
      end_call(item.index);
      break;
    case HostTimeline::What::command_submitted: {
      const uint32_t call = command(item.index).call;
      const bool at_end =
          awaited_by_.of(call).empty() && record_->calls[call].ended != Record::open;
      if (at_end || is_submitted_[item.index]) return;
      times_.submissions[item.index] = now_ += host_step;
      is_submitted_[item.index] = true;
      break;
    }
  }
  pass(item.time);
}

void OrderClock::end_call(uint32_t call) {
  now_ += host_step;
  uint64_t recorded = 0;
  for (const uint32_t awaited : awaited_by_.of(call))
    if (command(awaited).ended != Record::open)
      recorded = std::max(recorded, command(awaited).ended);
  if (recorded) place_until(recorded);
  for (const uint32_t awaited : awaited_by_.of(call))
    if (command(awaited).ended != Record::open) now_ = std::max(now_, times_.commands[awaited].end);
  times_.calls[call].end = now_;
  for (const uint32_t submitted : submitted_by_.of(call)) {
    if (is_submitted_[submitted]) continue;
    times_.submissions[submitted] = now_;
    is_submitted_[submitted] = true;
  }
}

void OrderClock::place_until(uint64_t recorded) {
  while (next_begin_ < begins_.size() && command(begins_[next_begin_]).began <= recorded)
    place(begins_[next_begin_++]);
}

uint64_t OrderClock::submission(uint32_t index) {
  if (!is_submitted_[index]) {
    // Another thread waits for it before the call that submits it returns, or the call is unknown.
    times_.submissions[index] =
        command(index).call == Record::none ? times_.before(command(index).submitted) : now_;
    is_submitted_[index] = true;
  }
  return times_.submissions[index];
}

uint64_t OrderClock::end_of_stream(uint32_t stream) const {
  if (stream == Record::none || last_of_stream_[stream] == Record::none) return order_begin;
  return times_.commands[last_of_stream_[stream]].end;
}

void OrderClock::place(uint32_t index) {
  const Record::Command& one = command(index);
  for (; next_end_ < ends_.size() && command(ends_[next_end_]).ended <= one.began &&
         is_placed_[ends_[next_end_]];
       ++next_end_)
    latest_end_ = std::max(latest_end_, times_.commands[ends_[next_end_]].end);
  uint64_t begin = latest_end_;
  const bool is_step = one.launch != Record::none;
  begin = std::max(begin, is_step ? times_.commands[one.launch].begin : submission(index));
  if (!is_step) begin = std::max(begin, end_of_stream(one.stream));
  for (const uint32_t source : sources_.of(index))
    if (is_placed_[source] && source != one.launch)
      begin = std::max(begin, times_.commands[source].end);
  times_.commands[index] = {begin, begin + command_length};
  is_placed_[index] = true;
  if (is_step) {
    uint64_t& end_of_launch = times_.commands[one.launch].end;
    end_of_launch = std::max(end_of_launch, begin + command_length);
  } else if (one.stream != Record::none) {
    last_of_stream_[one.stream] = index;
  }
}

void OrderClock::place_those_that_never_began() {
  for (uint32_t index = 0; index < record_->commands.size(); ++index) {
    if (is_placed_[index]) continue;
    const Record::Command& one = command(index);
    const bool is_step = one.launch != Record::none;
    const uint64_t from = is_step ? times_.commands[one.launch].end : submission(index);
    const uint64_t time = std::max(from, end_of_stream(one.stream)) + host_step;
    times_.commands[index] = {time, time};
    if (!is_step && one.stream != Record::none) last_of_stream_[one.stream] = index;
  }
}

Times OrderClock::run() {
  times_.begin = times_.unix_begin = times_.end = order_begin;
  times_.calls.resize(record_->calls.size());
  times_.commands.resize(record_->commands.size());
  times_.submissions.resize(record_->commands.size());
  times_.moments.emplace_back(0, order_begin);
  sort_commands();
  for (const HostTimeline::Place place : timeline_.all) host_item(timeline_.at(place));
  place_until(Record::open);
  place_those_that_never_began();
  times_.end = now_;
  for (const Times::Span& span : times_.commands) times_.end = std::max(times_.end, span.end);
  times_.end += host_step;
  return std::move(times_);
}

}  // namespace

Times order_times(const CheckedRecord& record, const HostTimeline& timeline) {
  return OrderClock(record, timeline).run();
}

}  // namespace cuvette::tools
