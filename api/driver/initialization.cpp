// SPDX-License-Identifier: Apache-2.0
#include "api/driver/cuda.hpp"

#include "api/driver/call.hpp"
#include "sim/base/config.hpp"
#include "sim/base/refusal.hpp"
#include "sim/callsite/call_stack.hpp"
#include "sim/check/check.hpp"
#include "sim/check/log/trace.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/os/output.hpp"
#include "sim/record/recorder.hpp"

using namespace cuvette;

namespace {

// Complains once, because a program may call cuInit again.
Result<> check_knobs() {
  static const bool good = [] {
    std::string complaint = environment_complaint();
    if (complaint.empty()) complaint = check::knob_complaint();
    if (!complaint.empty()) os::say("%s", complaint.c_str());
    return complaint.empty();
  }();
  return good ? Result<>() : Error::invalid_value;
}

// Begins the record of this process, if there is to be one, with the call of cuInit that returns to
// `return_address`.
record_format::Call* record_call(const void* return_address) {
  record::Recorder* const recorder = record::start();
  if (!recorder) return nullptr;
  const void* const for_whom = *driver::detail::on_behalf_of_slot();
  return recorder->begin_call(recorder->function(reinterpret_cast<const void*>(&cuInit)),
                              recorder->place(for_whom ? for_whom : return_address));
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned int Flags) {
  // "Currently, the Flags parameter must be 0."
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const void* const return_address = __builtin_return_address(0);
  record_format::Call* recorded = nullptr;
  const auto start = [&]() -> Result<> {
    if (device::Thread::current().barred() == device::Thread::Barred::small_stack)
      return Error::out_of_memory;
    TRY(check_knobs());
    recorded = record_call(return_address);
    read_explain_knob();
    const Needs needs = check::needs();
    if (needs.has(Needs::stacks)) {
      keep_sentences();
      callsite::keep_stacks();
    }
    TRY(device::Machine::start({needs}));
    check::attach();
    check::log::attach();
    return {};
  };
  const int result = driver::detail::guarded(start);
  if (recorded) driver::detail::leave(recorded, result);
  return static_cast<CUresult>(result);
}

CUresult cuDriverGetVersion(int* driverVersion) {
  if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = CUDA_VERSION;
  return CUDA_SUCCESS;
}

}  // extern "C"
