// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/threads.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/os/process.hpp"

namespace cuvette::vulkan_layer {
namespace {

std::atomic<bool> exiting{false}, forked{false};
std::atomic<void (*)()> exit_work{nullptr};

struct Running {
  Mutex mutex;
  std::condition_variable_any ended;
  unsigned count GUARDED_BY(mutex) = 0;
};
Running& running() {
  static auto& the_running = *new Running;  // never destroyed: threads may outlive main()
  return the_running;
}

// Lets threads end before the driver's static objects do. A thread may be held up by the thread
// that called exit(), so the wait has a limit.
void at_exit() {
  if (is_forked()) return;
  exiting = true;
  if (const auto work = exit_work.load()) work();
  Running& threads = running();
  MutexLock lock(threads.mutex);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (threads.count > 0)
    if (threads.ended.wait_until(threads.mutex, limit) == std::cv_status::timeout) return;
}

// Registers handlers for fork and exit.
void hook() {
  static const bool hooked = [] {
    os::on_fork(nullptr, [] { forked = true; });
    os::on_exit(at_exit);
    return true;
  }();
  static_cast<void>(hooked);
}

}  // namespace

std::thread start_thread(const char* name, std::function<void()> body) {
  hook();
  if (is_exiting()) return {};
  Running& threads = running();
  {
    MutexLock lock(threads.mutex);
    ++threads.count;
  }
  const auto end = [&threads] {
    MutexLock lock(threads.mutex);
    --threads.count;
    threads.ended.notify_all();
  };
  std::thread thread = os::start_thread(name, [body = std::move(body), end] {
    body();
    end();
  });
  if (!thread.joinable()) end();
  return thread;
}

bool is_exiting() { return exiting.load(std::memory_order_relaxed); }
bool is_forked() { return forked.load(std::memory_order_relaxed); }
void set_exit_work(void (*work)()) {
  exit_work = work;
  hook();
}

}  // namespace cuvette::vulkan_layer
