// SPDX-License-Identifier: Apache-2.0
#include "sim/check/check.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/base/config.hpp"
#include "sim/base/run_notes.hpp"
#include "sim/check/api/api_misuse.hpp"
#include "sim/check/api/ignored_errors.hpp"
#include "sim/check/api/leaks.hpp"
#include "sim/check/api/misuse.hpp"
#include "sim/check/api/taken_descriptors.hpp"
#include "sim/check/command/faults.hpp"
#include "sim/check/command/graph_memory_uses.hpp"
#include "sim/check/command/kernel_faults.hpp"
#include "sim/check/command/kernel_mistakes.hpp"
#include "sim/check/command/overlapping_mappings.hpp"
#include "sim/check/command/unwritten_reads.hpp"
#include "sim/check/host/access_guard.hpp"
#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/order/external_uses.hpp"
#include "sim/check/order/order_observer.hpp"
#include "sim/check/order/overlapping_copy.hpp"
#include "sim/check/order/owned_by_vulkan.hpp"
#include "sim/check/order/pending_work.hpp"
#include "sim/check/order/race.hpp"
#include "sim/check/order/standstill.hpp"
#include "sim/check/profile/profile_observer.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/report_format.hpp"
#include "sim/check/report/run_note.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/os/exit_status.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

// Calls `visit` for each observer of the checks that are asked for, once, in the order of the rows.
template <typename Visit>
void each_instrument(const Visit& visit) {
  std::vector<const void*> seen;
  const auto visit_one = [&]<typename One>(One* instance) {
    if (!instance || std::ranges::find(seen, instance) != seen.end()) return;
    seen.push_back(instance);
    visit(*instance);
  };
  const auto visit_row = [&]<typename... Observers>(ObserverList<Observers...>) {
    (visit_one(instrument<Observers>()), ...);
  };
#define CHECK(word, ...) visit_row(observers_of_##word{});
#include "sim/base/checks.def"
#undef CHECK
}

// Called at the end of the process; returns its exit status.
int end(int status) {
  report_leftovers();
  each_instrument([status](auto& one) {
    if constexpr (requires { one.process_ends(status); }) one.process_ends(status);
  });
  if (auto* const profile = profile::ProfileObserver::get()) profile->process_ends();
  const std::string summary = reporter().summary();
  if (!summary.empty()) os::write_to_stderr(summary);
  if (status != 0 || !reporter().any()) return status;
  const auto error_status = static_cast<int>(config().error_exitcode);
  // The runner has given its verdict by now.
  if (reporter().has_runner() && error_status != 0)
    os::say("mistakes were reported after the tests, so the exit status is %d.", error_status);
  return error_status;
}

}  // namespace

Needs needs() {
  using enum Needs::Kind;
  Needs all;
#define CHECK(word, kinds, ...) \
  if (checks(Check::word)) all |= Needs(kinds);
#include "sim/base/checks.def"
#undef CHECK
  if (config().aliases == Aliases::adversary) all |= Needs(accesses);
  if (!config().record.empty() && config().record_touches) all |= Needs(footprints);
  if (!config().profile.empty()) all |= Needs(counts);
  return all;
}

std::string knob_complaint() {
  if (const std::string wrong = Suppressions(config().suppress).complaint(); !wrong.empty())
    return "CUVETTE_SUPPRESS is " + wrong + ".";
  if (const std::string wrong = Baseline(config().baseline).complaint(); !wrong.empty())
    return "CUVETTE_BASELINE is " + wrong + ".";
  return config().report.empty() ? format_complaint(config().report_format) : "";
}

void attach() {
  static constinit std::once_flag once;
  std::call_once(once, [] {
    note_for_run(run_notes::used);
    reporter().begin_document();  // made here, so that no fault handler has to
    say_if_unguarded();
    device::Machine& machine = device::Machine::get();
    // These report even without a check.
    device::observers().attach(*new FaultObserver);
    device::observers().attach(*new KernelFaultObserver);
    device::observers().attach(*new MisuseObserver);
    watch::LaunchObserver& launches = watch::LaunchObserver::get();
    if (machine.needs().launches()) device::observers().attach(launches);
    each_instrument([&](auto& one) {
      device::observers().attach(one);
      if constexpr (std::is_base_of_v<watch::KernelObserver, std::remove_cvref_t<decltype(one)>>)
        launches.kernel_observers().attach(one);
    });
    if (auto* const profile = profile::ProfileObserver::get())
      launches.kernel_observers().attach(*profile);
    machine.set_fault_hook(on_host_fault);
    os::decide_exit_status(end);
  });
}

}  // namespace cuvette::check
