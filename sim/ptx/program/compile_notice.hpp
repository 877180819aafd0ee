// SPDX-License-Identifier: Apache-2.0
// CompileNotice: a line on the terminal while a kernel takes long to compile.
//
//   cuvette: compiling kernel 'k': 12 s, 40,000 instructions
//
// It is overwritten every second and goes when the kernel is compiled. Of several kernels that are
// compiled at a time one has it.
//
// Threads: made and ended by one; another writes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "sim/base/mutex.hpp"

namespace cuvette::ptx {

// Returns how many instructions the body of the kernel `entry` has in a module's text.
size_t count_instructions(std::string_view text, std::string_view entry);

class CompileNotice {
 public:
  using Write = std::function<void(std::string_view)>;
  // Counts the kernel's instructions. It is called for the first line alone: few kernels need one.
  using Count = std::function<size_t()>;
  struct Times {
    std::chrono::milliseconds before_first{2000}, between{1000};
  };

  // Returns a notice if the standard error stream is a terminal and no other is there; else null.
  // `text` and `entry` must outlive it.
  static std::unique_ptr<CompileNotice> on_terminal(std::string_view text, std::string_view entry);

  CompileNotice(std::string_view entry, Count count, Write write, Times times);
  ~CompileNotice();
  CompileNotice(const CompileNotice&) = delete;
  CompileNotice& operator=(const CompileNotice&) = delete;

 private:
  void show() EXCLUDES(mutex_);
  // Waits so long; false if the kernel is compiled by then.
  bool wait(std::chrono::milliseconds time) REQUIRES(mutex_);

  const std::string kernel_;
  const Count count_;
  const Write write_;
  const Times times_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace cuvette::ptx
