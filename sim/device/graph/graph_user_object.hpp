// SPDX-License-Identifier: Apache-2.0
// UserObject: an object of the application with a count of references; the last one to go calls its
// destructor.
//
// Graphs hold references, and copies of them hold as many again, so that what a graph works on
// lives as long as any launch of it. Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/base/api_object.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/stream/host_call.hpp"

namespace cuvette::device {

class UserObject final : public Counted, public ApiObject {
 public:
  // `ended` is called when the last reference has gone.
  UserObject(void* object, HostFunction destroy, unsigned references, void (*ended)(UserObject&))
      : object_(object), destroy_(destroy), ended_(ended), references_(references) {}

  // False if the count would overflow, or if no reference is left to copy.
  bool retain_references(unsigned count);
  // False if there are fewer. Releasing the last one calls the destructor in this thread, which
  // counts as inside a host function during the call: hold no lock that CUDA functions take.
  bool release_references(unsigned count);
  bool alive() const { return references_.load(std::memory_order_acquire) > 0; }

 private:
  ~UserObject() override = default;

  void* const object_;
  const HostFunction destroy_;
  void (*const ended_)(UserObject&);
  std::atomic<uint64_t> references_;
};

}  // namespace cuvette::device
