// SPDX-License-Identifier: Apache-2.0
// Tells WrittenMemory what a command does, if anybody asks about memory that is not written.
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

// Also tells observers if a copy to the host goes on where the threads of a kernel have stopped.
void note_copied(const Operation& copy);

}  // namespace cuvette::device
