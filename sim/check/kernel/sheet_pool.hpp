// SPDX-License-Identifier: Apache-2.0
// SheetPool<Sheets>: large memory for what is known of a device's window, which a launch takes over
// from one that has ended: to make it anew would cost a page fault for each part that is touched.
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
class SheetPool {
 public:
  // Returns some for [begin, begin + bytes), or null.
  static std::unique_ptr<Sheets> take(uint64_t begin, uint64_t bytes) {
    SheetPool& pool = get();
    MutexLock lock(pool.mutex_);
    const auto found = std::ranges::find_if(pool.sheets_, [&](const auto& one) {
      return one->begin() == begin && one->bytes() == bytes;
    });
    if (found == pool.sheets_.end()) return nullptr;
    std::unique_ptr<Sheets> taken = std::move(*found);
    pool.sheets_.erase(found);
    return taken;
  }
  static void give(std::unique_ptr<Sheets> sheets) {
    SheetPool& pool = get();
    MutexLock lock(pool.mutex_);
    if (pool.sheets_.size() == most) pool.sheets_.erase(pool.sheets_.begin());
    pool.sheets_.push_back(std::move(sheets));
  }

 private:
  // If more are given back, the oldest go.
  static constexpr size_t most = 4;

  static SheetPool& get() {
    // Never destroyed: kernels may run while the process exits.
    static auto* const instance = new SheetPool;
    return *instance;
  }

  Mutex mutex_;
  std::vector<std::unique_ptr<Sheets>> sheets_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::watch
