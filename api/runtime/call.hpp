// SPDX-License-Identifier: Apache-2.0
// Wraps the body of every entry point: brings up what the body needs, and keeps the
// error for cudaGetLastError(). All of them are part of the entry point; its caller is the
// program.
//
// Threads: any.
#pragma once

#include <new>

#include "api/runtime/call_site.hpp"
#include "api/runtime/context.hpp"
#include "api/runtime/driver.hpp"
#include "api/runtime/status.hpp"
#include "api/runtime/thread.hpp"

namespace cuvette::runtime {

// Keeps an error for cudaGetLastError() and returns it. Not being ready is not an error.
inline cudaError_t keep(Status status) noexcept {
  if (!status.ok() && status.error() != cudaErrorNotReady) [[unlikely]]
    Thread::current().last_error = status.error();
  return status.error();
}
inline cudaError_t keep(const OnBehalfOfCall& program, Status status) noexcept {
  if (!status.ok() && status.error() != cudaErrorNotReady) [[unlikely]]
    program.fails(status.error());
  return program.returns(keep(status));
}

namespace detail {
template <typename Body>
Status guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}
}  // namespace detail

// Runs `body`, a function without parameters that returns a Status, whether or not there is a
// driver. Every call of the runtime initialises the driver: measured on an H200.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t call_alone(Body&& body) noexcept {
  const OnBehalfOfCall program(__builtin_return_address(0));
  (void)need_driver();
  return keep(program, detail::guarded(body));
}

// Runs `body` once the driver is initialised.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t call_with_driver(Body&& body) noexcept {
  const OnBehalfOfCall program(__builtin_return_address(0));
  Status status = need_driver();
  if (status.ok()) status = detail::guarded(body);
  return keep(program, status);
}

// Runs `body` once a context is current.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t call(Body&& body) noexcept {
  const OnBehalfOfCall program(__builtin_return_address(0));
  Status status = need_context(program.thread());
  if (status.ok()) status = detail::guarded(body);
  // The program has reset the primary context through the driver API; the runtime brings it up
  // again.
  if (status.error() == cudaErrorContextIsDestroyed && revive_primary()) [[unlikely]]
    status = detail::guarded(body);
  return keep(program, status);
}

// The same, but arguments that are not `valid` are refused first: no other error is found, and no
// context is brought up.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t call_if(bool valid, Body&& body) noexcept {
  if (!valid) [[unlikely]]
    return call_alone([]() -> Status { return cudaErrorInvalidValue; });
  return call(body);
}

}  // namespace cuvette::runtime
