// SPDX-License-Identifier: Apache-2.0
// ExitGate: lets our threads run the program's work until the process exits.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace cuvette::exec {

class alignas(64) ExitGate {
 public:
  // Returns the process's gate.
  static ExitGate& get() { return instance_; }

  // Called before work runs in a thread of ours. False once close() was called; if true, the
  // caller owes an end().
  bool begin() {
    // Sequentially consistent with close(): begin() sees closed_, or close() sees running_ > 0.
    running_.fetch_add(1, std::memory_order_seq_cst);
    if (!closed_.load(std::memory_order_seq_cst)) return true;
    end();
    return false;
  }
  void end() { running_.fetch_sub(1, std::memory_order_release); }

  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  // Lets no more threads in. Returns when those inside have left, or after `milliseconds`.
  void close(int milliseconds);

 private:
  constexpr ExitGate() = default;

  static ExitGate instance_;

  std::atomic<uint32_t> running_{0};  // threads of ours that are inside a queue or a host function
  std::atomic<bool> closed_{false};
};

}  // namespace cuvette::exec
