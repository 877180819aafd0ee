// SPDX-License-Identifier: Apache-2.0
// Kept<Sheets>: large memory for what is known of a device's window, which a launch takes over from
// one that has ended: to make it anew would cost a page fault for each part that is touched.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"

namespace cuvette::watch {

// Sheets have begin() and bytes(), of the memory that they are about.
template <typename Sheets>
class Kept {
 public:
  // Returns some for [begin, begin + bytes), or null.
  static std::unique_ptr<Sheets> take(uint64_t begin, uint64_t bytes) {
    Kept& kept = get();
    MutexLock lock(kept.mutex_);
    const auto found = std::ranges::find_if(kept.sheets_, [&](const auto& one) {
      return one->begin() == begin && one->bytes() == bytes;
    });
    if (found == kept.sheets_.end()) return nullptr;
    std::unique_ptr<Sheets> taken = std::move(*found);
    kept.sheets_.erase(found);
    return taken;
  }
  static void give(std::unique_ptr<Sheets> sheets) {
    Kept& kept = get();
    MutexLock lock(kept.mutex_);
    if (kept.sheets_.size() == most) kept.sheets_.erase(kept.sheets_.begin());
    kept.sheets_.push_back(std::move(sheets));
  }

 private:
  // If more are given back, the oldest go.
  static constexpr size_t most = 4;

  static Kept& get() {
    // Never destroyed: kernels may run while the process exits.
    static auto* const instance = new Kept;
    return *instance;
  }

  Mutex mutex_;
  std::vector<std::unique_ptr<Sheets>> sheets_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::watch
