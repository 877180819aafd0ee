// SPDX-License-Identifier: Apache-2.0
// Observer: sees every command submitted, started and completed, with its footprint and its edges.
//
// Without an observer nothing is paid but one load per event.
//
// Threads: the functions are called from any thread: submitted() from the submitting one, in the
// order of the stream; started() and completed() from the runner. attach() and detach() from any; a
// detached observer may still be called by threads that are inside a notification, so it must live
// on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/device/command.hpp"
#include "sim/device/misuse.hpp"
#include "sim/mutex.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::device {

class Stream;

class Observer {
 public:
  // `number` counts the stream's commands from 1; it is the value that the stream's timeline
  // reaches with it.
  virtual void submitted(const Stream& stream, uint64_t number, const Command& command) {}
  virtual void started(const Stream& stream, uint64_t number, const Command& command) {}
  virtual void completed(const Stream& stream, uint64_t number, const Command& command) {}
  // The command touched memory that is not there; its context has an error now.
  virtual void faulted(const Stream& stream, uint64_t number, const Command& command,
                       const os::MemoryFault& fault) {}
  // A call or a command that the program should not have made.
  virtual void misused(const Misuse& misuse) {}
  // Whether something happens that may happen, for the `question`-th such question of the run.
  virtual void chose(uint64_t question, bool yes) {}
  // The calling host thread knows that `stream` has completed its commands up to `number`.
  virtual void waited_for(const Stream& stream, uint64_t number) {}

 protected:
  ~Observer() = default;
};

class Observers {
 public:
  void attach(Observer& observer) EXCLUDES(mutex_);
  void detach(Observer& observer) EXCLUDES(mutex_);

  template <typename Member, typename... Arguments>
  void notify(Member member, const Arguments&... arguments) const {
    if (const List* list = list_.load(std::memory_order_acquire)) [[unlikely]]
      for (Observer* observer : *list) (observer->*member)(arguments...);
  }

 private:
  using List = std::vector<Observer*>;
  void replace(List list) REQUIRES(mutex_);

  Mutex mutex_;
  // Every list there was: who is inside notify() may still hold an old one.
  std::vector<std::unique_ptr<const List>> lists_ GUARDED_BY(mutex_);
  std::atomic<const List*> list_{nullptr};  // the last of them, null if it is empty
};

}  // namespace cuvette::device
