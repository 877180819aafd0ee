// SPDX-License-Identifier: Apache-2.0
// ApiMisuse: reports arguments that show a mistake of the program: what is freed or destroyed a
// second time, the handle of an object that is gone, a handle or an address of the wrong kind.
// Calls that are refused for such an argument report it here.
//
// The last few thousand ends are remembered.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/memory/freed_ring.hpp"

namespace cuvette::check {

// A handle for which a call was refused.
struct RefusedHandle {
  uint64_t number;
  const char* wanted;  // "event"
  const char* is;      // "stream": what it is a live handle of, or null
  bool ended;          // it was of the kind that is wanted, and ended before its context
};

// An address that a call should free.
struct RefusedAddress {
  uint64_t address;
  memory::AllocationKind wanted;  // what the call frees, or the most common of it
};

// Whether a function of that name ends what its argument names.
bool ends(const std::string& function);
// Whether it ends code alone, and so no memory that the program has allocated.
bool unloads_code(const std::string& function);

class ApiMisuse final : public device::Observer {
 public:
  // The process's; null without CUVETTE_CHECK=api.
  static ApiMisuse* get();

  void freed(const memory::Allocation& memory) override;
  void context_ending(const device::Context& context) override EXCLUDES(mutex_);
  void handle_ended(uint64_t handle) EXCLUDES(mutex_);

  // Return whether that is a mistake. `function` is the call's name.
  bool refused(const RefusedHandle& handle, const std::string& function) EXCLUDES(mutex_);
  bool refused(const RefusedAddress& address, const std::string& function);
  // The same for a call that succeeds, as on hardware, although what it ends has ended before.
  void passed(const RefusedAddress& address, const std::string& function);

 private:
  // Whether memory there has ended with its context. To free it afterwards is refused, and common:
  // a reset of the device frees what other parts of the program still hold.
  bool ended_with_context(uint64_t address) const EXCLUDES(mutex_);

  memory::FreedRing freed_;
  mutable Mutex mutex_;
  std::map<uint64_t, uint64_t> ended_with_contexts_ GUARDED_BY(mutex_);  // from, to
  std::unordered_map<uint64_t, const void*> ended_ GUARDED_BY(mutex_);   // where
  std::deque<uint64_t> order_ GUARDED_BY(mutex_);                        // the oldest first
};

}  // namespace cuvette::check
