// SPDX-License-Identifier: Apache-2.0
#include "sim/check/api/misuse.hpp"

#include "sim/check/report/report.hpp"
#include "sim/device/machine/misuse.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::check {
namespace {

ReportId report_id(device::MisuseKind kind) {
  using device::MisuseKind;
  switch (kind) {
    case MisuseKind::graphics_used_while_mapped:
      return ReportId::graphics_used_while_mapped;
    case MisuseKind::graphics_used_after_unmap:
      return ReportId::graphics_used_after_unmap;
    case MisuseKind::graphics_written:
      return ReportId::graphics_written;
    case MisuseKind::graphics_unordered:
      return ReportId::graphics_unordered;
    case MisuseKind::graphics_storage_changed:
      return ReportId::graphics_storage_changed;
    case MisuseKind::graphics_frame_kept:
      return ReportId::graphics_frame_kept;
    case MisuseKind::graphics_not_unmapped:
      return ReportId::graphics_not_unmapped;
    case MisuseKind::host_thread_ended:
      return ReportId::host_thread_ended;
    case MisuseKind::graphics_not_unregistered:
      return ReportId::graphics_not_unregistered;
    case MisuseKind::unwritten_copied:
      return ReportId::uninitialised_read;
    case MisuseKind::texture_handle:
      break;
  }
  return ReportId::texture_handle;
}

}  // namespace

void MisuseObserver::misused(const device::Misuse& misuse) {
  Report report{report_id(misuse.kind), misuse.sentence, {}};
  for (const auto& [key, value] : misuse.facts) report.facts.push_back({key, value});
  if (reporter().admit(report.id, misuse.place)) reporter().write(report);
}

void report_leftovers() {
  for (const auto& resource : interop::GraphicsResource::registered(0))
    resource->notify_left(resource->lender().registered_at);
}

}  // namespace cuvette::check
