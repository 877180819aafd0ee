// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/submission.hpp"

#include <utility>

#include "sim/device/graph/capture.hpp"
#include "sim/device/graph/graph.hpp"
#include "sim/device/graph/graph_memory.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/exec/poller.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::device {
namespace {

Result<bool> captured(const Transfer& transfer) {
  if (!TRY(Capture::takes(transfer.stream))) return false;
  if (!transfer.asynchronous) TRY(Capture::refuse_in(transfer.stream));
  return true;
}

}  // namespace

Result<> submit_copy(const Transfer& transfer, const CopyOperand& to, const CopyOperand& from) {
  if (!TRY(captured(transfer))) {
    // Measured: to copies, fills and values, memory of a graph does not exist before it is
    // allocated and once it is freed. A graph's own ones are looked at when it is launched.
    TRY(GraphMemory::check_in_use(to.region.address, transfer.call_site));
    TRY(GraphMemory::check_in_use(from.region.address, transfer.call_site));
    return copy(transfer, to, from);
  }
  if (to.region.empty()) return {};
  TRY(make_copy(&transfer.context, to, from, transfer.call_site));
  return Capture::add(transfer.stream, NodeType::copy,
                      CopyWork{to, from, nullptr, Ref<Context>(&transfer.context)});
}

Result<> submit_fill(const Transfer& transfer, const memory::Region& to, uint32_t value,
                     unsigned element) {
  if (!TRY(captured(transfer))) {
    TRY(GraphMemory::check_in_use(to.address, transfer.call_site));
    return fill(transfer, to, value, element);
  }
  if (to.empty()) return {};
  TRY(make_fill(transfer.context, to, value, element, transfer.call_site));
  FillWork work{to.address,
                to.pitch,
                to.width / element,
                to.height,
                value,
                element,
                Ref<Context>(&transfer.context)};
  return Capture::add(transfer.stream, NodeType::fill, std::move(work));
}

Result<> submit_kernel(Stream& stream, Ref<KernelCall> call, const void* call_site) {
  TRY(check_launch(stream, *call));
  if (!TRY(Capture::takes(stream))) return launch(stream, std::move(call), call_site);
  return Capture::add(stream, NodeType::kernel, KernelWork{std::move(call), nullptr});
}

Result<> submit_values(Stream& stream, std::span<const ValueOperation> operations,
                       const void* call_site) {
  if (!TRY(Capture::takes(stream))) {
    for (const ValueOperation& one : operations)
      TRY(GraphMemory::check_in_use(one.address, call_site));
    return submit(stream, operations, call_site);
  }
  TRY(make_batch(stream.context(), operations, call_site));
  return Capture::add(
      stream, NodeType::batch,
      BatchWork{{operations.begin(), operations.end()}, nullptr, Ref<Context>(&stream.context())});
}

Result<> submit_semaphores(Stream& stream, std::span<const SemaphoreOperation> operations,
                           bool signals, const void* call_site) {
  record::note_count(operations.size());
  if (!TRY(Capture::takes(stream))) return submit(stream, operations, signals, call_site);
  TRY(exec::Poller::get().start());
  return Capture::add(stream, signals ? NodeType::external_signal : NodeType::external_wait,
                      SemaphoreWork{{operations.begin(), operations.end()}, nullptr});
}

}  // namespace cuvette::device
