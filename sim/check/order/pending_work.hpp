// SPDX-License-Identifier: Apache-2.0
// PendingWork: reports memory that is unregistered or unmapped, memory of a pool that cuMemFree
// frees, and contexts that end, while commands are under way that may still need them.
//
// A command is under way until the host knows that it is over: it has synchronised with it, or with
// a later command. So a report needs no bad luck. cuMemFree and its like wait for the context's
// work, and count as knowing here, though no program should rely on it. Kernels count where they
// are watched. A kernel's uses are known only once it has run, so a free of memory that a kernel
// may use is decided then.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/order/access_words.hpp"
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
  void host_learnt() override REQUIRES(order_.mutex) { decide_frees(); }
  void report_found() override EXCLUDES(order_.mutex);

  // Reports what is left, at the end of the process.
  void process_ends(int status) EXCLUDES(order_.mutex);

 private:
  // A command of a stream: the last one, or the last one that uses some memory.
  struct Command {
    Point point;
    StreamName stream;
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
  // Memory of a pool that the program frees. Until its thread does something else, cuMemFreeAsync
  // may be about to free it, in the order of a stream.
  struct PoolFree {
    Ref<const memory::Allocation> memory;
    const void* place;
    std::thread::id thread;
    bool decided = false;
    std::optional<Command> user;                    // that was under way
    std::vector<const device::Operation*> kernels;  // that were, and may turn out to use it
  };
  void note_pool_free(const memory::Allocation& memory) REQUIRES(order_.mutex);
  // The calling thread does something else.
  void decide_frees() REQUIRES(order_.mutex);
  void kernel_ended(const device::Operation& kernel) REQUIRES(order_.mutex);
  static void report(const memory::Allocation& memory, const void* place, const Command& user);

  // Returns a command among these that the host does not know to be over; null if there is none.
  const Command* pending(const ByStream& commands) const REQUIRES(order_.mutex);
  bool is_pending(const Command& command) const REQUIRES(order_.mutex);

  OrderObserver& order_;
  // How far calls that end memory have waited, which the documentation does not promise.
  Clock waited_by_frees_ GUARDED_BY(order_.mutex);
  std::unordered_map<uint64_t, ByStream> users_ GUARDED_BY(order_.mutex);     // by buffer_id
  std::unordered_map<uint64_t, ByStream> contexts_ GUARDED_BY(order_.mutex);  // by generation
  std::unordered_map<const device::Operation*, Command> kernels_ GUARDED_BY(order_.mutex);
  std::vector<PoolFree> pool_frees_ GUARDED_BY(order_.mutex);  // not reported yet
};

}  // namespace cuvette::check
