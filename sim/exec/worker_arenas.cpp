// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/worker_arenas.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>

#include "sim/base/sanitizer.hpp"
#include "sim/base/thread_end.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/process.hpp"
#include "sim/os/threads.hpp"

namespace cuvette::exec {
namespace {

// In nanoseconds. Even on a crowded machine a thread that was woken has its first turn by then.
constexpr int64_t late_after = 20'000'000;

}  // namespace

struct WorkerArenas::Arena {
  // No slot is kept for threads of the program, which never enter.
  tbb::task_arena tasks{/*max_concurrency=*/1, /*reserved_for_masters=*/0};
  Arena* next = nullptr;  // in the list of idle ones
  int64_t called_at = 0;
};

// What oneTBB copies and runs. ThreadSanitizer does not see that the copy comes before the run.
struct WorkerArenas::Task {
  WorkerArenas* arenas;
  Arena* arena;

  [[gnu::no_sanitize_thread]] void operator()() const {
    acquire_at(arena);
    arenas->serve(*arena);
  }
};

WorkerArenas::WorkerArenas(unsigned most, void (*run)()) : most_(most), run_(run) {
  const auto usual = static_cast<size_t>(tbb::info::default_concurrency());
  if (usual > most) return;  // the limit counts the calling thread, too
  // The least of all limits holds, so a limit that was just large enough for us would hold for the
  // program as well. This one is above what oneTBB would start in any case.
  constexpr size_t least = 256;
  // It is never taken back, and lies in static storage so that nobody takes it for a leak.
  alignas(tbb::global_control) static std::byte storage[sizeof(tbb::global_control)];
  [[maybe_unused]] static const auto* const limit = new (storage) tbb::global_control(
      tbb::global_control::max_allowed_parallelism, std::max({least, 2 * usual, size_t{most} + 1}));
}

WorkerArenas::~WorkerArenas() = default;

// Has a new arena run the function. Returns false if there are enough, or the system has no room
// for its worker.
bool WorkerArenas::add_arena() {
  if (refused_ || arenas_.size() == most_) return false;
  refused_ = !os::another_thread_fits();
  if (refused_) return false;
  auto arena = std::make_unique<Arena>();
  const os::SignalsBlocked blocked;  // the new thread inherits that
  if (enqueue(*arena)) {
    arenas_.push_back(std::move(arena));
    return true;
  }
  // oneTBB may keep what it could not start.
  (void)arena.release();
  refused_ = true;
  return false;
}

bool WorkerArenas::late_since(int64_t since) { return os::now_ns() - since > late_after; }

bool WorkerArenas::enqueue(Arena& arena) {
  arena.called_at = os::now_ns();
  int64_t none = 0;
  unanswered_since_.compare_exchange_strong(none, arena.called_at, std::memory_order_relaxed);
  try {
    release_at(&arena);
    arena.tasks.enqueue(Task{this, &arena});
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool WorkerArenas::call() {
  Arena* arena;
  {
    MutexLock lock(mutex_);
    arena = idle_;
    if (!arena) {
      // With the lock, so that nobody else here uses the room that was found.
      if (add_arena()) return true;
      if (arenas_.empty()) return false;
      ++calls_;
      return true;
    }
    idle_ = arena->next;
  }
  // Without memory for a task the arena stays out of use, since its worker may count on it.
  return enqueue(*arena);
}

// Runs in a worker, which may have worked for the program before.
void WorkerArenas::serve(Arena& arena) {
  unanswered_since_.store(0, std::memory_order_relaxed);
  [[gnu::tls_model("initial-exec")]] static constinit thread_local bool known = false;
  if (!known) {
    known = true;
    os::adopt_thread("cuvette-worker");
    os::wake_on_time();
    // Made now, because later a thread that closes a library may hold the loader's lock and wait
    // for us.
    (void)ThreadEnd::current();
  } else {
    Crowd::waited(arena.called_at, os::now_ns());
  }
  for (;;) {
    run_();
    MutexLock lock(mutex_);
    if (calls_ > 0) {
      --calls_;
      continue;
    }
    arena.next = idle_;
    idle_ = &arena;
    return;
  }
}

}  // namespace cuvette::exec
