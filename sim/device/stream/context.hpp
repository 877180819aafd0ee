// SPDX-License-Identifier: Apache-2.0
// Context: the state of one use of one device: streams, limits, a sticky error, and the rules of
// order between its streams.
//
// Threads: any. Lock order: an event's lock, order_mutex_, a stream's append lock, waits_mutex_,
// active_mutex_, a timeline's lock, the ready list's.
// Invariants: every stream with work is in active_, which keeps it alive; a stream in unordered_
// has commands that the legacy stream's next command must wait for. Streams keep their context, so
// both lists and waits_ are empty once it has been torn down, but for streams that still have work:
// those leave when they are done (Stream::leave_ended_context).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/machine/device_heap.hpp"
#include "sim/device/model/profile.hpp"
#include "sim/device/stream/ended_objects.hpp"
#include "sim/device/stream/print_buffer.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/exec/host_thread.hpp"
#include "sim/exec/serial_queue.hpp"

namespace cuvette::device {

class Device;

// The number of launches that have not ended. Submitters and runners write at the same time, so
// each side has its own cache line.
class LaunchCount {
 public:
  void begin() { begun_.fetch_add(1, std::memory_order_relaxed); }
  void end() { ended_.fetch_add(1, std::memory_order_release); }
  // Note which kernel a runner is at, for those who look on: one of them, if several run. Names are
  // never freed.
  void runs(const char* kernel) { running_.store(kernel, std::memory_order_relaxed); }
  const char* running() const { return running_.load(std::memory_order_relaxed); }
  bool any() const {
    const uint64_t ended = ended_.load(std::memory_order_acquire);
    return begun_.load(std::memory_order_acquire) != ended;
  }

 private:
  alignas(64) std::atomic<uint64_t> begun_{0};
  alignas(64) std::atomic<uint64_t> ended_{0};
  std::atomic<const char*> running_{nullptr};
  [[maybe_unused]] char behind_[64 - sizeof(uint64_t) - sizeof(const char*)];
};

// CU_CTX_SCHED_*: how a thread of a context waits.
namespace context_flag {
inline constexpr unsigned sched_spin = 1, sched_yield = 2, sched_blocking = 4, sched_mask = 7;
}  // namespace context_flag

class Context final : public Counted, public ApiObject {
 public:
  // `flags` are CU_CTX_*, checked by the caller.
  Context(Device& device, unsigned flags, bool primary);

  Device& device() const { return device_; }
  bool primary() const { return primary_; }
  // A number that identifies this context until it is torn down; a revived primary context gets a
  // new one. Allocations store it as their owner.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  bool alive() const { return alive_.load(std::memory_order_acquire); }
  unsigned flags() const { return flags_.load(std::memory_order_relaxed); }
  void set_flags(unsigned flags) { flags_.store(flags, std::memory_order_relaxed); }
  exec::Patience patience() const;

  // --- Errors ---
  // The error of the first device command that failed; it stays.
  std::optional<Error> error() const {
    const int code = error_.load(std::memory_order_acquire);
    if (code == 0) return std::nullopt;
    return static_cast<Error>(code);
  }
  // The same, for calls that wait for work or ask how far it is: later calls return it as well.
  std::optional<Error> tell_error() {
    const auto found = error();
    if (found) error_returned_.store(true, std::memory_order_release);
    return found;
  }
  // The same for all other calls: null until the error was returned. Measured on an H200: nothing
  // else notices that a kernel has failed, however long ago.
  std::optional<Error> returned_error() const {
    return error_returned_.load(std::memory_order_acquire) ? error() : std::nullopt;
  }
  void fail(Error error);
  // The time of os::now_ns() when it was torn down; 0 while it lives.
  int64_t ended_ns() const { return ended_ns_.load(std::memory_order_acquire); }
  // Drops the remaining work of a context that is being torn down. True for the first caller.
  bool give_up();

  // --- Streams ---
  Stream& legacy_stream() const { return *legacy_; }
  Ref<Stream> make_stream(StreamKind kind, int priority);

  // Appends a command, adds the edges that the rules between streams require, and returns its
  // number. submit() offers it to the workers; submit_for_helper() leaves it to the caller, who is
  // about to wait for it, or to call run_or_offer().
  uint64_t submit(Stream& stream, Operation&& operation);
  uint64_t submit_for_helper(Stream& stream, Operation&& operation);
  // Runs command `number`, which must take no time, if nothing is before it in `stream`; otherwise
  // offers it to the workers. Call it without a lock.
  static void run_or_offer(Stream& stream, uint64_t number);

  // Returns when `stream` has completed its commands up to `number`. Observers are notified that
  // the application may rely on commands up to `promised`, a lower number where the documentation
  // promises less.
  void wait_for(Stream& stream, uint64_t number) { wait_for(stream, number, number); }
  void wait_for(Stream& stream, uint64_t number, uint64_t promised);
  // Like wait_for(), for a stream that the application waits for. Measured on an H200: a wait for
  // the legacy stream also waits for all blocking streams, as its next command would; the
  // documentation does not promise that.
  void synchronise(Stream& stream, uint64_t number) EXCLUDES(order_mutex_);
  // Returns when everything submitted to any of its streams before the call is completed.
  void synchronise() EXCLUDES(active_mutex_);
  // The same without notifying observers: the documentation does not promise the program this wait.
  void wait_for_submitted() EXCLUDES(active_mutex_);
  // Returns an edge for each stream with work: the last command submitted to it.
  std::vector<exec::Edge> under_way() EXCLUDES(active_mutex_);

  // Makes everything that is submitted from now on, to any stream, run after `edge`.
  void add_wait(exec::Edge edge) EXCLUDES(waits_mutex_);

  exec::HostThread& host_thread() { return *host_thread_; }

  // --- Kernels ---
  // The launches that have not ended; they may touch any memory of the context.
  LaunchCount kernels;
  // How many streams it has, its legacy stream among them.
  std::atomic<uint64_t> stream_count{0};
  // Returns how many commands are not completed.
  uint64_t pending() EXCLUDES(active_mutex_);
  PrintBuffer& prints() { return prints_; }
  DeviceHeap& heap() { return heap_; }
  EndedObjects& ended_objects() { return ended_objects_; }
  const EndedObjects& ended_objects() const { return ended_objects_; }

  // --- Limits ---
  // Errors: invalid_value for a number that CUDA does not define, unsupported_limit.
  Result<size_t> limit(Limit limit) const;
  Result<> set_limit(Limit limit, size_t value) EXCLUDES(active_mutex_);

  // Kept only for queries: CUfunc_cache, and cuCtxAttach's count.
  std::atomic<int> cache_config{0};
  std::atomic<int> usage{1};

  // --- The living contexts ---
  // Returns the context of this generation, the number by which memory knows its owner; null if
  // there is none.
  static Ref<Context> of_generation(uint64_t generation);
  // Whether the device has a living context.
  static bool any_on(const Device& device);
  // Returns when no operation of any context touches `allocation` any more, so that it can end.
  // Most applications order that themselves; this protects the work of the others.
  static void wait_for_users(const memory::Allocation& allocation);

  // --- End and return ---
  // Makes tear_down() call `hook` first, because captures end with their context.
  static void on_tear_down(void (*hook)(Context& context)) {
    tear_down_hook_.store(hook, std::memory_order_release);
  }
  // Calls `hook` once, when the next context comes up.
  static void on_first(void (*hook)()) { first_hook_.store(hook, std::memory_order_release); }
  // Waits for all work and frees all memory. The object lives on while anything still refers to it.
  void tear_down();
  // Brings back a primary context that was torn down, empty.
  void revive();

 private:
  friend class Stream;
  ~Context() override;

  // Streams with work that the legacy stream's next command would wait for, and their last
  // commands.
  std::vector<std::pair<Ref<Stream>, uint64_t>> before_legacy() EXCLUDES(order_mutex_);
  uint64_t append(Stream& stream, Operation&& operation) EXCLUDES(order_mutex_, active_mutex_);
  void order(Stream& stream, Operation& operation) REQUIRES(order_mutex_);
  void activate(const Ref<Stream>& stream) EXCLUDES(active_mutex_);
  void drop_idle() REQUIRES(active_mutex_);
  // Only after tear_down(): takes `stream` off the list of streams with work, at once if it is
  // idle, else as soon as it is.
  void leave(Stream& stream) EXCLUDES(active_mutex_);
  // Call these with active_mutex_ held. True: `stream` is idle, and the caller removes it from
  // active_. deactivate_or_keep() makes a busy stream keep the context alive until it is idle.
  static bool deactivate(Stream& stream);
  bool deactivate_or_keep(Stream& stream);

  // For Stream::append(): the number of calls of add_wait(), and their edges.
  uint64_t waits() const { return waits_count_.load(std::memory_order_acquire); }
  void add_waits(const Stream& stream, Operation& operation) EXCLUDES(waits_mutex_);

  static std::atomic<void (*)(Context& context)> tear_down_hook_;
  static std::atomic<void (*)()> first_hook_;

  Device& device_;
  const bool primary_;
  std::atomic<uint64_t> generation_;
  std::atomic<bool> alive_{true};
  std::atomic<unsigned> flags_;
  std::atomic<int> error_{0};
  std::atomic<bool> error_returned_{false};
  std::atomic<uint64_t> waits_count_{0};
  std::atomic<int64_t> ended_ns_{0};
  std::atomic<size_t> limits_[Profile::limit_end]{};

  const Ref<Stream> legacy_;
  const Ref<exec::HostThread> host_thread_ = make_ref<exec::HostThread>();
  PrintBuffer prints_;
  DeviceHeap heap_;
  EndedObjects ended_objects_;

  Mutex waits_mutex_;
  std::vector<exec::Edge> waits_ GUARDED_BY(waits_mutex_);

  Mutex order_mutex_;
  std::vector<Ref<Stream>> unordered_ GUARDED_BY(order_mutex_);
  size_t prune_unordered_at_ GUARDED_BY(order_mutex_) = 64;

  Mutex active_mutex_;
  std::vector<Ref<Stream>> active_ GUARDED_BY(active_mutex_);
  size_t prune_active_at_ GUARDED_BY(active_mutex_) = 64;
};

}  // namespace cuvette::device
