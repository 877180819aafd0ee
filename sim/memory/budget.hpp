// SPDX-License-Identifier: Apache-2.0
// Budget: how many more bytes of the machine's memory devices may touch.
//
// Without it the kernel would kill a process when the machine, or the cgroup, has no memory left;
// with it the program gets out_of_memory before that. The machine is asked what it has left only
// when a grant of at most 256 MiB is used up; in between, a debit is one atomic subtraction.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/os/process.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::memory {

class Budget {
 public:
  // `limited`: whether device memory counts when it is allocated, and not only when it is touched.
  // Kernels touch memory without asking, and a control group with a limit kills the process then.
  explicit Budget(bool limited = os::memory_is_limited());

  // Registers a segment with memory that will be promised.
  void add(Ref<os::Segment> segment);
  // Removes a segment: nothing of it is promised any more.
  void remove(const os::Segment& segment);

  // Promises `bytes` of device memory: they may be touched from now on. Errors: out_of_memory, with
  // a sentence on stderr.
  Result<> promise(size_t bytes);
  // Takes a promise back: the bytes have been discarded and will not be touched without a new one.
  void take_back(size_t bytes);

  // Counts `bytes` of device memory as allocated, with which a device has `used`. Errors:
  // out_of_memory, with a sentence on stderr, if that is more than the machine has to give, or if
  // devices would have more in all than a control group allows.
  Result<> grant(size_t bytes, size_t used) {
    if (used > most_.load(std::memory_order_relaxed)) [[unlikely]]
      TRY(refuse_beyond_machine(bytes, used));
    return limited_ ? grant_some(bytes) : Result<>();
  }
  void withdraw(size_t bytes) {
    if (limited_) allocated_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  // Returns how many bytes devices may touch in all, including what they have touched. The number
  // stays the same until the machine has far less or more to give, so that a program which only
  // queries it does not see it change all the time.
  size_t most();

  // Debits host memory; once touched, it shows in what the machine has left. Errors: out_of_memory,
  // with a sentence on stderr.
  Result<> spend(size_t bytes);

 private:
  Result<> refuse_beyond_machine(size_t bytes, size_t used);
  Result<> grant_some(size_t bytes);
  Result<> debit(size_t bytes);
  Result<> ask_the_machine(size_t bytes);
  bool may_say_so() REQUIRES(mutex_);

  const bool limited_;
  std::atomic<size_t> allocated_{0};
  std::atomic<int64_t> grant_{0};
  std::atomic<int64_t> promised_{0};
  Mutex mutex_;                        // held while the machine is asked
  size_t reserve_ GUARDED_BY(mutex_);  // bytes that are kept back
  int64_t last_sentence_ns_ GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> most_;  // written under the mutex
  int64_t most_asked_ns_ GUARDED_BY(mutex_);
  std::vector<Ref<os::Segment>> segments_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::memory
