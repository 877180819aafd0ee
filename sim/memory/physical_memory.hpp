// SPDX-License-Identifier: Apache-2.0
// PhysicalMemory: what cuMemCreate makes: memory without an address, as a shared segment of its
// own.
//
// The segment has one page more than the memory. It says what the memory is, so that another
// process that is given the descriptor recognises it; whoever imports the memory sees the bytes
// before it.
//
// Threads: any. Whoever has a reference (a handle, a mapping) keeps it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "sim/error.hpp"
#include "sim/memory/fill.hpp"
#include "sim/memory/touched.hpp"
#include "sim/os/segment.hpp"
#include "sim/ref.hpp"

namespace cuvette::memory {

class Budget;

// CUmemAllocationProp, as far as it means something here.
struct PhysicalProperties {
  uint32_t handle_types = 0;   // CU_MEM_HANDLE_TYPE_*
  uint32_t location_type = 0;  // CU_MEM_LOCATION_TYPE_*: a device, or the host
  int32_t location_id = 0;
  uint8_t compression = 0;  // as it is told: there is none
  uint8_t rdma = 0;
  uint16_t usage = 0;
};

class PhysicalMemory final : public Counted {
 public:
  // `size` bytes, a multiple of the page size. `at_end` is called when it goes. Errors:
  // out_of_memory, operating_system.
  static Result<Ref<PhysicalMemory>> create(const PhysicalProperties& properties, size_t size,
                                            Budget& budget, std::function<void()> at_end);
  // What another process made, or this one; the caller keeps `fd`. Errors: unknown if that is no
  // such memory (what is wrong goes to stderr).
  static Result<Ref<PhysicalMemory>> import_fd(int fd);

  const PhysicalProperties& properties() const { return properties_; }
  size_t size() const { return size_; }
  const Ref<os::Segment>& segment() const { return segment_; }
  bool imported() const { return !budget_; }

  // Writes `pattern` over what filled_parts() says. Before anybody else has it. Errors:
  // out_of_memory.
  Result<> fill(const FilledParts& parts, uint32_t pattern);

  // Accounts for bytes [offset, offset + size) as AddressSpace::touch() does. What is imported is
  // its maker's to account for.
  Result<> touch(size_t offset, size_t size);

 private:
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  PhysicalMemory(const PhysicalProperties& properties, size_t size, Ref<os::Segment> segment,
                 Budget* budget, std::function<void()> at_end);
  ~PhysicalMemory() override;

  const PhysicalProperties properties_;
  const size_t size_;
  const Ref<os::Segment> segment_;
  Budget* const budget_;  // of who made it
  const std::function<void()> at_end_;
  Touched touched_;
};

}  // namespace cuvette::memory
