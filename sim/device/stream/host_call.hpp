// SPDX-License-Identifier: Apache-2.0
// HostCall: an operation that calls a function of the program, in its context's host thread.
//
// Threads: as for operations; the function is called by the host thread.
#pragma once

#include <cstdint>

#include "sim/device/stream/operation.hpp"
#include "sim/exec/host_thread.hpp"

namespace cuvette::device {

using HostFunction = void (*)(void* data);
// `status` is CUDA's error number, 0 if there is none.
using StreamCallback = void (*)(uintptr_t stream, int status, void* data);

class HostCall final : public OperationOf<HostCall>, private exec::HostItem {
 public:
  HostCall(HostFunction function, void* data, const void* call_site)
      : OperationOf(OperationKind::host_function, call_site), function_(function), data_(data) {}
  HostCall(StreamCallback callback, void* data, const void* call_site)
      : OperationOf(OperationKind::callback, call_site), callback_(callback), data_(data) {}

  Progress step(OperationRunner& runner) override;
  bool may_block() const override { return true; }

 private:
  void call_host() override;
  void host_called(bool returned) override;

  union {
    HostFunction function_;
    StreamCallback callback_;
  };
  void* const data_;
  OperationRunner* runner_ = nullptr;  // while the host thread has it
};

}  // namespace cuvette::device
