// SPDX-License-Identifier: Apache-2.0
// A deliberate race with a worker's task: a number is shared with a queue's item, and no offer
// comes between the two accesses. ThreadSanitizer must report it in spite of tests/tsan.supp.
#include <cstdio>

#include "tests/sim/exec/work_queue.hpp"

int main() {
  using namespace cuvette::exec;
  const auto queue = cuvette::make_ref<WorkQueue>();
  int handed_over = 0;
  std::atomic<bool> started{false};
  queue->submit([&] {
    started.store(true, std::memory_order_relaxed);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++handed_over;
  });
  while (!started.load(std::memory_order_relaxed)) std::this_thread::yield();
  ++handed_over;  // the item was submitted before this, and nothing orders the two accesses
  if (!eventually([&] { return queue->reached(1); })) return 1;
  printf("handed over %d\n", handed_over);
  return 0;
}
