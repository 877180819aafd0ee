// SPDX-License-Identifier: Apache-2.0
// PendingWork: reports memory that is unregistered or unmapped, and contexts that end, while
// commands are under way that may still need them.
//
// A command is under way until the host knows that it is over: it has synchronised with it, or with
// a later command. So a report needs no bad luck. cuMemFree and its like wait for the context's
// work, and count as knowing here, though no program should rely on it. Kernels count where they
// are watched.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/order/order_observer.hpp"
#include "sim/check/report/report_text.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

class PendingWork final : public device::Observer,
                          public watch::KernelObserver,
                          public OrderClient {
 public:
  PendingWork();
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(order_.mutex);
  void kernel_touched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::Footprint& footprint) override EXCLUDES(order_.mutex);
  void freed(const memory::Allocation& memory) override EXCLUDES(order_.mutex);
  void context_ending(const device::Context& context) override EXCLUDES(order_.mutex);

  void order_submitted(const device::Stream& stream, uint64_t number,
                       const device::Operation& operation, const Point& point) override
      REQUIRES(order_.mutex);

 private:
  // A command of a stream: the last one, or the last one that uses some memory.
  struct Command {
    Point point;
    const char* what = nullptr;
    std::string kernel = {};  // its name in the module, if it is one
    uint64_t number = 0;
    const void* call_site = nullptr;
    std::string describe() const;
  };
  using ByStream = std::unordered_map<uint64_t, Command>;

  static void add_facts(std::vector<Fact>& facts, const Command& command);
  void use(uint64_t buffer_id, const Command& command) REQUIRES(order_.mutex);
  void use(const device::Operation& operation, const Command& command) REQUIRES(order_.mutex);
  // Returns a command among these that the host does not know to be over; null if there is none.
  const Command* pending(const ByStream& commands) const REQUIRES(order_.mutex);

  OrderObserver& order_;
  // What calls have waited for that end memory, as the documentation does not promise.
  Clock waited_by_frees_ GUARDED_BY(order_.mutex);
  std::unordered_map<uint64_t, ByStream> users_ GUARDED_BY(order_.mutex);     // by buffer_id
  std::unordered_map<uint64_t, ByStream> contexts_ GUARDED_BY(order_.mutex);  // by generation
  std::unordered_map<const device::Operation*, Command> kernels_ GUARDED_BY(order_.mutex);
};

}  // namespace cuvette::check
