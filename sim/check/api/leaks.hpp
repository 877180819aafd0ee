// SPDX-License-Identifier: Apache-2.0
// Leaks: reports memory that the program never freed, when its context ends or the process does:
// one report for each place that allocates.
//
// Most memory is found in the address space. Objects without an address there (reserved addresses,
// physical memory, imported memory objects) is kept in a ledger, which only the end of the process
// looks at.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

// The objects from the API that are not an Allocation.
enum class Holding : uint8_t { addresses, physical_memory, external_memory };

class Leaks final : public device::Observer {
 public:
  // The process's; null without CUVETTE_CHECK=api.
  static Leaks* get();

  void context_ending(const device::Context& context) override;

  // The program has got, or given back, what `number` (an address or a handle) names.
  void holds(Holding what, uint64_t number, uint64_t bytes) EXCLUDES(mutex_);
  void gives_back(Holding what, uint64_t number) EXCLUDES(mutex_);
  // The program frees something when the driver is down already, as destructors of static objects
  // do. The memory that it has freed so far cannot be distinguished from memory that it would have
  // left.
  void freed_too_late() EXCLUDES(mutex_);

  // Reports what is left at the end of the process. One that fails has no duty to clean up.
  void process_ends(int status) EXCLUDES(mutex_);

 private:
  struct Held {
    uint64_t bytes;
    const void* place;
  };
  Mutex mutex_;
  std::map<std::pair<Holding, uint64_t>, Held> held_ GUARDED_BY(mutex_);
  bool freed_too_late_ GUARDED_BY(mutex_) = false;
};

}  // namespace cuvette::check
