// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/host_call.hpp"

#include "sim/device/stream/context.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::device {

Progress HostCall::step(OperationRunner& runner) {
  Context& context = runner.stream().context();
  if (kind == OperationKind::host_function && context.error()) return Progress::done();
  runner_ = &runner;
  runner.hand_over(false);
  context.host_thread().post(*this);
  return Progress::elsewhere();
}

void HostCall::call_host() {
  const Thread::HostFunctionScope scope;
  if (kind == OperationKind::host_function) {
    function_(data_);
  } else {
    const Stream& stream = runner_->stream();
    const auto error = stream.context().error();
    callback_(stream.api_name(), error ? static_cast<int>(*error) : 0, data_);
  }
}

void HostCall::host_called(bool returned) {
  if (!returned) notify_misuse({misuse::HostThreadEnded{}, call_site});
  runner_->done_elsewhere(true);
}

}  // namespace cuvette::device
