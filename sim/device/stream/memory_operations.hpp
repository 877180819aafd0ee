// SPDX-License-Identifier: Apache-2.0
// The operations on memory: copies, fills, and the begin and end of parts of memory pools.
//
// Threads: as for operations; free workers run the pieces of a large copy or fill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/base/ref.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/memory/address.hpp"

namespace cuvette::device {

// An operation that knows which memory it touches.
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
  // Copies what `footprint` reads to what it writes; both have the same width, height and depth.
  // `may_lose_pages`: it touches memory in a file that another process can shrink.
  Copy(Footprint footprint, bool may_lose_pages, const void* call_site)
      : MemoryOperation(OperationKind::copy, std::move(footprint), call_site),
        may_lose_pages_(may_lose_pages) {}

  // Reads the source now instead of in stream order, in the calling thread, which must be able to
  // access it.
  void take_source();
  // The call promises that the source has been read when it returns, as synchronous calls do. To be
  // called before it is submitted.
  void promise_source() { promises_source_ = true; }
  // Returns the pageable memory that the program has to leave alone until the copy is over,
  // although it may have been read; empty if there is none. To be asked with CUVETTE_CHECK=host.
  memory::Region pageable_source() const;

  Progress step(OperationRunner& runner) override;

 private:
  const bool may_lose_pages_;
  bool promises_source_ = false;
  std::unique_ptr<std::byte[]> staged_;  // a copy of its source, if that was read early
  std::unique_ptr<const memory::Region> taken_from_;  // with CUVETTE_CHECK=host, if it was
};

class Fill final : public MemoryOperation<Fill> {
 public:
  // Sets each element of what `footprint` writes to `value`; an element has `element` bytes: 1, 2
  // or 4.
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

// Gives the memory it writes the content of fresh memory: cuMemDiscardBatchAsync.
class Discard final : public MemoryOperation<Discard> {
 public:
  Discard(Footprint footprint, const void* call_site)
      : MemoryOperation(OperationKind::discard, std::move(footprint), call_site) {}
  Progress step(OperationRunner& runner) override;
};

// Gives a part of a memory pool the content of fresh memory. Keeps the pool alive.
class PoolAllocation final : public MemoryOperation<PoolAllocation> {
 public:
  PoolAllocation(Ref<memory::Allocation> part, Ref<Counted> pool, const void* call_site);
  Progress step(OperationRunner& runner) override;

 private:
  Ref<Counted> pool_;
};

// Ends a part of a memory pool. Keeps the pool alive.
class PoolFree final : public MemoryOperation<PoolFree> {
 public:
  PoolFree(Ref<memory::Allocation> part, Ref<Counted> pool, const void* call_site);
  Progress step(OperationRunner& runner) override;

 private:
  Ref<Counted> pool_;
};

}  // namespace cuvette::device
