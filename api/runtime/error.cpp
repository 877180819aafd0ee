// SPDX-License-Identifier: Apache-2.0
// Errors: the thread's last one, and what they are called.
//
// Reference: CUDA Runtime API, "Error Handling".
#include "api/runtime/call.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {

constexpr const char* unknown = "unrecognized error code";

const char* name_of(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define CODE(name) \
  case name:       \
    return #name;
#define OWN(name, text) CODE(name)
#include "api/runtime/errors.def"
  }
  return unknown;
}

// Returns the text of a code that the runtime alone has, or null.
const char* own_text_of(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define CODE(name)
#define OWN(name, text) \
  case name:            \
    return text;
#include "api/runtime/errors.def"
  }
  return nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  (void)need_driver();
  cudaError_t& last = Thread::current().last_error;
  const cudaError_t error = last;
  last = cudaSuccess;
  if (error != cudaSuccess) detail::tell_that_last_error_is_asked_for();
  return error;
}

cudaError_t cudaPeekAtLastError() {
  (void)need_driver();
  const cudaError_t error = Thread::current().last_error;
  if (error != cudaSuccess) detail::tell_that_last_error_is_asked_for();
  return error;
}

const char* cudaGetErrorName(cudaError_t error) { return name_of(error); }

// The driver describes the codes that it has as well.
const char* cudaGetErrorString(cudaError_t error) {
  if (const char* const text = own_text_of(error)) return text;
  const char* text = nullptr;
  if (name_of(error) != unknown && driver_found() &&
      DRIVER(cuGetErrorString)(static_cast<CUresult>(error), &text) == CUDA_SUCCESS)
    return text;
  return unknown;
}
}
