// SPDX-License-Identifier: Apache-2.0
// Observer: sees every command submitted, started and completed, with its footprint and its edges.
//
// Without an observer an event costs one load.
//
// Threads: submitted() is called by the submitting thread, in the order of the stream; started()
// and completed() by the runner; the others, attach() and detach() by any thread. Threads that are
// inside a notification may still call a detached observer, so it must live on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/launch_watch.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/exec/schedule.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::exec {
struct GridFault;
}

namespace cuvette::device {

class Context;
struct Misuse;
class Stream;

// Streams of a context: all, or the legacy stream and the streams that wait for it. Who waits for
// the legacy stream waits for them.
enum class Streams : uint8_t { all, blocking };

class Observer {
 public:
  // The program has made a stream. A context's legacy stream is there without that.
  virtual void created(const Stream& stream) {}
  // `number` counts the stream's commands from 1; the stream's timeline has this value when the
  // command is completed.
  virtual void submitted(const Stream& stream, uint64_t number, const Operation& operation) {}
  virtual void started(const Stream& stream, uint64_t number, const Operation& operation) {}
  virtual void completed(const Stream& stream, uint64_t number, const Operation& operation) {}
  // The same for the steps of a graph launch if a schedule decides their order. All steps are
  // submitted when the launch starts; step_held() is called when a step could run and gets its
  // delay, step_started() when it runs.
  virtual void step_submitted(const Stream& stream, const exec::Step& step, const char* what,
                              const void* call_site) {}
  virtual void step_held(const Stream& stream, const exec::Step& step, const exec::Delay& delay) {}
  virtual void step_started(const Stream& stream, const exec::Step& step) {}
  // A kernel begins, under a schedule: a separate command, or part of a launched graph.
  virtual void grid_started(const Stream& stream, uint64_t number, uint64_t blocks, uint64_t warps,
                            exec::KernelOrder order) {}
  // The operation touched memory that does not exist. Its context gets the error after this call.
  virtual void faulted(const Stream& stream, uint64_t number, const Operation& operation,
                       const os::MemoryFault& fault) {}
  // A kernel did something illegal. Its context gets the error after this call.
  virtual void kernel_faulted(const Stream& stream, uint64_t number, const Operation& operation,
                              const exec::GridFault& fault) {}
  // A kernel begins, and checks need its accesses or footprint. Returns what watches it until it
  // has ended, or null; one observer of all does.
  virtual std::unique_ptr<LaunchWatch> watch_launch(const Stream& stream, uint64_t number,
                                                    const Operation& operation) {
    return nullptr;
  }
  // A command is about to write the region, or makes it as good as new. Only with Needs::taint,
  // like copying().
  virtual void writing(const memory::Region& region) {}
  virtual void renewing(const memory::Region& region) {}
  // The operation is about to copy.
  virtual void copying(const Operation& copy) {}
  // A call or a command turned out to be a mistake of the program.
  virtual void misused(const Misuse& misuse) {}
  // The schedule decided whether something happens that may or may not: decision number `question`
  // of the run.
  virtual void chose(uint64_t question, bool yes) {}
  // The calling host thread knows that `stream` has completed its commands up to `number`, and may
  // rely on it, as the documentation promises. Waits that it does not promise are not reported.
  virtual void waited_for(const Stream& stream, uint64_t number) {}
  // The same for streams of a context: what was submitted before synchronising() is completed
  // when the same thread calls synchronised().
  virtual void synchronising(const Context& context, Streams which) {}
  virtual void synchronised(const Context& context, Streams which) {}
  // Commands submitted to `stream` from now on come after everything submitted to its context so
  // far.
  virtual void joined_context(const Stream& stream) {}
  // From lent() on, work in `stream` may touch `memory`, which a graphics API has lent. The right
  // ends once `stream` has completed what it has when given_back() is called.
  virtual void lent(const Stream& stream, const memory::Allocation& memory, const void* call_site) {
  }
  virtual void given_back(const Stream& stream, const memory::Allocation& memory,
                          const void* call_site) {}
  // The program frees the memory, at Allocation::freed_at: it unmaps, unregisters or closes it.
  virtual void freed(const memory::Allocation& memory) {}
  // The program ends the context. Its work may still run. Memory that ends with it is not freed().
  virtual void context_ending(const Context& context) {}
  // The stream is being destroyed.
  virtual void ended(const Stream& stream) {}
  // Returns true if commands keep edges to work that is already completed. (Edges between the
  // legacy stream and blocking ones follow from the kinds of the streams and the order of
  // submission, so they are left out where there is nothing to wait for.)
  virtual bool wants_edges() const { return false; }

 protected:
  ~Observer() = default;
};

// A list of observers of one class. Without any, notify() costs one load. It has no destructor, so
// that it can be a global: commands may run while the process exits.
template <typename One>
class ObserverList {
 public:
  void attach(One& observer) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<One*> observers = known();
    observers.push_back(&observer);
    replace(std::move(observers));
  }
  void detach(One& observer) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<One*> observers = known();
    std::erase(observers, &observer);
    replace(std::move(observers));
  }

  template <typename Member, typename... Arguments>
  void notify(Member member, const Arguments&... arguments) const {
    if (const List* list = list_.load(std::memory_order_acquire)) [[unlikely]]
      for (One* observer : list->observers) (observer->*member)(arguments...);
  }
  bool any(bool (One::*wants)() const) const {
    if (const List* list = list_.load(std::memory_order_acquire)) [[unlikely]]
      for (const One* observer : list->observers)
        if ((observer->*wants)()) return true;
    return false;
  }
  // Returns the first answer that is not null.
  template <typename Answer, typename... Arguments>
  Answer ask(Answer (One::*member)(Arguments...),
             std::type_identity_t<Arguments>... arguments) const {
    if (const List* list = list_.load(std::memory_order_acquire)) [[unlikely]]
      for (One* observer : list->observers)
        if (Answer answer = (observer->*member)(arguments...)) return answer;
    return nullptr;
  }

 private:
  struct List {
    std::vector<One*> observers;
    const List* older;  // a thread inside notify() may still hold an old one
  };
  std::vector<One*> known() const REQUIRES(mutex_) {
    return newest_ ? newest_->observers : std::vector<One*>();
  }
  void replace(std::vector<One*> observers) REQUIRES(mutex_) {
    newest_ = new List{std::move(observers), newest_};
    list_.store(newest_->observers.empty() ? nullptr : newest_, std::memory_order_release);
  }

  Mutex mutex_;
  const List* newest_ GUARDED_BY(mutex_) = nullptr;
  std::atomic<const List*> list_{nullptr};  // the newest one; null if it is empty
};

class Observers : public ObserverList<Observer> {
 public:
  bool want_edges() const { return any(&Observer::wants_edges); }
};

namespace internal {
inline constinit Observers observers;
static_assert(std::is_trivially_destructible_v<Observers>);
}  // namespace internal

// Returns the observers of this process's machine.
inline Observers& observers() { return internal::observers; }

}  // namespace cuvette::device
