// SPDX-License-Identifier: Apache-2.0
// Shows on a terminal how far `cuvette explore` is.
//
// Threads: one at a time.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace cuvette::tools {

// One line, which is overwritten.
class Progress {
 public:
  Progress(size_t total, bool shown) : total_(total), shown_(shown && isatty(STDERR_FILENO)) {}
  ~Progress() {
    if (shown_) fprintf(stderr, "\r%*s\r", width + 60, "");
  }

  void step(const std::string& schedule) {
    ++done_;
    if (!shown_) return;
    const auto filled = static_cast<int>(done_ * width / std::max<size_t>(total_, 1));
    std::string bar(static_cast<size_t>(filled), '#');
    bar.resize(width, '.');
    const auto passed =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun_);
    fprintf(stderr, "\r[%s] %zu of %zu runs, %lld s  %-24.24s", bar.c_str(), done_, total_,
            static_cast<long long>(passed.count()), schedule.c_str());
  }

 private:
  static constexpr int width = 30;
  const size_t total_;
  const bool shown_;
  size_t done_ = 0;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace cuvette::tools
