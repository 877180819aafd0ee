// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/freed.hpp"

#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::device {

void note_freed(memory::Allocation& memory) {
  memory.freed_at.store(Thread::current().call_site, std::memory_order_relaxed);
  observers().notify(&Observer::freed, memory);
}

}  // namespace cuvette::device
