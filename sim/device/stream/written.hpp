// SPDX-License-Identifier: Apache-2.0
// Reports a command's accesses to WrittenMemory, if uninitialised memory is tracked.
//
// Threads: the command's runner.
#pragma once

#include "sim/check/kernel/written_memory.hpp"
#include "sim/device/machine/operation.hpp"

namespace cuvette::device {

inline void note_written(const memory::Region& region) {
  if (auto* const written = watch::WrittenMemory::get()) [[unlikely]]
    written->set(region, true);
}

// The memory is as good as new.
inline void note_renewed(const memory::Region& region) {
  if (auto* const written = watch::WrittenMemory::get()) [[unlikely]]
    written->set(region, false);
}

// Also notifies observers if a copy to the host continues past the bytes that the threads of a
// kernel have written.
void note_copied(const Operation& copy);

}  // namespace cuvette::device
