// SPDX-License-Identifier: Apache-2.0
// The operations on memory: copies, fills, and what begins and ends parts of memory pools.
//
// Threads: as for operations; the pieces of a large copy or fill are run by whoever has time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/memory/address.hpp"
#include "sim/ref.hpp"
#include "sim/stream/operation.hpp"

namespace cuvette::device {

// An operation on memory that it names.
template <typename Own>
class MemoryOperation : public OperationOf<Own> {
 public:
  const Footprint& footprint() const final { return footprint_; }

 protected:
  MemoryOperation(OperationKind kind, Footprint footprint, const void* call_site)
      : OperationOf<Own>(kind, call_site), footprint_(std::move(footprint)) {}

  Footprint footprint_;
};

class Copy final : public MemoryOperation<Copy> {
 public:
  // What `footprint` reads goes to what it writes; both have the same width, height and depth.
  // `may_lose_pages`: it touches memory whose file somebody else can shrink.
  Copy(Footprint footprint, bool may_lose_pages, const void* call_site)
      : MemoryOperation(OperationKind::copy, std::move(footprint), call_site),
        may_lose_pages_(may_lose_pages) {}

  // Reads its source now, in the calling thread, which has the right to it, and not when it takes
  // place.
  void take_source();

  Progress step(OperationRunner& runner) override;

 private:
  const bool may_lose_pages_;
  std::unique_ptr<std::byte[]> staged_;  // its source, where that was taken
};

class Fill final : public MemoryOperation<Fill> {
 public:
  // `element` bytes, 1, 2 or 4, of each element of what `footprint` writes become `value`.
  Fill(Footprint footprint, uint32_t value, unsigned element, bool may_lose_pages,
       const void* call_site)
      : MemoryOperation(OperationKind::fill, std::move(footprint), call_site),
        value_(value),
        element_(static_cast<uint8_t>(element)),
        may_lose_pages_(may_lose_pages) {}

  Progress step(OperationRunner& runner) override;

 private:
  const uint32_t value_;
  const uint8_t element_;
  const bool may_lose_pages_;
};

// What it writes gets the content of fresh memory: cuMemDiscardBatchAsync.
class Discard final : public MemoryOperation<Discard> {
 public:
  Discard(Footprint footprint, const void* call_site)
      : MemoryOperation(OperationKind::discard, std::move(footprint), call_site) {}
  Progress step(OperationRunner& runner) override;
};

// A part of a memory pool gets the content of fresh memory. It keeps the pool.
class PoolAllocation final : public MemoryOperation<PoolAllocation> {
 public:
  PoolAllocation(Ref<memory::Allocation> part, Ref<Counted> pool, const void* call_site);
  Progress step(OperationRunner& runner) override;

 private:
  Ref<Counted> pool_;
};

// A part of a memory pool ends. It keeps the pool.
class PoolFree final : public MemoryOperation<PoolFree> {
 public:
  PoolFree(Ref<memory::Allocation> part, Ref<Counted> pool, const void* call_site);
  Progress step(OperationRunner& runner) override;

 private:
  Ref<Counted> pool_;
};

}  // namespace cuvette::device
