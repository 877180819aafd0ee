// SPDX-License-Identifier: Apache-2.0
// A gate holds up a stream, to ask whether a call waits for the work behind it.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "harness.hpp"

namespace conformance {

// What the call is expected to do, which only decides how long the gate stays shut. A waiting call
// waits for all of that time, so it may be short. A call that returns must have time enough to do
// so on a busy machine.
enum class Expected { comes_back, waits };

// Shut until open(), or until the time for this expectation is up.
class Gate {
 public:
  Gate(CUstream stream, Expected expected)
      : opener_([this, expected] {
          const auto time = std::chrono::milliseconds(expected == Expected::waits ? 250 : 10'000);
          const auto end = std::chrono::steady_clock::now() + time;
          while (!open_ && std::chrono::steady_clock::now() < end) usleep(1000);
          open_ = true;
        }) {
    prepared("cuLaunchHostFunc", cuLaunchHostFunc(
                                     stream,
                                     [](void* data) {
                                       Gate& gate = *static_cast<Gate*>(data);
                                       while (!gate.open_) usleep(100);
                                       gate.passed_ = true;
                                     },
                                     this));
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    opener_.join();
    while (!passed_) usleep(100);
  }
  void open() { open_ = true; }
  bool is_open() const { return open_; }

 private:
  std::atomic<bool> open_{false}, passed_{false};
  std::thread opener_;
};

// Prints what `call` answers, and whether it returns while `stream` is held up.
template <typename Call>
void ask_when_it_returns(const char* question, CUstream stream, Expected expected, Call call) {
  bool before;
  CUresult result;
  {
    Gate gate(stream, expected);
    result = call();
    before = !gate.is_open();
  }
  answer(question, result);
  say(question, before ? "returned before the work" : "returned after the work");
  prepared("cuCtxSynchronize", cuCtxSynchronize());
}

}  // namespace conformance
