// SPDX-License-Identifier: Apache-2.0
#include "api/driver/tests_table.hpp"

#include "sim/check/report/report.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/living_contexts.hpp"

namespace cuvette::driver {
namespace {

bool is_running() { return device::Machine::state() == device::Machine::State::running; }

void begin() {
  if (is_running()) check::reporter().begin_again();
}

void settle() {
  if (is_running()) device::wait_for_all_submitted();
}

CUresult lost() {
  const auto error = is_running() ? device::error_of_a_context() : std::nullopt;
  return error ? static_cast<CUresult>(*error) : CUDA_SUCCESS;
}

int used() { return is_running() ? 1 : 0; }

}  // namespace

const cuvetteTestsTable tests_table = {sizeof(cuvetteTestsTable), begin, settle, lost, used};

}  // namespace cuvette::driver
