// SPDX-License-Identifier: Apache-2.0
#include "api/driver/cuda.hpp"

#include "api/driver/call.hpp"
#include "api/driver/published_use.hpp"
#include "sim/base/config.hpp"
#include "sim/base/refusal.hpp"
#include "sim/callsite/call_stack.hpp"
#include "sim/check/check.hpp"
#include "sim/check/log/trace.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/os/output.hpp"

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

}  // namespace

extern "C" {

CUresult cuInit(unsigned int Flags) {
  // "Currently, the Flags parameter must be 0."
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto start = []() -> Result<> {
    if (device::Thread::current().barred() == device::Thread::Barred::small_stack)
      return Error::out_of_memory;
    TRY(check_knobs());
    read_explain_knob();
    const Needs needs = check::needs();
    if (needs.has(Needs::stacks)) {
      keep_sentences();
      callsite::keep_stacks();
    }
    TRY(device::Machine::start({needs}));
    check::attach();
    check::log::attach();
    driver::publish_use();
    return {};
  };
  return static_cast<CUresult>(driver::detail::guarded(start));
}

CUresult cuDriverGetVersion(int* driverVersion) {
  if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = CUDA_VERSION;
  return CUDA_SUCCESS;
}

}  // extern "C"
