// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream waits until a word in memory has a value, or writes one.
//
// The poller watches a wait that is not satisfied when its stream reaches it; the stream waits for
// it as for any timeline, without holding a thread.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/device/machine/value.hpp"
#include "sim/device/stream/memory_operations.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/memory/address.hpp"

namespace cuvette::device {

class Context;
class WatchedWord;

class ValueWrite final : public MemoryOperation<ValueWrite> {
 public:
  ValueWrite(Footprint footprint, const ValueOperation& operation, bool may_lose_pages,
             const void* call_site);
  Progress step(OperationRunner& runner) override;
  ValueOperation value() const override {
    return {ValueOperation::Kind::write, bytes_, Comparison::cyclic_geq, ordered_,
            footprint().writes.address,  value_};
  }

 private:
  const uint64_t value_;
  const uint8_t bytes_;
  const bool ordered_, may_lose_pages_;
};

class ValueWait final : public MemoryOperation<ValueWait> {
 public:
  ValueWait(Footprint footprint, const ValueOperation& operation, bool may_lose_pages,
            const void* call_site);
  // Does not wait once the context has an error.
  Progress step(OperationRunner& runner) override;
  bool may_block() const override { return true; }
  ValueOperation value() const override {
    return {ValueOperation::Kind::wait, bytes_, comparison_, true,
            footprint().reads.address,  value_};
  }

 private:
  friend class WatchedWord;
  const uint64_t value_;
  const uint8_t bytes_;
  const Comparison comparison_;
  const bool may_lose_pages_;
  Ref<WatchedWord> watched_;  // set if the first look did not find the value
};

// Several operations in order, as one step of a graph.
class ValueBatch final : public OperationOf<ValueBatch> {
 public:
  ValueBatch(std::vector<AnyOperation> parts, const void* call_site)
      : OperationOf(OperationKind::value_batch, call_site), parts_(std::move(parts)) {}
  Progress step(OperationRunner& runner) override;
  bool may_block() const override { return true; }

 private:
  std::vector<AnyOperation> parts_;
  size_t done_ = 0;
};

// Checks all operations, then appends them to the stream, in their order. Errors: invalid_value for
// an address that is not a multiple of the word's size, or not in memory that a device can reach;
// out_of_memory.
Result<> submit(Stream& stream, std::span<const ValueOperation> operations, const void* call_site);
// Makes one operation of a graph launch that does the same, with the same errors. `context`: its
// device does the work.
Result<ValueBatch> make_batch(const Context& context, std::span<const ValueOperation> operations,
                              const void* call_site);

}  // namespace cuvette::device
