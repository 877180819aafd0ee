// SPDX-License-Identifier: Apache-2.0
// The driver below the runtime: DRIVER(cuFoo)(...) calls the function of libcuda.so.1 that a
// program which includes <cuda.h> would call.
//
// The library is opened when the first function is asked for, as NVIDIA's runtime does it: a
// program that is linked with the runtime starts on a machine without a driver, and its first call
// returns the error. Each function is looked up once; after that a call costs one load more than a
// direct one.
//
// Threads: any.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace cuvette::runtime {

// Whether libcuda.so.1 could be opened. If not, nothing may be called through DRIVER.
bool driver_found() noexcept;

namespace detail {

template <std::size_t size>
struct Name {
  char text[size];
  consteval Name(const char (&literal)[size]) { std::copy_n(literal, size, text); }
};

// Returns the exported function of that name. If the driver is too old to have it, returns a
// function that names it on stderr and answers CUDA_ERROR_NOT_SUPPORTED.
void* find_in_driver(const char* name) noexcept;

template <typename Function, Name name>
inline std::atomic<Function*> found{nullptr};

template <typename Function, Name name>
[[gnu::always_inline]] inline Function* driver_function() noexcept {
  Function* function = found<Function, name>.load(std::memory_order_relaxed);
  if (!function) [[unlikely]] {
    function = reinterpret_cast<Function*>(find_in_driver(name.text));
    found<Function, name>.store(function, std::memory_order_relaxed);
  }
  return function;
}

}  // namespace detail
}  // namespace cuvette::runtime

// <cuda.h> makes cuMemAlloc a macro for cuMemAlloc_v2: the name is taken after its expansion.
#define DRIVER_EXACTLY(name) (::cuvette::runtime::detail::driver_function<decltype(name), #name>())
#define DRIVER(name) DRIVER_EXACTLY(name)

// The same for a function that takes no stream and works on the null stream: its twin, where the
// calling thread's null stream is its own. Include thread.hpp.
#define DRIVER_EXACTLY_ON_NULL_STREAM(name)                                           \
  (::cuvette::runtime::Thread::current().null_stream_is_own                           \
       ? ::cuvette::runtime::detail::driver_function<decltype(name), #name "_ptds">() \
       : ::cuvette::runtime::detail::driver_function<decltype(name), #name>())
#define DRIVER_ON_NULL_STREAM(name) DRIVER_EXACTLY_ON_NULL_STREAM(name)
