// SPDX-License-Identifier: Apache-2.0
// KernelFaultObserver: reports what stopped a kernel: which thread of which block, at which
// instruction, and, for an access, what is at the address.
//
// Threads: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/check/report/heap_facts.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::check {

// The facts about the launch.
struct FaultedKernel {
  std::string_view name;
  std::string stream;   // in words
  uint64_t number = 0;  // in the stream
  device::LaunchShape shape;
  const void* call_site = nullptr;
  const ptx::Module* module = nullptr;  // for the names of source files; may be null
  // Where the address is in the heap of kernels.
  std::optional<HeapAccess> heap = {};
  const device::CompiledCode* code = nullptr;  // for the names of variables; may be null
};

Report kernel_fault(const exec::GridFault& fault, const FaultedKernel& kernel,
                    const memory::AddressSpace& memory);

class KernelFaultObserver final : public device::Observer {
 public:
  void kernel_faulted(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const exec::GridFault& fault) override;
};

}  // namespace cuvette::check
