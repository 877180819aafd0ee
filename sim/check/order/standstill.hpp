// SPDX-License-Identifier: Apache-2.0
// StandstillObserver: notices that nothing which is pending can ever go on, reports it, and ends
// the wait (CUVETTE_CHECK=sync).
//
// The machine stands still when, for a while, nothing is submitted, begins or ends, and everything
// that has begun waits: for a value, a semaphore, or, in a kernel, for something that other threads
// would have to write. If then no thread of the program runs, nothing can change that. A
// thread in a system call may yet come back, and another process may signal what it can reach, so
// those get more time.
//
// If its work stands still, a context fails with CUDA_ERROR_LAUNCH_TIMEOUT, which ends kernels and
// waits; the program's own calls return.
//
// Threads: any; one of its own looks, from the first command on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

class StandstillObserver final : public device::Observer, public watch::KernelObserver {
 public:
  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override EXCLUDES(mutex_);
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void kernel_waits(const device::Stream& stream, uint64_t number,
                    const device::Operation& operation, const device::KernelCall& call,
                    const watch::KernelWatch& watch, int64_t ns) override EXCLUDES(mutex_);

 private:
  // A command that has begun.
  struct Begun {
    device::OperationKind kind{};
    const void* call_site = nullptr;
    uint64_t address = 0;        // that it waits for, if it waits for a word
    std::string condition;       // in words, of a wait
    bool by_others = false;      // other processes may let it go on
    std::string kernel, thread;  // that waits, and what its last access was
    bool in_block = false;       // it waits for shared memory, which its own block alone can change
    int64_t waited_ns = 0;       // how long the kernel had been waiting
    int64_t at = 0;              // when it said so; 0: it does not wait
  };
  using Key = std::pair<const device::Stream*, uint64_t>;

  void begin_to_look() REQUIRES(mutex_);
  void look();
  // Whether everything that has begun waits, and has done so since a time.
  bool stands_still(int64_t since, int64_t now) const REQUIRES(mutex_);
  std::string advice() const REQUIRES(mutex_);
  // How long it has to stand still, in nanoseconds, before it is said to do so for ever.
  int64_t patience() const REQUIRES(mutex_);
  Report report() const REQUIRES(mutex_);
  void end_it() REQUIRES(mutex_);

  Mutex mutex_;
  std::map<Key, Begun> begun_ GUARDED_BY(mutex_);
  uint64_t submitted_ GUARDED_BY(mutex_) = 0, completed_ GUARDED_BY(mutex_) = 0;
  uint64_t changes_ GUARDED_BY(mutex_) = 0;
  bool looks_ GUARDED_BY(mutex_) = false;
};

}  // namespace cuvette::check
