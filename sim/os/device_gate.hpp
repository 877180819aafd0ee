// SPDX-License-Identifier: Apache-2.0
// DeviceGate: keeps host threads off device memory where the process has no protection key.
//
// The pages themselves have no rights. A thread that holds a DeviceAccess faults where it touches
// them first; the handler opens the memory around that place, for all threads, and the last one to
// give its DeviceAccess back closes what is open. So a host thread is stopped whenever the devices
// are idle, and while a command runs at all memory but that which the command has touched, and what
// lies near it. Opening and closing cost time in proportion to the memory that is used, so where
// they would take more than a quarter of the program's time, what is open stays so for a while.
//
// Threads: set_up() and before_entry() once, before the others; the others from any thread. The
// fault handler comes here, too: code that holds the lock touches no device memory. System calls on
// memory that is not open fail: a caller that needs one opens the memory first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/range_map.hpp"

namespace cuvette::os {

namespace detail {
extern bool device_gate;  // whether there is one
}

class DeviceGate {
 public:
  static void set_up();
  static DeviceGate& get();

  // `call` puts the fault handler in front of the program's, which would not know what to do
  // with a command's fault. Called whenever a thread enters. `fault_ns`: what a fault costs here.
  void before_entry(void (*call)(), int64_t fault_ns) EXCLUDES(mutex_);

  // For DeviceAccess. Neither does anything if the thread has done it already.
  void enter() EXCLUDES(mutex_);
  void leave() EXCLUDES(mutex_);
  static bool is_inside();  // the calling thread

  // Opens the memory around the address, until no thread is inside any more: to a command, or to a
  // host thread that goes on after its report. Returns false if that does not help: nothing is
  // mapped there, or the access is never allowed.
  bool open_at(uint64_t address, bool write) EXCLUDES(mutex_);
  // The same for a range, all of it. The caller is inside.
  void open_all(uint64_t address, size_t size) EXCLUDES(mutex_);
  // Whether the address is in memory that the gate guards, open or not.
  bool guards(uint64_t address) EXCLUDES(mutex_);

  // While a Change lives, nothing is opened or closed; for code that maps pages. It holds the
  // gate's lock, if there is a gate, which the analysis of locks cannot know.
  class Change {
   public:
    explicit Change(DeviceGate* gate);  // null: no gate
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    // Returns the rights that guarded pages get at first if they are to have `protection`.
    int at_first(int protection) const;
    // Has the gate guard [address, address + size), or not any more.
    void guard(uint64_t address, size_t size, int protection)
        CUVETTE_THREAD_ATTRIBUTE(no_thread_safety_analysis);
    void forget(uint64_t address, size_t size) CUVETTE_THREAD_ATTRIBUTE(no_thread_safety_analysis);

   private:
    DeviceGate* const gate_;
  };

 private:
  struct Guarded {
    int protection;  // when it is open
    bool open = false;
  };
  using Ranges = RangeMap<Guarded>;
  bool open(Ranges::iterator range) REQUIRES(mutex_);
  void close() REQUIRES(mutex_);
  bool affordable() const REQUIRES(mutex_);
  void cut(uint64_t at) REQUIRES(mutex_);

  Mutex mutex_;
  Ranges guarded_ GUARDED_BY(mutex_);
  std::vector<uint64_t> opened_ GUARDED_BY(mutex_);  // where ranges begin that were opened
  size_t inside_ GUARDED_BY(mutex_) = 0;             // threads
  std::atomic<void (*)()> before_entry_{nullptr};
  int64_t fault_ns_ GUARDED_BY(mutex_) = 0;
  int64_t spent_ns_ GUARDED_BY(mutex_) = 0;  // with opening and closing
  int64_t since_ns_ GUARDED_BY(mutex_) = 0;
};

inline bool has_device_gate() { return detail::device_gate; }
// Returns the gate, or null if there is none.
inline DeviceGate* device_gate() { return has_device_gate() ? &DeviceGate::get() : nullptr; }

}  // namespace cuvette::os
