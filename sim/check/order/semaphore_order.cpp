// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/semaphore_order.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cuvette::check {
namespace {

// How many values of a timeline, and settled waits of a stream, are remembered. Older ones count as
// knowing more than they did, so that no correct program is accused.
constexpr size_t most_values = 4096, most_settled = 1024;

}  // namespace

void SemaphoreOrder::wait(uint64_t stream, uint64_t number, const device::SemaphoreAction& action,
                          Clock& clock) {
  Semaphore& semaphore = semaphores_[action.semaphore().id()];
  const bool binary = action.semaphore().kind() == device::SemaphoreKind::binary;
  if (binary) {
    if (semaphore.untaken > 0) {
      --semaphore.untaken;
      clock.join(semaphore.all);
      return;
    }
  } else if (const auto signal = semaphore.reached.lower_bound(action.value());
             signal != semaphore.reached.end()) {
    clock.join(signal->second);
    return;
  }
  open_.push_back({stream, number, action.semaphore().id(), action.value(), binary, std::nullopt});
  clock.raise(chain_of_open(stream), number);
}

void SemaphoreOrder::wait_for(uint64_t stream, uint64_t number, uint64_t timeline, Clock& clock) {
  open_.push_back({stream, number, timeline, 1, false, std::nullopt});
  clock.raise(chain_of_open(stream), number);
}

SemaphoreOrder::Signal SemaphoreOrder::signal_of(const device::SemaphoreAction& action,
                                                 const Clock& clock) {
  return {action.semaphore().id(), action.value(),
          action.semaphore().kind() == device::SemaphoreKind::binary, clock};
}

std::vector<SemaphoreOrder::Learnt> SemaphoreOrder::signal(const Signal& signal) {
  const auto& [id, value, binary, clock] = signal;
  Semaphore& semaphore = semaphores_[id];
  if (binary) {
    semaphore.all.join(clock);
    ++semaphore.untaken;
  } else {
    auto& reached = semaphore.reached;
    auto own = reached.lower_bound(value);
    if (own == reached.end() || own->first != value) {
      // A new value knows what came before the next lower one.
      Clock lower = own == reached.begin() ? Clock() : std::prev(own)->second;
      own = reached.emplace_hint(own, value, std::move(lower));
    }
    for (auto at = own; at != reached.end(); ++at) at->second.join(clock);
    if (reached.size() > most_values) reached.erase(reached.begin());
  }

  std::vector<Learnt> learnt;
  for (size_t i = 0; i < open_.size();) {
    Open& wait = open_[i];
    const bool ends = wait.semaphore == id && !wait.after &&
                      (binary ? semaphore.untaken > 0 : wait.value <= value) &&
                      // A wait that comes before this signal does not count.
                      clock.of(chain_of_open(wait.stream)) < wait.number;
    if (!ends) {
      ++i;
      continue;
    }
    if (binary) --semaphore.untaken;
    wait.after = binary ? clock : semaphore.reached.lower_bound(wait.value)->second;
    if (behind_open(*wait.after)) {
      ++i;
      continue;
    }
    Open done = std::move(wait);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    settle(std::move(done), learnt);
  }
  settle_more(learnt);
  return learnt;
}

std::vector<SemaphoreOrder::Learnt> SemaphoreOrder::completed(uint64_t stream, uint64_t number,
                                                              const Clock& outside) {
  std::vector<Learnt> learnt;
  for (size_t i = 0; i < open_.size();) {
    if (open_[i].stream != stream || open_[i].number != number) {
      ++i;
      continue;
    }
    Open done = std::move(open_[i]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!done.after) done.after = Clock();
    done.after->join(outside);
    settle(std::move(done), learnt);
  }
  if (!learnt.empty()) settle_more(learnt);
  return learnt;
}

void SemaphoreOrder::settle(Open wait, std::vector<Learnt>& learnt) {
  auto& settled = settled_[wait.stream];
  auto at =
      std::upper_bound(settled.begin(), settled.end(), wait.number,
                       [](uint64_t number, const Settled& other) { return number < other.number; });
  Clock clock = at == settled.begin() ? Clock() : std::prev(at)->clock;
  clock.join(*wait.after);
  at = settled.insert(at, {wait.number, clock});
  for (; at != settled.end(); ++at) at->clock.join(*wait.after);
  if (settled.size() > most_settled) settled.pop_front();
  for (Open& other : open_)
    if (other.after && other.after->of(chain_of_open(wait.stream)) >= wait.number)
      other.after->join(clock);
  learnt.push_back({wait.stream, std::move(clock)});
}

void SemaphoreOrder::settle_more(std::vector<Learnt>& learnt) {
  for (;;) {
    const auto free = std::find_if(open_.begin(), open_.end(), [&](const Open& wait) {
      return wait.after && !behind_open(*wait.after);
    });
    if (free == open_.end()) return;
    Open done = std::move(*free);
    open_.erase(free);
    settle(std::move(done), learnt);
  }
}

const Clock* SemaphoreOrder::settled_for(const std::deque<Settled>& settled, uint64_t number) {
  if (number == 0 || settled.empty()) return nullptr;
  const auto after =
      std::upper_bound(settled.begin(), settled.end(), number,
                       [](uint64_t number, const Settled& other) { return number < other.number; });
  // The first one stands for the forgotten ones.
  if (after == settled.begin()) return settled.size() < most_settled ? nullptr : &after->clock;
  return &std::prev(after)->clock;
}

bool SemaphoreOrder::behind_open(const Clock& clock) const {
  return std::any_of(open_.begin(), open_.end(), [&](const Open& wait) {
    return clock.of(chain_of_open(wait.stream)) >= wait.number;
  });
}

}  // namespace cuvette::check
