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

#include "sim/exec/schedule.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/mutex.hpp"
#include "sim/os/fault.hpp"
#include "sim/stream/operation.hpp"

namespace cuvette::exec {
struct GridFault;
}

namespace cuvette::device {

class Context;
class KernelCall;
struct Misuse;
class Stream;

class Observer {
 public:
  // `number` counts the stream's commands from 1; it is the value that the stream's timeline
  // reaches with it.
  virtual void submitted(const Stream& stream, uint64_t number, const Operation& operation) {}
  virtual void started(const Stream& stream, uint64_t number, const Operation& operation) {}
  virtual void completed(const Stream& stream, uint64_t number, const Operation& operation) {}
  // The same for the steps of a graph's launch, where a schedule decides their order: all steps are
  // submitted when the launch starts, each is told of when it becomes possible, and when it runs.
  virtual void step_submitted(const Stream& stream, const exec::Step& step, const char* what,
                              const void* call_site) {}
  virtual void step_held(const Stream& stream, const exec::Step& step, const exec::Delay& delay) {}
  virtual void step_started(const Stream& stream, const exec::Step& step) {}
  // The operation touched memory that is not there; its context has an error now.
  virtual void faulted(const Stream& stream, uint64_t number, const Operation& operation,
                       const os::MemoryFault& fault) {}
  // A kernel did what it may not; its context has an error now.
  virtual void kernel_faulted(const Stream& stream, uint64_t number, const Operation& operation,
                              const KernelCall& call, const exec::GridFault& fault) {}
  // A call or a command that the program should not have made.
  virtual void misused(const Misuse& misuse) {}
  // The schedule decided whether something that may happen does: the `question`-th such decision of
  // the run.
  virtual void chose(uint64_t question, bool yes) {}
  // The calling host thread knows that `stream` has completed its commands up to `number`, and may
  // rely on it: the documentation says so. Waits that it does not promise are not told.
  virtual void waited_for(const Stream& stream, uint64_t number) {}
  // The same of all streams of a context: what was submitted before synchronising() is completed
  // when the same thread comes to synchronised().
  virtual void synchronising(const Context& context) {}
  virtual void synchronised(const Context& context) {}
  // What comes into `stream` from here on comes after all that was submitted to its context by now.
  virtual void joined_context(const Stream& stream) {}
  // From here on work in `stream` may touch `memory`, which a graphics API has lent; and no more,
  // once `stream` has done what it has by now.
  virtual void lent(const Stream& stream, const memory::Allocation& memory, const void* call_site) {
  }
  virtual void given_back(const Stream& stream, const memory::Allocation& memory,
                          const void* call_site) {}
  // Nobody will name the stream again.
  virtual void ended(const Stream& stream) {}
  // True: commands have edges also where what they wait for is over already. (Those between the
  // legacy stream and blocking ones follow from the kinds of the streams, in the order in which
  // commands are submitted; they are named only where there is something to wait for.)
  virtual bool wants_edges() const { return false; }

 protected:
  ~Observer() = default;
};

class Observers {
 public:
  void attach(Observer& observer) EXCLUDES(mutex_);
  void detach(Observer& observer) EXCLUDES(mutex_);

  bool want_edges() const {
    if (const List* list = list_.load(std::memory_order_acquire)) [[unlikely]]
      for (const Observer* observer : *list)
        if (observer->wants_edges()) return true;
    return false;
  }

  template <typename Member, typename... Arguments>
  void notify(Member member, const Arguments&... arguments) const {
    if (const List* list = list_.load(std::memory_order_acquire)) [[unlikely]]
      for (Observer* observer : *list) (observer->*member)(arguments...);
  }

 private:
  using List = std::vector<Observer*>;
  void replace(List list) REQUIRES(mutex_);

  Mutex mutex_;
  // Every list there was: a thread inside notify() may still hold an old one.
  std::vector<std::unique_ptr<const List>> lists_ GUARDED_BY(mutex_);
  std::atomic<const List*> list_{nullptr};  // the last of them, null if it is empty
};

}  // namespace cuvette::device
