// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/exit_gate.hpp"

#include <chrono>
#include <thread>

#include "sim/exec/spinner.hpp"
#include "sim/os/clock.hpp"

namespace cuvette::exec {

constinit ExitGate ExitGate::instance_;

void ExitGate::close(int milliseconds) {
  closed_.store(true, std::memory_order_seq_cst);
  const int64_t until = os::now_ns() + milliseconds * int64_t{1'000'000};
  Spinner spinner(Spinner::usual);
  while (running_.load(std::memory_order_seq_cst) > 0 && os::now_ns() < until)
    if (!spinner.spin()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace cuvette::exec
