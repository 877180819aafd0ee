// SPDX-License-Identifier: Apache-2.0
// ApiObject: a base class for objects that an API hands out. It keeps the object's name there.
//
// A name is a number that only the API can interpret; sim/ keeps it and prints it in reports. It is
// a number and not a counted reference to the API's data: a number needs no allocation, cannot form
// a cycle with the object that keeps it, leaves nothing to release, and can be read by one thread
// while another sets it.
//
// Threads: any may read; the API makes sure that only one at a time sets a name.
#pragma once

#include <atomic>
#include <cstdint>

namespace cuvette {

class ApiObject {
 public:
  // Returns 0 if the object has no name.
  uintptr_t api_name() const { return api_name_.load(std::memory_order_acquire); }

  // Only the API calls these.
  void set_api_name(uintptr_t name) { api_name_.store(name, std::memory_order_release); }
  // Removes `name`, unless the object has another one by now.
  void clear_api_name(uintptr_t name) {
    api_name_.compare_exchange_strong(name, 0, std::memory_order_acq_rel,
                                      std::memory_order_relaxed);
  }

 protected:
  ApiObject() = default;
  ~ApiObject() = default;

 private:
  std::atomic<uintptr_t> api_name_{0};
};

}  // namespace cuvette
