// SPDX-License-Identifier: Apache-2.0
#include "sim/check/check.hpp"

#include <charconv>
#include <mutex>
#include <sstream>
#include <string>

#include "sim/check/access_guard.hpp"
#include "sim/check/faults.hpp"
#include "sim/check/kernel_faults.hpp"
#include "sim/check/misuse.hpp"
#include "sim/check/race.hpp"
#include "sim/check/report.hpp"
#include "sim/config.hpp"
#include "sim/device/machine.hpp"
#include "sim/os/exit_status.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

// CUVETTE_ERROR_EXITCODE; 0 if it is not set.
int error_status = 0;

void read_error_status() {
  const std::string text = config().error_exitcode.value_or("");
  if (text.empty()) return;
  const char* const end = text.data() + text.size();
  int number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc{} && stop == end && number >= 0 && number <= 255) {
    error_status = number;
    return;
  }
  os::write_to_stderr("cuvette: CUVETTE_ERROR_EXITCODE is '" + text +
                      "'; it should be a number from 0 to 255. It is ignored.\n");
}

// CUVETTE_CHECK: whether races are looked for.
bool races_wanted() {
  bool wanted = false;
  std::istringstream names(config().check.value_or(""));
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "races") {
      wanted = true;
    } else if (!name.empty()) {
      os::write_to_stderr("cuvette: CUVETTE_CHECK names '" + name +
                          "'; there is 'races'. It is ignored.\n");
    }
  }
  return wanted;
}

// The last thing this library does.
int end(int status) {
  report_leftovers();
  const std::string summary = reporter().summary();
  if (!summary.empty()) os::write_to_stderr(summary);
  return status == 0 && error_status != 0 && reporter().any() ? error_status : status;
}

}  // namespace

void attach() {
  static constinit std::once_flag once;
  std::call_once(once, [] {
    reporter();  // made here, so that no fault handler has to
    read_error_status();
    check_host_access_knob();
    static FaultObserver faults;
    static KernelFaultObserver kernel_faults;
    static MisuseObserver misuses;
    device::Machine& machine = device::Machine::get();
    machine.observers().attach(faults);
    machine.observers().attach(kernel_faults);
    machine.observers().attach(misuses);
    // Made only where it is wanted: nothing is paid otherwise.
    static RaceObserver* const races = races_wanted() ? new RaceObserver : nullptr;
    if (races) machine.observers().attach(*races);
    machine.set_fault_hook(on_host_fault);
    os::decide_exit_status(end);
  });
}

}  // namespace cuvette::check
