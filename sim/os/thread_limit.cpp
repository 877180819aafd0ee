// SPDX-License-Identifier: Apache-2.0
#include "sim/os/thread_limit.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/os/cgroup.hpp"
#include "sim/os/futex.hpp"
#include "sim/os/process.hpp"
#include "sim/os/reservation.hpp"

namespace cuvette::os {

unsigned threads_that_fit() {
  // The memory of a thread: a stack, and the heap that the C library reserves for it where there is
  // room.
  constexpr size_t stack = size_t{8} << 20, heap = size_t{64} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT_MAX;
  // The first number is the size of all mappings, in pages.
  const size_t used =
      std::strtoull(read_small_file("/proc/self/statm").c_str(), nullptr, 10) * page_size();
  const size_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
  if (left < 2 * stack) return 0;
  return static_cast<unsigned>(std::clamp<size_t>(left / 2 / (stack + heap), 1, UINT_MAX));
}

bool threads_fit(unsigned count) {
  std::atomic<uint32_t> ended{0};
  std::vector<std::atomic<long>> ids(count);
  std::vector<std::thread> threads;
  for (std::atomic<long>& id : ids) {
    std::thread thread = start_thread("cuvette-trial", [&] {
      id = syscall(SYS_gettid);
      while (ended == 0) sleep_while(ended, 0);
    });
    if (!thread.joinable()) break;
    threads.push_back(std::move(thread));
  }
  ended = 1;
  for (size_t number = 0; number < threads.size(); ++number) wake_one(ended);
  for (std::thread& thread : threads) thread.join();
  // The C library learns of the end of a thread before the kernel's limits do, and those before it
  // disappears from /proc. A debugger may keep it there.
  for (size_t number = 0; number < threads.size(); ++number) {
    const std::string folder = "/proc/self/task/" + std::to_string(ids[number].load());
    for (int looks = 0; looks < 10'000 && access(folder.c_str(), F_OK) == 0; ++looks) sched_yield();
  }
  return threads.size() == count;
}

size_t stack_left() {
  if (syscall(SYS_gettid) == getpid()) return SIZE_MAX;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return SIZE_MAX;
  void* begin = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &begin, &size) == 0;
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto first = reinterpret_cast<uintptr_t>(begin);
  // A thread may run on a stack that it has made itself.
  return known && here - first < size ? here - first : SIZE_MAX;
}

bool run_on_stack(size_t stack, const std::function<void()>& body) {
  if (stack_left() >= stack) {
    body();
    return true;
  }
  std::thread thread = start_thread("cuvette-stack", body);
  if (!thread.joinable()) return false;
  thread.join();
  return true;
}

}  // namespace cuvette::os
