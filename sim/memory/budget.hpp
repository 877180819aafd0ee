// SPDX-License-Identifier: Apache-2.0
// Budget: how many more bytes of the machine's memory devices may come to touch.
//
// Without it the kernel's killer would come when the machine, or the cgroup, has no memory left;
// with it the program gets out_of_memory before. What the machine has left is asked for when a
// grant of at most 256 MiB is used up, so that in between a debit is one atomic subtraction.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/error.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::memory {

class Budget {
 public:
  Budget();

  // Memory of `segment` is promised.
  void add(Ref<os::Segment> segment);
  // Nothing of it is promised any more.
  void remove(const os::Segment& segment);

  // Promises `bytes` of device memory: they may be touched from now on. Errors: out_of_memory, with
  // a sentence on stderr.
  Result<> promise(size_t bytes);
  // They have been discarded and will not be touched without a new promise.
  void take_back(size_t bytes);

  // How many bytes devices may come to touch in all, with those that they have touched, as the
  // machine was when the devices came up or, if it has far less or more to give now, as it is: what
  // a program that only looks on is told must not change all the time.
  size_t most();

  // Debits host memory, which shows in what the machine has left once it is touched. Errors:
  // out_of_memory, with a sentence on stderr.
  Result<> spend(size_t bytes);

 private:
  Result<> debit(size_t bytes);
  Result<> ask_the_machine(size_t bytes);

  std::atomic<int64_t> grant_{0};
  std::atomic<int64_t> promised_{0};
  std::mutex mutex_;  // of those who ask the machine
  size_t reserve_;    // that nobody gets
  int64_t last_sentence_ns_ = 0;
  size_t most_;
  int64_t most_asked_ns_;
  std::vector<Ref<os::Segment>> segments_;
};

}  // namespace cuvette::memory
