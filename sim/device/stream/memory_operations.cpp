// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/memory_operations.hpp"

#include <atomic>

#include "sim/base/config.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/operation_fault.hpp"
#include "sim/exec/poller.hpp"
#include "sim/exec/workers.hpp"
#include "sim/memory/copy.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::device {
namespace {

using memory::Region;

// The pieces of a copy or a fill: `work(index, count)` does one of them.
template <typename Work>
class TransferPieces final : public exec::Pieces {
 public:
  TransferPieces(size_t count, const Work& work) : count_(count), work_(work) {}

  void run(size_t index) override {
    os::DeviceAccess access;
    os::FaultScope scope;
    work_(index, count_);
    if (scope.faulted()) [[unlikely]] {
      if (!faulted_.exchange(true, std::memory_order_relaxed)) fault_ = scope.first();
    }
  }

  // Call it once all pieces have returned.
  const os::MemoryFault* fault() const {
    return faulted_.load(std::memory_order_relaxed) ? &fault_ : nullptr;
  }

 private:
  const size_t count_;
  const Work& work_;
  std::atomic<bool> faulted_{false};
  os::MemoryFault fault_{};
};

// Runs the pieces, then reports a fault, if any, and notifies the poller of the writes.
template <typename Work>
void run_pieces(OperationRunner& runner, const Operation& operation, size_t count,
                const Work& work) {
  TransferPieces<Work> pieces(count, work);
  if (count == 1) {
    pieces.run(0);
  } else {
    exec::Workers::get().run_pieces(count, pieces);
  }
  if (const os::MemoryFault* fault = pieces.fault()) report_fault(runner, operation, *fault);
  const Region& written = operation.footprint().writes;
  exec::Poller::get().written(written.address, written.address + written.extent());
}

bool overlap(const Region& a, const Region& b) {
  return a.address < b.address + b.extent() && b.address < a.address + a.extent();
}

// The same bytes without gaps, somewhere else.
Region packed(memory::DevicePtr address, const Region& region) {
  return {address,     region.width, region.width, region.height, region.width * region.height,
          region.depth};
}

Footprint all_of(Ref<memory::Allocation> part) {
  Footprint footprint;
  footprint.writes = Region::linear(part->address, part->size);
  footprint.writes_in = memory::Use(std::move(part));
  return footprint;
}

}  // namespace

void Copy::take_source() {
  if (may_lose_pages_) watch_lost_pages();
  const Region source = footprint_.reads;
  if (Machine::get().needs().has(Needs::host_threads)) [[unlikely]]
    taken_from_ = std::make_unique<const Region>(source);
  staged_ = std::make_unique_for_overwrite<std::byte[]>(source.bytes());
  footprint_.reads = packed(reinterpret_cast<memory::DevicePtr>(staged_.get()), source);
  memory::copy_piece(footprint_.reads, source, 0, 1);
}

Region Copy::pageable_source() const {
  if (promises_source_ || footprint_.reads_in.allocation()) return {};
  return taken_from_ ? *taken_from_ : footprint_.reads;
}

Progress Copy::step(OperationRunner& runner) {
  if (runner.stream().context().error()) return Progress::done();
  if (may_lose_pages_) watch_lost_pages();
  const Region &to = footprint_.writes, &from = footprint_.reads;
  // Before a thread that waits for these bytes continues.
  if (Machine::get().needs().has(Needs::taint)) [[unlikely]]
    observers().notify(&Observer::copying, static_cast<const Operation&>(*this));
  const size_t count = overlap(to, from) ? 1 : memory::pieces(to);
  run_pieces(runner, *this, count,
             [&](size_t index, size_t count) { memory::copy_piece(to, from, index, count); });
  return Progress::done();
}

Progress Fill::step(OperationRunner& runner) {
  if (runner.stream().context().error()) return Progress::done();
  if (may_lose_pages_) watch_lost_pages();
  const Region& to = footprint_.writes;
  if (Machine::get().needs().has(Needs::taint)) [[unlikely]]
    observers().notify(&Observer::writing, to);
  run_pieces(runner, *this, memory::pieces(to), [&](size_t index, size_t count) {
    memory::fill_piece(to, value_, element_, index, count);
  });
  return Progress::done();
}

Progress Discard::step(OperationRunner& runner) {
  const Region& range = footprint_.writes;
  if (!runner.stream().context().error())
    Machine::get().memory().fill_fresh(range.address, range.width);
  return Progress::done();
}

PoolAllocation::PoolAllocation(Ref<memory::Allocation> part, Ref<Counted> pool,
                               const void* call_site)
    : MemoryOperation(OperationKind::allocate, all_of(std::move(part)), call_site),
      pool_(std::move(pool)) {}

Progress PoolAllocation::step(OperationRunner&) {
  Machine::get().memory().fill_fresh(*footprint_.writes_in.allocation());
  if (Machine::get().needs().has(Needs::taint)) [[unlikely]]
    observers().notify(&Observer::renewing, footprint_.writes);
  return Progress::done();
}

PoolFree::PoolFree(Ref<memory::Allocation> part, Ref<Counted> pool, const void* call_site)
    : MemoryOperation(OperationKind::free, all_of(std::move(part)), call_site),
      pool_(std::move(pool)) {}

Progress PoolFree::step(OperationRunner&) {
  Machine::get().memory().end(*footprint_.writes_in.allocation());
  return Progress::done();
}

}  // namespace cuvette::device
