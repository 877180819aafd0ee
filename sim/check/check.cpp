// SPDX-License-Identifier: Apache-2.0
#include "sim/check/check.hpp"

#include <mutex>
#include <string>

#include "sim/base/config.hpp"
#include "sim/check/api/api_misuse.hpp"
#include "sim/check/api/ignored_errors.hpp"
#include "sim/check/api/leaks.hpp"
#include "sim/check/api/misuse.hpp"
#include "sim/check/faults.hpp"
#include "sim/check/host/access_guard.hpp"
#include "sim/check/kernel/written_memory.hpp"
#include "sim/check/kernel_faults.hpp"
#include "sim/check/kernel_mistakes.hpp"
#include "sim/check/order/external_uses.hpp"
#include "sim/check/order/overlapping_copy.hpp"
#include "sim/check/order/owned_by_vulkan.hpp"
#include "sim/check/order/pending_work.hpp"
#include "sim/check/order/race.hpp"
#include "sim/check/order/standstill.hpp"
#include "sim/check/overlapping_mappings.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/report_format.hpp"
#include "sim/check/unwritten_reads.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/os/exit_status.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

RaceObserver* races = nullptr;  // made once, on demand

// Called at the end of the process; returns its exit status.
int end(int status) {
  if (races) races->finish();
  report_leftovers();
  // A process that fails has no duty to clean up.
  if (Leaks* const leaks = Leaks::get(); leaks && status == 0) leaks->report_at_exit();
  if (IgnoredErrors* const errors = IgnoredErrors::get(); errors && status == 0)
    errors->report_at_exit();
  const std::string summary = reporter().summary();
  if (!summary.empty()) os::write_to_stderr(summary);
  return status == 0 && reporter().any() ? static_cast<int>(config().error_exitcode) : status;
}

}  // namespace

std::string knob_complaint() {
  const std::string wrong = Suppressions(config().suppress).complaint();
  if (!wrong.empty()) return "CUVETTE_SUPPRESS is " + wrong + ".";
  return config().report.empty() ? format_complaint(config().report_format) : "";
}

void attach() {
  static constinit std::once_flag once;
  std::call_once(once, [] {
    reporter().begin_document();  // made here, so that no fault handler has to
    say_if_unguarded();
    static FaultObserver faults;
    static KernelFaultObserver kernel_faults;
    static MisuseObserver misuses;
    device::Machine& machine = device::Machine::get();
    machine.observers().attach(faults);
    machine.observers().attach(kernel_faults);
    machine.observers().attach(misuses);
    // Made only if asked for; otherwise they cost nothing.
    if (checks(Check::api)) {
      static OverlappingCopyObserver copies;
      static auto* const pending = new PendingWork;
      for (device::Observer* const one :
           {static_cast<device::Observer*>(ApiMisuse::get()),
            static_cast<device::Observer*>(Leaks::get()),
            static_cast<device::Observer*>(IgnoredErrors::get()),
            static_cast<device::Observer*>(ExternalUses::get()),
            static_cast<device::Observer*>(&copies), static_cast<device::Observer*>(pending)})
        machine.observers().attach(*one);
    }
    if (wants_footprints()) races = new RaceObserver;
    if (races) machine.observers().attach(*races);
    static KernelMistakeObserver kernel_mistakes;
    if (watches_kernels()) machine.observers().attach(kernel_mistakes);
    static OverlappingMappings* const overlapping_mappings =
        checks(Check::aliases) ? new OverlappingMappings : nullptr;
    if (overlapping_mappings) machine.observers().attach(*overlapping_mappings);
    static OwnedByVulkan* const owned_by_vulkan =
        checks(Check::aliases) ? new OwnedByVulkan : nullptr;
    if (owned_by_vulkan) machine.observers().attach(*owned_by_vulkan);
    static StandstillObserver* const standstill =
        checks(Check::sync) ? new StandstillObserver : nullptr;
    if (standstill) machine.observers().attach(*standstill);
    if (checks(Check::init)) {
      watch::WrittenMemory::start(machine.memory());
      static UnwrittenReadObserver unwritten_reads;
      machine.observers().attach(unwritten_reads);
    }
    machine.set_fault_hook(on_host_fault);
    os::decide_exit_status(end);
  });
}

}  // namespace cuvette::check
