// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/turn_of_others.hpp"

#include <chrono>
#include <thread>

#include "sim/device/stream/stream.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::device {

namespace {

// There, a thread that is blocked outside of us runs what is held back after 20 ms, but is looked
// at only every 50 ms after a while (Scheduler::watch), and two commands are needed: the wait for
// our record, and what follows it.
//
// Only the time that was meant to be slept counts, in short sleeps: on a loaded machine each of
// them ends late, as those of the other process do.
constexpr std::chrono::milliseconds turn(250), nap(5);
constexpr int most_turns = 4;

}  // namespace

void TurnOfOthers::begin() {
  if (!exec::Scheduler::get()) return;
  // Never destroyed: commands may run while the process exits.
  [[maybe_unused]] static const bool attached = [] {
    observers().attach(*new TurnOfOthers);
    return true;
  }();
}

void TurnOfOthers::completed(const Stream& stream, uint64_t number, const Operation& operation) {
  if (!operation.tells_other_processes()) return;
  MutexLock lock(mutex_);
  next_[stream.id()] = number + 1;
}

void TurnOfOthers::started(const Stream& stream, uint64_t number, const Operation&) {
  {
    MutexLock lock(mutex_);
    const auto next = next_.find(stream.id());
    if (next == next_.end() || next->second != number || turns_ == most_turns) return;
    next_.erase(next);
    if (!stream.lane() || exec::Scheduler::get()->delay(*stream.lane(), number) == exec::Delay{})
      return;
    ++turns_;
  }
  for (auto left = turn; left.count() > 0; left -= nap) std::this_thread::sleep_for(nap);
}

}  // namespace cuvette::device
