// SPDX-License-Identifier: Apache-2.0
// What every entry point does around its own work: is the library in use, is the handle a device?
//
// Threads: any.
#pragma once

#include <cstring>
#include <new>
#include <string_view>

#include "api/management/library.hpp"

namespace cuvette::management {

// Runs `body`, a function without parameters that returns an nvmlReturn_t, if the library is in
// use.
template <typename Body>
nvmlReturn_t call(Body&& body) noexcept {
  if (!initialised()) return NVML_ERROR_UNINITIALIZED;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return NVML_ERROR_MEMORY;
  }
}

// The same with the device that `handle` refers to.
template <typename Body>
nvmlReturn_t call_on(nvmlDevice_t handle, Body&& body) noexcept {
  return call([&] {
    const Device* device = find(handle);
    return device ? body(*device) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

// Writes an answer of one value.
template <typename Place, typename Value>
nvmlReturn_t answer(Place* place, Value value) noexcept {
  if (!place) return NVML_ERROR_INVALID_ARGUMENT;
  *place = static_cast<Place>(value);
  return NVML_SUCCESS;
}

// Writes a text with its terminating zero, if all of it fits into `length` bytes.
inline nvmlReturn_t answer_text(char* place, unsigned length, std::string_view text) noexcept {
  if (!place) return NVML_ERROR_INVALID_ARGUMENT;
  if (length <= text.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(place, text.data(), text.size());
  place[text.size()] = '\0';
  return NVML_SUCCESS;
}

}  // namespace cuvette::management
