// SPDX-License-Identifier: Apache-2.0
// GraphMemoryUses: reports copies, fills and the like that use a graph's memory when no launch has
// allocated it, or when it is freed, with CUVETTE_CHECK=memory.
//
// It looks at commands when they begin, so the order of the work decides and not that of the calls.
// Of a launched graph it looks at the steps in their order. Kernels find out by themselves: their
// range ends where the memory is not there.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/check/order/memory_use.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

class GraphMemoryUses final : public device::Observer {
 public:
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override;

 private:
  // The steps of a launch that come to nodes which allocate or free, by the memory: the last ones.
  using Changes = std::unordered_map<const memory::Allocation*, size_t>;

  static void look(const device::Stream& stream, uint64_t number, const device::Steps& steps);
  // `changes` and `at` are those of the launch; `step` may be a step of a body of that.
  static void look(const MemoryUser& user, const device::Steps& steps, const Changes& changes,
                   size_t at);
};

}  // namespace cuvette::check
