// SPDX-License-Identifier: Apache-2.0
// PhysicalMemory: what cuMemCreate makes, memory without an address, in a shared segment of its
// own.
//
// The segment's last 64 KiB describe the memory, so that another process which is given the
// descriptor recognises it. The memory lies before them: from the first byte on, or after one page
// that the room above fills, for importers of another API.
//
// Threads: any. A reference (a handle, a mapping) keeps it alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/memory/fill.hpp"
#include "sim/memory/memory_place.hpp"
#include "sim/memory/touched.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::memory {

class Budget;

// CUmemAllocationProp, as far as it means something here.
struct PhysicalProperties {
  uint32_t handle_types = 0;                   // CU_MEM_HANDLE_TYPE_*
  MemoryPlace place{MemoryPlace::nowhere, 0};  // a device, or the host
  uint8_t compression = 0;                     // only reported back: nothing is compressed
  uint8_t rdma = 0;
  uint16_t usage = 0;
};

// Writes what `segment` has in its first page, in front of the memory, which begins at `payload`.
// Returns false if no page is left.
using WriteFirstPage = bool (*)(os::Segment& segment, uint64_t payload);

class PhysicalMemory final : public Counted, public ApiObject {
 public:
  // Creates `size` bytes, a multiple of the page size; they begin with the segment if `first_page`
  // is null. `at_end` is called when the memory ends. Errors: out_of_memory, operating_system.
  static Result<Ref<PhysicalMemory>> create(const PhysicalProperties& properties, size_t size,
                                            WriteFirstPage first_page, Budget& budget,
                                            std::function<void()> at_end);
  // Imports memory that another process, or this one, has made, without the right to export it
  // again; the caller keeps `fd`. Errors: unknown if it is not such memory (what is wrong goes to
  // stderr).
  static Result<Ref<PhysicalMemory>> import_fd(int fd);

  const PhysicalProperties& properties() const { return properties_; }
  size_t size() const { return size_; }
  const Ref<os::Segment>& segment() const { return segment_; }
  // Returns where the memory begins in the segment: a multiple of the page size.
  uint64_t payload() const { return payload_; }

  // Returns which bytes of a segment that other processes may have made are physical memory; none
  // if it is not such a segment.
  struct Part {
    uint64_t offset, size;
  };
  static std::optional<Part> part_of(const os::Segment& segment);
  bool imported() const { return !budget_; }

  // Writes `pattern` over the parts that filled_parts() names, before any other process has the
  // memory. Errors: out_of_memory.
  Result<> fill(const FilledParts& parts, uint32_t pattern);

  // Accounts for bytes [offset, offset + size) as AddressSpace::touch() does. Imported memory is
  // accounted for by the process that made it.
  Result<> touch(size_t offset, size_t size);

 private:
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  PhysicalMemory(const PhysicalProperties& properties, const Part& part, Ref<os::Segment> segment,
                 Budget* budget, std::function<void()> at_end);
  ~PhysicalMemory() override;

  const PhysicalProperties properties_;
  const size_t size_;
  const uint64_t payload_;
  const Ref<os::Segment> segment_;
  Budget* const budget_;  // null for imported memory
  const std::function<void()> at_end_;
  Touched touched_;
};

}  // namespace cuvette::memory
