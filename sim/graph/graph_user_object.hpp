// SPDX-License-Identifier: Apache-2.0
// UserObject: something of the program's with a count of references; when the last one goes, its
// destructor is called.
//
// Graphs hold references, and copies of them hold as many again, so that what a graph works on
// lives as long as any launch of it. Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/api_object.hpp"
#include "sim/ref.hpp"
#include "sim/stream/host_call.hpp"

namespace cuvette::device {

class UserObject final : public Counted, public ApiObject {
 public:
  // `ended` is told when the last reference has gone.
  UserObject(void* object, HostFunction destroy, unsigned references, void (*ended)(UserObject&))
      : object_(object), destroy_(destroy), ended_(ended), references_(references) {}

  // False if that would be more than can be counted, or if there is none left to copy.
  bool retain_references(unsigned count);
  // False if there are not as many. Calls the destructor with the last one, in this thread, which
  // is inside a host function meanwhile: not with a lock held that CUDA functions take.
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
