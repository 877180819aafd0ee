// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/worker_arenas.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "sim/base/sanitizer.hpp"
#include "sim/base/thread_end.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/futex.hpp"
#include "sim/os/process.hpp"
#include "sim/os/thread_limit.hpp"
#include "sim/os/threads.hpp"

namespace cuvette::exec {
namespace {

// In nanoseconds. Even on a crowded machine a thread that was woken has its first turn by then.
constexpr int64_t late_after = 20'000'000;

// How long a worker waits in its arena for the next call on a crowded machine.
constexpr int64_t held_for = 5'000'000'000;

// The limit of threads that is set where oneTBB's default does not suffice, at least: above what
// oneTBB would start in any case.
constexpr size_t raised_limit = 256;

// Whether a worker that is kept idle takes none from the program: neither its limit nor oneTBB's
// default holds.
bool has_workers_to_spare() {
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) >=
         raised_limit;
}

}  // namespace

struct WorkerArenas::Arena {
  // No slot is kept for threads of the program, which never enter.
  tbb::task_arena tasks{/*max_concurrency=*/1, /*reserved_for_masters=*/0};
  Arena* next = nullptr;  // in the list of idle ones
  bool held = false;      // idle, and its worker waits in wait_for_call(); guarded by the lock
  int64_t called_at = 0;
  std::atomic<uint32_t> called{0};  // 1: the worker that waits has a call
};

// The function that oneTBB copies and runs. ThreadSanitizer does not see that the copy comes before
// the run.
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
  // program as well.
  // It is never taken back, and lies in static storage so that nobody takes it for a leak.
  alignas(tbb::global_control) static std::byte storage[sizeof(tbb::global_control)];
  [[maybe_unused]] static const auto* const limit =
      new (storage) tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                        std::max({raised_limit, 2 * usual, size_t{most} + 1}));
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

void WorkerArenas::note_call(Arena& arena) {
  arena.called_at = os::now_ns();
  int64_t none = 0;
  unanswered_since_.compare_exchange_strong(none, arena.called_at, std::memory_order_relaxed);
}

bool WorkerArenas::enqueue(Arena& arena) {
  note_call(arena);
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
  bool held;
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
    held = std::exchange(arena->held, false);
  }
  if (held) {
    note_call(*arena);
    arena->called.store(1, std::memory_order_release);
    os::wake_one(arena->called);
    return true;
  }
  // Without memory for a task the arena stays out of use, since its worker may count on it.
  return enqueue(*arena);
}

// Returns whether a call has come for the worker, which is idle in its arena.
bool WorkerArenas::wait_for_call(Arena& arena) {
  const int64_t end = os::now_ns() + held_for;
  while (arena.called.load(std::memory_order_acquire) == 0) {
    const int64_t left = end - os::now_ns();
    if (left > 0) {
      os::sleep_while(arena.called, 0, left);
      continue;
    }
    MutexLock lock(mutex_);
    if (std::exchange(arena.held, false)) return false;
    break;  // a call has taken it from the list just now
  }
  while (arena.called.load(std::memory_order_acquire) == 0) os::sleep_while(arena.called, 0);
  return true;
}

// Runs in a worker, which may have worked for the program before.
void WorkerArenas::serve(Arena& arena) {
  [[gnu::tls_model("initial-exec")]] static constinit thread_local bool known = false;
  bool woken = true;  // rather than started
  if (!known) {
    woken = false;
    known = true;
    os::adopt_thread("cuvette-worker");
    os::wake_on_time();
    // Made now, because later a thread that closes a library may hold the loader's lock and wait
    // for us.
    (void)ThreadEnd::current();
  }
  for (;;) {
    unanswered_since_.store(0, std::memory_order_relaxed);
    if (woken) Oversubscription::waited(arena.called_at, os::now_ns());
    run_();
    bool held;
    {
      MutexLock lock(mutex_);
      if (calls_ > 0) {
        --calls_;
        woken = false;
        continue;
      }
      arena.next = idle_;
      idle_ = &arena;
      // Before it lets a worker sleep, oneTBB has it yield a hundred times, and look for work in
      // between. Beside threads that compute each of these takes as long as their turns, and a call
      // would wait for that.
      held = arena.held = Oversubscription::seen() && has_workers_to_spare();
      arena.called.store(0, std::memory_order_relaxed);
    }
    if (!held || !wait_for_call(arena)) return;
    woken = true;
  }
}

}  // namespace cuvette::exec
