// SPDX-License-Identifier: Apache-2.0
// Informs the driver where the program called the runtime, so that its reports name the program.
//
// Threads: any.
#pragma once

#include <utility>

#include "api/runtime/thread.hpp"

namespace cuvette::runtime {

namespace detail {
// Returns the calling thread's slot in the driver; for a driver without one, a slot that is never
// read. Sets what the thread keeps of a driver that records calls.
const void** find_call_site_slot(Thread& thread) noexcept;

// Inform the driver, if it supports this.
[[gnu::cold]] void tell_failure(cudaError_t error, bool unseen) noexcept;
[[gnu::cold]] void tell_that_last_error_is_asked_for() noexcept;

inline const void** call_site_slot(Thread& thread) noexcept {
  if (thread.call_site_slot == nullptr) [[unlikely]]
    thread.call_site_slot = find_call_site_slot(thread);
  return thread.call_site_slot;
}
}  // namespace detail

// While one lives, calls of the driver are made on behalf of the program's call that returns to
// `return_address`. Functions of the runtime call each other, so the outermost one counts. A launch
// by <<<>>> is on behalf of that line, because the function that nvcc makes of it lies elsewhere.
class OnBehalfOfCall {
 public:
  // The driver takes the name of the function that this is part of.
  [[gnu::always_inline]] explicit OnBehalfOfCall(const void* return_address) noexcept
      : thread_(Thread::current()), slot_(detail::call_site_slot(thread_)) {
    if (*slot_ != nullptr) {
      slot_ = nullptr;
      return;
    }
    const void* const launch = std::exchange(thread_.launch_site, nullptr);
    is_launch_ = launch != nullptr;
    *slot_ = launch != nullptr ? launch : return_address;
    if (thread_.begin_call != nullptr) [[unlikely]]
      recorded_ = thread_.begin_call();
  }
  ~OnBehalfOfCall() {
    if (recorded_ != nullptr) [[unlikely]]
      thread_.end_call(recorded_, result_);
    if (slot_ != nullptr) *slot_ = nullptr;
  }
  OnBehalfOfCall(const OnBehalfOfCall&) = delete;
  OnBehalfOfCall& operator=(const OnBehalfOfCall&) = delete;

  // The calling thread's.
  Thread& thread() const noexcept { return thread_; }

  // Notes what the call returns.
  cudaError_t returns(cudaError_t result) const noexcept {
    result_ = result;
    return result;
  }

  // Says that the call fails with an error that is kept.
  void fails(cudaError_t error) const noexcept {
    if (slot_ != nullptr) detail::tell_failure(error, is_launch_);
  }

 private:
  Thread& thread_;
  const void** slot_;  // null in a call within another
  bool is_launch_ = false;
  void* recorded_ = nullptr;
  mutable cudaError_t result_ = cudaSuccess;
};

}  // namespace cuvette::runtime
