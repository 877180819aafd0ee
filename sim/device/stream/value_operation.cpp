// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/value_operation.hpp"

#include <optional>

#include "sim/base/sanitizer.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/operation_fault.hpp"
#include "sim/device/stream/transfer.hpp"
#include "sim/exec/poller.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::device {

// The word that a ValueWait waits for. The ValueWait lives until the value has come.
class WatchedWord final : public exec::Polled {
 public:
  WatchedWord(Context& context, const ValueWait& wait)
      : Polled(wait.footprint().reads.address, wait.footprint().reads.address + wait.bytes_),
        context_(context),
        wait_(wait) {}
  bool look() override;

 private:
  ~WatchedWord() override = default;

  Context& context_;
  const ValueWait& wait_;
};

bool WatchedWord::look() {
  if (context_.error()) return true;
  const void* word = memory::host_pointer(wait_.footprint().reads.address);
  uint64_t value;
  bool lost;
  {
    const os::DeviceAccess access;
    const os::FaultScope scope;
    value = os::load_word(word, wait_.bytes_);
    lost = scope.faulted();
  }
  if (lost) {
    context_.fail(Error::illegal_address);
    return true;
  }
  if (!holds(wait_.comparison_, value, wait_.value_, wait_.bytes_)) return false;
  acquire_at(word);
  return true;
}

ValueWait::ValueWait(Footprint footprint, const ValueOperation& operation, bool may_lose_pages,
                     const void* call_site)
    : MemoryOperation(OperationKind::value_wait, std::move(footprint), call_site),
      value_(operation.value),
      bytes_(operation.bytes),
      comparison_(operation.comparison),
      may_lose_pages_(may_lose_pages) {}

Progress ValueWait::step(OperationRunner& runner) {
  if (!watched_) {
    if (may_lose_pages_) watch_lost_pages();
    auto watched = make_ref<WatchedWord>(runner.stream().context(), *this);
    if (watched->look()) return Progress::done();
    watched_ = watched;
    exec::Poller::get().watch(std::move(watched));
  }
  if (!watched_->reached(1)) return Progress::blocked({watched_, 1});
  watched_ = nullptr;
  return Progress::done();
}

ValueWrite::ValueWrite(Footprint footprint, const ValueOperation& operation, bool may_lose_pages,
                       const void* call_site)
    : MemoryOperation(OperationKind::value_write, std::move(footprint), call_site),
      value_(operation.value),
      bytes_(operation.bytes),
      ordered_(operation.ordered),
      may_lose_pages_(may_lose_pages) {}

Progress ValueWrite::step(OperationRunner& runner) {
  if (runner.stream().context().error()) return Progress::done();
  if (may_lose_pages_) watch_lost_pages();
  const memory::DevicePtr address = footprint_.writes.address;
  void* word = memory::host_pointer(address);
  if (Machine::get().needs().has(Needs::taint)) [[unlikely]]
    observers().notify(&Observer::writing, footprint_.writes);
  release_at(word);
  std::optional<os::MemoryFault> fault;
  {
    const os::DeviceAccess access;
    const os::FaultScope scope;
    os::store_word(word, value_, bytes_, ordered_);
    if (scope.faulted()) [[unlikely]]
      fault = scope.first();
  }
  if (fault) report_fault(runner, *this, *fault);
  exec::Poller::get().written(address, address + bytes_);
  return Progress::done();
}

Progress ValueBatch::step(OperationRunner& runner) {
  for (; done_ < parts_.size(); ++done_)
    if (Progress progress = parts_[done_]->step(runner); progress.state != Progress::State::done)
      return progress;
  done_ = 0;
  return Progress::done();
}

namespace {

// Makes one operation, which is not a barrier.
Result<AnyOperation> make_one(const Context& context, const ValueOperation& operation,
                              const void* call_site) {
  if (operation.address % operation.bytes != 0)
    return refuse(Error::invalid_value, "0x%llx is not a multiple of the word size (%u bytes).",
                  static_cast<unsigned long long>(operation.address), operation.bytes);
  // Measured: these operations can neither wait for nor write to managed memory.
  const auto allocation = Machine::get().memory().find(operation.address);
  if (allocation && allocation->managed())
    return refuse(Error::invalid_value,
                  "0x%llx is managed memory: streams can only wait for words of other memory.",
                  static_cast<unsigned long long>(operation.address));
  // Measured.
  if (allocation && allocation->pool != 0 && allocation->pool_memory == memory::PoolMemory::device)
    return refuse(Error::invalid_value,
                  "0x%llx is memory of a pool: streams can only write and wait for words of other "
                  "memory.",
                  static_cast<unsigned long long>(operation.address));
  const bool write = operation.kind == ValueOperation::Kind::write;
  Access access = TRY(find_access(
      &context, memory::Region::linear(operation.address, operation.bytes), write, call_site));
  if (write)
    return AnyOperation(
        ValueWrite(std::move(access.footprint), operation, access.may_lose_pages, call_site));
  TRY(exec::Poller::get().start());
  return AnyOperation(
      ValueWait(std::move(access.footprint), operation, access.may_lose_pages, call_site));
}

// Barriers need no operation: a stream's commands take effect one after the other for all
// observers.
Result<std::vector<AnyOperation>> make_all(const Context& context,
                                           std::span<const ValueOperation> operations,
                                           const void* call_site) {
  std::vector<AnyOperation> made;
  made.reserve(operations.size());
  for (const ValueOperation& operation : operations)
    if (operation.kind != ValueOperation::Kind::barrier)
      made.push_back(TRY(make_one(context, operation, call_site)));
  return made;
}

}  // namespace

Result<ValueBatch> make_batch(const Context& context, std::span<const ValueOperation> operations,
                              const void* call_site) {
  return ValueBatch(TRY(make_all(context, operations, call_site)), call_site);
}

Result<> submit(Stream& stream, std::span<const ValueOperation> operations, const void* call_site) {
  for (AnyOperation& operation : TRY(make_all(stream.context(), operations, call_site)))
    stream.context().submit(stream, std::move(*operation));
  return {};
}

}  // namespace cuvette::device
