// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/poller.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "sim/exec/exit_gate.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/process.hpp"

namespace cuvette::exec {
namespace {

// In nanoseconds. The poller sleeps for a sixteenth of the wait so far, so that a look is late by
// only a small part of what was waited anyway.
constexpr int64_t shortest_sleep = 20'000, longest_sleep = 1'000'000, sleep_part = 16;

int64_t sleep_after(int64_t waited) {
  return std::clamp(waited / sleep_part, shortest_sleep, longest_sleep);
}

}  // namespace

Poller& Poller::get() {
  static Poller& the_poller = *new Poller;
  return the_poller;
}

Result<> Poller::start() {
  MutexLock lock(mutex_);
  if (started_) return {};
  std::thread thread = os::start_thread("cuvette-poller", [this] { serve(); });
  if (!thread.joinable())
    return refuse(Error::out_of_memory, "The system provides no thread to wait for values.");
  thread.detach();
  started_ = true;
  return {};
}

void Poller::watch(Ref<Polled> polled, bool writers_report) {
  const uint64_t begin = polled->begin_, end = polled->end_;
  {
    MutexLock lock(mutex_);
    polled->writers_report_ = writers_report;
    if (polled->begin_ < polled->end_) {
      lowest_.store(std::min(lowest_.load(std::memory_order_relaxed), polled->begin_),
                    std::memory_order_relaxed);
      highest_.store(std::max(highest_.load(std::memory_order_relaxed), polled->end_),
                     std::memory_order_relaxed);
    }
    since_ = os::now_ns();
    polled_.push_back(std::move(polled));
  }
  changed_.notify_one();
  // It may have been written just before a writer could have reported it.
  if (writers_report) look_at(begin, end);
}

bool Poller::patient() const {
  return std::all_of(polled_.begin(), polled_.end(),
                     [](const Ref<Polled>& one) { return one->writers_report_; });
}

size_t Poller::watched() {
  MutexLock lock(mutex_);
  return polled_.size();
}

template <typename Concerned>
std::vector<Ref<Polled>> Poller::take_what_came(const Concerned& concerned) {
  std::vector<Ref<Polled>> came;
  std::erase_if(polled_, [&](Ref<Polled>& one) {
    if (!concerned(*one) || !one->look()) return false;
    came.push_back(std::move(one));
    return true;
  });
  if (came.empty()) return came;
  for (const Ref<Polled>& one : came) one->advance(1);
  since_ = os::now_ns();
  uint64_t lowest = UINT64_MAX, highest = 0;
  for (const Ref<Polled>& one : polled_) {
    if (one->begin_ >= one->end_) continue;
    lowest = std::min(lowest, one->begin_);
    highest = std::max(highest, one->end_);
  }
  // With release, so that a writer whose range is outside may rely on the waiters having been
  // woken.
  lowest_.store(lowest, std::memory_order_release);
  highest_.store(highest, std::memory_order_release);
  return came;
}

void Poller::look_at(uint64_t begin, uint64_t end) {
  std::vector<Ref<Polled>> came;  // destroyed without the lock
  MutexLock lock(mutex_);
  came = take_what_came([&](const Polled& one) { return begin < one.end_ && one.begin_ < end; });
}

void Poller::serve() {
  Spinner spinner(Spinner::usual);
  for (;;) {
    bool spins = true;
    std::vector<Ref<Polled>> came;  // destroyed without the lock
    {
      MutexLock lock(mutex_);
      if (polled_.empty()) {
        changed_.wait(mutex_);
        spinner.restart();
      }
      if (!ExitGate::get().begin()) return;  // the process exits
      came = take_what_came([](const Polled&) { return true; });
      rounds_.fetch_add(1, std::memory_order_relaxed);
      spins = !patient();
    }
    const bool some = !came.empty();
    // Frees the vector's memory, too: a child that the program forks does not have this thread to
    // do it.
    came = {};
    ExitGate::get().end();
    if (some) spinner.restart();
    if (spins && spinner.spin()) continue;

    MutexLock lock(mutex_);
    if (polled_.empty()) continue;
    const int64_t before = since_;
    const int64_t sleep = patient() ? longest_sleep : sleep_after(os::now_ns() - since_);
    changed_.wait_for(mutex_, std::chrono::nanoseconds(sleep));
    if (since_ != before) spinner.restart();  // a new one, which may come soon
  }
}

}  // namespace cuvette::exec
