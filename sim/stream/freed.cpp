// SPDX-License-Identifier: Apache-2.0
#include "sim/stream/freed.hpp"

#include "sim/stream/machine.hpp"
#include "sim/stream/thread.hpp"

namespace cuvette::device {

void note_freed(memory::Allocation& memory) {
  memory.freed_at.store(Thread::current().call_site, std::memory_order_relaxed);
  Machine::get().observers().notify(&Observer::freed, memory);
}

}  // namespace cuvette::device
