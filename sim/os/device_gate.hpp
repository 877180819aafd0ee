// SPDX-License-Identifier: Apache-2.0
// DeviceGate: keeps host threads off device memory where there is no protection key.
//
// The pages themselves have no rights while no thread holds a DeviceAccess: the first one to come
// opens the gate for all threads, and the last one to leave closes it. So a host thread is stopped
// whenever the devices are idle, and not while a command runs. Opening and closing cost time in
// proportion to the memory that is populated, so where they would take more than a quarter of the
// program's time, the gate stays open for a while.
//
// Threads: set_up() once, before the others; the others from any thread. The fault handler comes
// here, too: code that holds the lock touches no device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "sim/mutex.hpp"

namespace cuvette::os {

namespace detail {
extern bool device_gate;  // whether there is one
}

class DeviceGate {
 public:
  static void set_up();
  static DeviceGate& get();

  // For DeviceAccess. Neither does anything if the thread has done it already.
  void enter() EXCLUDES(mutex_);
  void leave() EXCLUDES(mutex_);

  // Opens the gate until a command has run, for a host thread that goes on after its report.
  void let_through() EXCLUDES(mutex_);
  // Whether the address is in memory that the gate guards, open or not.
  bool guards(uint64_t address) EXCLUDES(mutex_);

  // While a Change lives, the gate neither opens nor closes; for whoever maps pages. It holds the
  // gate's lock, if there is a gate, which the analysis of locks cannot know.
  class Change {
   public:
    explicit Change(DeviceGate* gate);  // null: there is no gate
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    // Returns the rights that guarded pages get now if they are to have `protection`.
    int now(int protection) const CUVETTE_THREAD_ATTRIBUTE(no_thread_safety_analysis);
    // Has the gate guard [address, address + size), or not any more.
    void guard(uint64_t address, size_t size, int protection)
        CUVETTE_THREAD_ATTRIBUTE(no_thread_safety_analysis);
    void forget(uint64_t address, size_t size) CUVETTE_THREAD_ATTRIBUTE(no_thread_safety_analysis);

   private:
    DeviceGate* const gate_;
  };

  // For tests and benchmarks: how often it was closed.
  uint64_t closings() EXCLUDES(mutex_);

 private:
  struct Guarded {
    uint64_t end;
    int protection;
  };
  void open() REQUIRES(mutex_);
  void close() REQUIRES(mutex_);
  bool affordable() const REQUIRES(mutex_);
  void cut(uint64_t at) REQUIRES(mutex_);

  Mutex mutex_;
  std::map<uint64_t, Guarded> guarded_ GUARDED_BY(mutex_);
  size_t inside_ GUARDED_BY(mutex_) = 0;  // threads
  bool open_ GUARDED_BY(mutex_) = false;
  uint64_t closings_ GUARDED_BY(mutex_) = 0;
  int64_t spent_ns_ GUARDED_BY(mutex_) = 0;  // with opening and closing
  int64_t since_ns_ GUARDED_BY(mutex_) = 0;
};

inline bool has_device_gate() { return detail::device_gate; }
// Returns the gate, or null if there is none.
inline DeviceGate* device_gate() { return has_device_gate() ? &DeviceGate::get() : nullptr; }

}  // namespace cuvette::os
