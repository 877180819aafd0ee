// SPDX-License-Identifier: Apache-2.0
// The facts in reports about the kernel heap: the allocation that is or was at an address.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check/report/report.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/machine/device_heap.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::check {

// An access of a kernel to an address of the heap.
struct HeapAccess {
  std::optional<device::DeviceHeap::Piece> nearest;  // the allocation there, or the one before
  uint64_t address = 0;
  std::string_view kernel;
  const ptx::Module* module = nullptr;  // of the kernel; may be null

  bool is_inside() const { return nearest && address < nearest->end(); }
};

// Nothing: the address is not in the heap of the stream's context.
std::optional<HeapAccess> in_heap(const device::Stream& stream, const device::KernelCall& call,
                                  uint64_t address);

// Returns "0x..., which is ...", to follow "reads 4 bytes from ".
std::string place(const HeapAccess& access);
void add_facts(std::vector<Fact>& facts, const HeapAccess& access);
std::string advice_of(const HeapAccess& access);

}  // namespace cuvette::check
