// SPDX-License-Identifier: Apache-2.0
// Wraps the body of every entry point: checks that the driver is up, that this thread may call, and
// that there is a context; and turns an Error into a CUresult.
//
// Threads: any.
#pragma once

#include <new>

#include "sim/base/error.hpp"
#include "sim/base/record_format.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/exec/scheduler.hpp"

// Only the entry points include <cuda.h>; here its error type is a plain int, so that stubs, which
// have no signature, can share these checks.
namespace cuvette::driver {

// Returns the CUresult of an answer; 0 if it is good.
inline int code(const Result<>& result) {
  return result.ok() ? 0 : static_cast<int>(result.error());
}

// Returns 0, or why nothing works in this process or thread: NOT_INITIALIZED before cuInit and in a
// forked child, DEINITIALIZED once exit has begun, NOT_PERMITTED inside a host function,
// OUT_OF_MEMORY in a thread with too small a stack.
int check_initialised() noexcept;

// Returns 0, or why the current context cannot be used: INVALID_CONTEXT if there is none,
// CONTEXT_IS_DESTROYED, or the error of a command that failed in it, once a call has returned that.
int check_context() noexcept;

// Returns where the program called: the return address of the entry point, or of the per-thread
// twin around it. For this, everything between an entry point and call() must be always_inline.
const void* call_site();

// The context that a call may use. Errors: what check_context() says.
Result<device::Context*> usable_context();

namespace detail {
// Returns the slot in which a library that calls the driver for the program says where the program
// called it (cuvetteCallSite.h). It lives as long as the calling thread.
const void** on_behalf_of_slot();

// Remembers the call site for the duration of the call (nested calls keep the outer one). Returns
// what the record of this process has of the call, for leave(); null if it is not recorded.
record_format::Call* enter(const void* return_address);
[[gnu::cold]] void leave(record_format::Call* recorded, int result);

// Returns an address in the entry point that was entered last.
const void* entry_point();

// Puts into the log that the call that was entered is refused; says why on stderr, if
// CUVETTE_EXPLAIN asks for it.
[[gnu::cold]] void tell_refusal(int error);

template <typename Body>
int guarded(Body&& body) noexcept {
  try {
    return code(body());
  } catch (const std::bad_alloc&) {
    return static_cast<int>(Error::out_of_memory);
  }
}
}  // namespace detail

// Runs `body`, a function of no arguments that returns a Result<>, once the driver is up.
template <typename CUresult, typename Body>
[[gnu::always_inline]] inline CUresult call(Body&& body) noexcept {
  if (device::Machine::state() != device::Machine::State::running) [[unlikely]]
    return static_cast<CUresult>(check_initialised());
  if (device::Thread::current().barred() != device::Thread::Barred::no) [[unlikely]]
    return static_cast<CUresult>(check_initialised());
  record_format::Call* const recorded = detail::enter(__builtin_return_address(0));
  const int result = detail::guarded(body);
  if (result != 0) [[unlikely]]
    detail::tell_refusal(result);
  if (exec::Scheduler* const scheduler = exec::Scheduler::get()) [[unlikely]]
    scheduler->before_return();
  if (recorded) [[unlikely]]
    detail::leave(recorded, result);
  return static_cast<CUresult>(result);
}

// Returns who makes the call: the program, or a host function, which is a command that is running.
inline device::Stream::Asks who_asks() {
  return device::Thread::current().barred() == device::Thread::Barred::in_host_function
             ? device::Stream::Asks::command
             : device::Stream::Asks::program;
}

// Like call(), for what a host function may call, too. Under a schedule nothing runs before it
// returns there.
template <typename CUresult, typename Body>
[[gnu::always_inline]] inline CUresult call_also_in_host_function(Body&& body) noexcept {
  if (who_asks() == device::Stream::Asks::program) [[likely]]
    return call<CUresult>(body);
  if (device::Machine::state() != device::Machine::State::running)
    return static_cast<CUresult>(check_initialised());
  record_format::Call* const recorded = detail::enter(__builtin_return_address(0));
  const int result = detail::guarded(body);
  if (result != 0) detail::tell_refusal(result);
  if (recorded) [[unlikely]]
    detail::leave(recorded, result);
  return static_cast<CUresult>(result);
}

// Like call(), for functions that need a usable current context, which `body` gets.
template <typename CUresult, typename Body>
[[gnu::always_inline]] inline CUresult call_in_context(Body&& body) noexcept {
  return call<CUresult>([&]() -> Result<> { return body(*TRY(usable_context())); });
}

// While one lives, null stream handles of this thread mean its per-thread stream.
class PerThreadDefaultStream {
 public:
  [[gnu::always_inline]] PerThreadDefaultStream() { begin(__builtin_return_address(0)); }
  ~PerThreadDefaultStream();
  PerThreadDefaultStream(const PerThreadDefaultStream&) = delete;
  PerThreadDefaultStream& operator=(const PerThreadDefaultStream&) = delete;

 private:
  static void begin(const void* return_address);
};

}  // namespace cuvette::driver
