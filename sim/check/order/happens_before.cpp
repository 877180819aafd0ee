// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/happens_before.hpp"

#include <algorithm>
#include <utility>

#include "sim/check/order/all_operations.hpp"
#include "sim/device/graph/graph_run.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/external_semaphore.hpp"
#include "sim/device/stream/shared_event.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::check {

using device::Operation;
using device::Stream;
using device::StreamKind;

namespace {

// The chains of clocks; SemaphoreOrder has a fourth kind. All chains differ, although a stream and
// a context may have the same number. A stream is known up to a position, the streams of a context
// up to a sequence.
constexpr uint64_t chain_of_stream(uint64_t id) { return 4 * id; }
constexpr uint64_t chain_of_all(uint64_t context) { return 4 * context + 2; }
constexpr uint64_t chain_of_blocking(uint64_t context) { return 4 * context + 3; }
static_assert(SemaphoreOrder::chain_of_open(0) == 1);

// How many changes of clocks are kept in total, and at least and at most for each stream.
constexpr size_t most_changes = size_t{1} << 18, least_past = 16, most_past = 4096;

bool waits_for_legacy(const Stream& stream) {
  return stream.kind() == StreamKind::blocking || stream.kind() == StreamKind::per_thread;
}

template <typename Visit>
void visit_actions(const Operation& operation, const Visit& visit) {
  visit_all(operation, [&](const Operation& one) {
    for (const auto& action : one.semaphores()) visit(*action);
  });
}

// Whether it records an event that other processes can wait for.
bool records_for_others(const Operation& operation) {
  bool found = false;
  visit_all(operation, [&](const Operation& one) { found = found || one.tells_other_processes(); });
  return found;
}

}  // namespace

bool HappensBefore::knows(const Clock& clock, const Point& point) {
  return clock.of(chain_of_stream(point.stream)) >= point.position ||
         clock.of(chain_of_all(point.context)) >= point.sequence ||
         (point.blocking && clock.of(chain_of_blocking(point.context)) >= point.sequence);
}

uint64_t HappensBefore::known(const Clock& clock, uint64_t stream) {
  return clock.of(chain_of_stream(stream)) / 2;
}

bool HappensBefore::ordered(const Point& earlier, const Point& later) const {
  if (earlier.stream == later.stream) return earlier.position <= later.position;
  const auto found = streams_.find(later.stream);
  return found != streams_.end() && comes_before(earlier, clock_at(found->second, later.position));
}

bool HappensBefore::comes_before(const Point& earlier, const Clock& later) const {
  if (knows(later, earlier)) return true;
  if (!semaphores_.any()) [[likely]]
    return false;
  if (semaphores_.any_settled(later, [&](const Clock& clock) { return knows(clock, earlier); }) ||
      semaphores_.behind_open(later))
    return true;
  // The earlier submission may follow an open wait, and so may come after the later one.
  const auto found = streams_.find(earlier.stream);
  return found != streams_.end() &&
         semaphores_.behind_open(clock_at(found->second, earlier.position));
}

const Clock& HappensBefore::clock_at(const StreamState& state, uint64_t position) {
  static const Clock* const nothing = new Clock;
  auto change = std::upper_bound(
      state.past.begin(), state.past.end(), position,
      [](uint64_t position, const Change& change) { return position < change.from; });
  if (change != state.past.begin()) return std::prev(change)->clock;
  return state.forgetful ? change->clock : *nothing;
}

const Clock& HappensBefore::story(uint64_t stream, StreamState& state, uint64_t position) {
  if (state.told != position) {
    state.story = clock_at(state, position);
    state.story.raise(chain_of_stream(stream), position);
    state.told = position;
  }
  return state.story;
}

// Returns what the rules that need no edge put before the next point of a stream.
Clock HappensBefore::before(const Stream& stream, StreamState& state) {
  Clock clock = state.clock;
  if (!state.host.same(host_)) {
    clock.join(host_);
    state.host = host_;
  }
  ContextState& context = contexts_[stream.context().generation()];
  if (stream.kind() == StreamKind::legacy) {
    context.legacy = stream.id();
    clock.join(blocking_of(stream.context()));
  } else if (waits_for_legacy(stream) && context.legacy) {
    StreamState& legacy = streams_[*context.legacy];
    if (legacy.position > state.legacy) {
      clock.join(story(*context.legacy, legacy, legacy.position));
      state.legacy = legacy.position;
    }
  }
  return clock;
}

Point HappensBefore::advance(const Stream& stream, StreamState& state, uint64_t position,
                             Clock clock) {
  state.blocking = waits_for_legacy(stream);
  state.context = stream.context().generation();
  record(state, position, std::move(clock));
  return {stream.id(), position, ++sequence_, state.context, state.blocking};
}

void HappensBefore::record(StreamState& state, uint64_t position, Clock clock) {
  if (!clock.same(state.clock)) {
    ContextState& context = contexts_[state.context];
    context.all.join(clock);
    if (state.blocking) context.blocking.join(clock);
    const size_t most =
        std::clamp(most_changes / std::max<size_t>(1, streams_.size()), least_past, most_past);
    while (state.past.size() >= most) {
      state.past.pop_front();
      state.forgetful = true;
    }
    state.past.push_back({position, clock});
    state.clock = std::move(clock);
  }
  state.position = position;
  state.told = 0;
}

void HappensBefore::tell_signals() {
  for (const SemaphoreOrder::Signal& signal : signals_) learn(semaphores_.signal(signal));
  signals_.clear();
}

// Like between(), for streams that learn something.
void HappensBefore::learn(const std::vector<SemaphoreOrder::Learnt>& learnt) {
  for (const SemaphoreOrder::Learnt& one : learnt) {
    const auto found = streams_.find(one.stream);
    if (found == streams_.end()) continue;
    Clock clock = found->second.clock;
    clock.join(one.clock);
    record(found->second, found->second.position | 1, std::move(clock));
  }
}

Point HappensBefore::submitted(const Stream& stream, uint64_t number, const Operation& operation) {
  tell_signals();
  StreamState& state = streams_[stream.id()];
  Clock clock = before(stream, state);
  join_edges(clock, stream, operation);
  visit_actions(operation, [&](const device::SemaphoreAction& action) {
    if (!action.signals()) semaphores_.wait(stream.id(), number, action, clock);
  });
  if (operation.kind == device::OperationKind::value_wait)
    wait_for_value(stream, number, operation.value(), clock);
  const Point point = advance(stream, state, 2 * number, std::move(clock));
  if (records_for_others(operation)) {
    told_others_.join(story(stream.id(), state, point.position));
    telling_.insert({stream.id(), number});
  }
  visit_actions(operation, [&](const device::SemaphoreAction& action) {
    if (!action.signals()) return;
    const Clock& known = story(stream.id(), state, point.position);
    told_others_.join(known);
    signals_.push_back(SemaphoreOrder::signal_of(action, known));
  });
  if (operation.kind == device::OperationKind::value_write)
    write_value(operation.value(), story(stream.id(), state, point.position));
  return point;
}

void HappensBefore::wait_for_value(const Stream& stream, uint64_t number,
                                   const device::ValueOperation& wait, Clock& clock) {
  bool any = false;
  if (const auto known = written_.find(wait.address); known != written_.end())
    for (const WrittenValue& written : known->second) {
      if (!device::holds(wait.comparison, written.value, wait.value, wait.bytes)) continue;
      clock.join(written.clock);
      any = true;
    }
  if (any) return;
  // No semaphore's identifier is that large.
  const uint64_t semaphore = ++own_semaphores_ | uint64_t{1} << 63;
  open_values_.push_back({wait, stream.id(), number, semaphore});
  semaphores_.wait_for(stream.id(), number, semaphore, clock);
}

void HappensBefore::write_value(const device::ValueOperation& write, const Clock& known) {
  constexpr size_t most_values = 64;
  auto& written = written_[write.address];
  const auto same = std::ranges::find(written, write.value, &WrittenValue::value);
  if (same != written.end()) {
    same->clock.join(known);
  } else if (written.size() < most_values) {
    written.push_back({write.value, known});
  } else {
    // A number that rises with each write: the oldest one counts as the newest.
    written.front().value = write.value;
    written.front().clock.join(known);
    std::rotate(written.begin(), written.begin() + 1, written.end());
  }
  for (const OpenValue& open : open_values_)
    if (open.wait.address == write.address &&
        device::holds(open.wait.comparison, write.value, open.wait.value, open.wait.bytes))
      signals_.push_back({open.semaphore, 1, false, known});
}

Clock HappensBefore::everything() {
  Clock clock = host_;
  for (auto& [id, state] : streams_) clock.join(story(id, state, state.position));
  return clock;
}

void HappensBefore::completed(const Stream& stream, uint64_t number) {
  if (telling_.erase({stream.id(), number}) != 0) waited_for(stream, number);
  tell_signals();
  const auto value = std::ranges::find_if(open_values_, [&](const OpenValue& open) {
    return open.stream == stream.id() && open.number == number;
  });
  const bool is_value = value != open_values_.end();
  if (is_value) open_values_.erase(value);
  if (semaphores_.any())
    learn(semaphores_.completed(stream.id(), number, is_value ? everything() : told_others_));
}

Point HappensBefore::between(const Stream& stream) {
  tell_signals();
  StreamState& state = streams_[stream.id()];
  return advance(stream, state, state.position | 1, before(stream, state));
}

void HappensBefore::ended(const Stream& stream) { streams_.erase(stream.id()); }

Clock HappensBefore::clock(uint64_t stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? Clock() : found->second.clock;
}

void HappensBefore::join_edges(Clock& clock, const Stream& stream, const Operation& operation) {
  visit_all(operation, [&](const Operation& one) {
    one.each_edge([&](const exec::Edge& edge) { join_edge(clock, stream, edge); });
  });
}

void HappensBefore::join_edge(Clock& clock, const Stream& stream, const exec::Edge& edge) {
  if (!edge.timeline) return;
  const auto* other = dynamic_cast<const Stream*>(edge.timeline.get());
  uint64_t number = edge.value;
  exec::Edge launch;
  if (!other && dynamic_cast<const device::ForeignRecord*>(edge.timeline.get())) {
    clock.join(told_others_);
    return;
  }
  if (!other) {
    // An event that a graph records.
    const auto* marker = dynamic_cast<const device::GraphMarker*>(edge.timeline.get());
    if (!marker) return;
    launch = marker->blocked_on();
    other = static_cast<const Stream*>(launch.timeline.get());
    number = launch.value;
  }
  if (other->id() == stream.id()) return;
  const auto found = streams_.find(other->id());
  if (found != streams_.end()) clock.join(story(other->id(), found->second, 2 * number));
}

void HappensBefore::waited_for(const Stream& stream, uint64_t number) {
  const auto found = streams_.find(stream.id());
  // If the wait was for the whole stream, what takes place right after the command is over, too.
  if (found != streams_.end()) host_.join(story(stream.id(), found->second, 2 * number + 1));
}

bool HappensBefore::is_told_by_end(const Operation& operation) {
  return operation.kind == device::OperationKind::event_record ||
         operation.kind == device::OperationKind::graph ||
         operation.kind == device::OperationKind::semaphore_wait ||
         operation.kind == device::OperationKind::value_wait;
}

bool HappensBefore::is_told_by_start(const Operation& operation) {
  bool found = false;
  visit_all(operation, [&](const Operation& one) { found = found || one.calls_host(); });
  return found;
}

void HappensBefore::started(const Stream& stream, uint64_t number, const Operation& operation) {
  if (operation.calls_host()) return calls_host(stream, number);
  // The host's knowledge from a function among the steps cannot be determined more closely.
  if (is_told_by_start(operation)) waited_for(stream, number);
}

void HappensBefore::synchronising(const device::Context& context, device::Streams which) {
  waiting_[std::this_thread::get_id()] =
      which == device::Streams::all ? all_of(context) : blocking_of(context);
}

bool HappensBefore::synchronised() {
  const auto wait = waiting_.find(std::this_thread::get_id());
  if (wait == waiting_.end()) return false;  // attached in between
  host_learns(wait->second);
  waiting_.erase(wait);
  return true;
}

void HappensBefore::calls_host(const Stream& stream, uint64_t number) {
  const auto found = streams_.find(stream.id());
  if (found != streams_.end()) host_.join(story(stream.id(), found->second, 2 * number - 1));
}

void HappensBefore::joins_context(const Stream& stream) {
  StreamState& state = streams_[stream.id()];
  Clock clock = before(stream, state);
  clock.join(all_of(stream.context()));
  advance(stream, state, state.position | 1, std::move(clock));
}

Clock HappensBefore::all_of(const device::Context& context) {
  Clock clock = contexts_[context.generation()].all;
  clock.raise(chain_of_all(context.generation()), sequence_);
  return clock;
}

Clock HappensBefore::blocking_of(const device::Context& context) {
  Clock clock = contexts_[context.generation()].blocking;
  clock.raise(chain_of_blocking(context.generation()), sequence_);
  return clock;
}

}  // namespace cuvette::check
