// SPDX-License-Identifier: Apache-2.0
// MisuseObserver: reports the mistakes that calls and commands themselves detect.
//
// Threads: any.
#pragma once

#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

class MisuseObserver final : public device::Observer {
 public:
  void misused(const device::Misuse& misuse) override;
};

// Reports what the program has left registered or mapped at the end of the process.
void report_leftovers();

}  // namespace cuvette::check
