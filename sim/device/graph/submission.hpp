// SPDX-License-Identifier: Apache-2.0
// Submits work to a stream: as its next commands or, while the stream is captured, as a node of the
// captured graph.
//
// Each function does what its namesake in the room below does, with the same errors and the errors
// of Capture::takes().
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>

#include "sim/base/error.hpp"
#include "sim/device/kernel/kernel_call.hpp"
#include "sim/device/stream/external_semaphore.hpp"
#include "sim/device/stream/transfer.hpp"
#include "sim/device/stream/value_operation.hpp"

namespace cuvette::device {

// A synchronous copy or fill cannot become a node: it returns after the work, and a graph does its
// work later. Errors, besides: stream_capture_unsupported.
Result<> submit_copy(const Transfer& transfer, const CopyOperand& to, const CopyOperand& from);
Result<> submit_fill(const Transfer& transfer, const memory::Region& to, uint32_t value,
                     unsigned element);
Result<> submit_kernel(Stream& stream, Ref<KernelCall> call, const void* call_site);
Result<> submit_values(Stream& stream, std::span<const ValueOperation> operations,
                       const void* call_site);
Result<> submit_semaphores(Stream& stream, std::span<const SemaphoreOperation> operations,
                           bool signals, const void* call_site);

}  // namespace cuvette::device
