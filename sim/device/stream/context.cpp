// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/context.hpp"

#include <algorithm>

#include "sim/base/rounding.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/machine/peers.hpp"
#include "sim/device/stream/living_contexts.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/exec/workers.hpp"
#include "sim/os/clock.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::device {
namespace {

// As far as there are numbers.
size_t rounded_up(size_t value, size_t unit) {
  return value > SIZE_MAX - unit ? value : round_up(value, unit);
}

// Returns what a limit becomes when it is set to `value`: "the driver is free to modify the
// requested value". Errors: invalid_value, not_permitted. Measured on an H200.
Result<size_t> settled_limit(Limit limit, size_t value, const Profile& profile) {
  const auto most_l2 = profile.amount(Attribute::MAX_PERSISTING_L2_CACHE_SIZE);
  switch (limit) {
    case Limit::stack_size:
      if (value > 512 << 10)
        return refuse(Error::invalid_value,
                      "A stack of %zu bytes is too large: the limit is 512 KiB per thread.", value);
      return rounded_up(value, 16);
    case Limit::printf_fifo_size:
      return std::max<size_t>(value, 512 << 10);
    case Limit::malloc_heap_size:
      return std::max<size_t>(rounded_up(value, 64 << 10), 4 << 20);
    case Limit::dev_runtime_sync_depth:  // "24 levels at most"
      if (value > 24)
        return refuse(Error::invalid_value, "A depth of %zu grids is too large: the limit is 24.",
                      value);
      return value;
    case Limit::dev_runtime_pending_launch_count:
      return std::clamp<size_t>(value, 32, 599186);
    case Limit::max_l2_fetch_granularity:
      if (value > 128)
        return refuse(Error::invalid_value,
                      "A granularity of %zu bytes is too large: the limit is 128.", value);
      return value;
    case Limit::persisting_l2_cache_size:
      if (value > most_l2)
        return refuse(Error::invalid_value,
                      "%zu bytes of cache are more than can be set aside (%zu).", value, most_l2);
      return rounded_up(value, std::max<size_t>(most_l2 / 10, 1));
    default:
      return refuse(Error::not_permitted, "Limit %d is read-only.", static_cast<int>(limit));
  }
}

// The living contexts.
struct Registry {
  Mutex mutex;
  std::vector<Context*> contexts GUARDED_BY(mutex);

  static Registry& get() {
    static auto* const registry = new Registry;
    return *registry;
  }
  std::vector<Ref<Context>> all() EXCLUDES(mutex) {
    std::vector<Ref<Context>> all;
    MutexLock lock(mutex);
    for (Context* context : contexts) all.emplace_back(context);
    return all;
  }
};

}  // namespace

std::atomic<void (*)(Context& context)> Context::tear_down_hook_{nullptr};

Ref<Context> Context::of_generation(uint64_t generation) {
  Registry& registry = Registry::get();
  MutexLock lock(registry.mutex);
  for (Context* context : registry.contexts)
    if (context->generation() == generation) return Ref<Context>(context);
  return nullptr;
}

bool Context::any_on(const Device& device) {
  Registry& registry = Registry::get();
  MutexLock lock(registry.mutex);
  return std::ranges::any_of(registry.contexts,
                             [&](const Context* context) { return &context->device() == &device; });
}

void Context::wait_for_users(const memory::Allocation& allocation) {
  // The memory that kernels touch is unknown: any running kernel might touch this.
  for (const Ref<Context>& context : Registry::get().all())
    if (context->kernels.any()) context->wait_for_submitted();
  while (allocation.users.load(std::memory_order_acquire) > 0)
    for (const Ref<Context>& context : Registry::get().all()) context->wait_for_submitted();
}

Context::Context(Device& device, unsigned flags, bool primary)
    : device_(device),
      primary_(primary),
      generation_(0),
      flags_(flags),
      legacy_(make_stream(StreamKind::legacy, 0)) {
  revive();
}

Context::~Context() { host_thread_->stop(); }

void Context::revive() {
  generation_.store(Machine::get().next_id(), std::memory_order_release);
  for (int number = 0; number < Profile::limit_end; ++number)
    limits_[number].store(device_.profile().limit(static_cast<Limit>(number)).value_or(0),
                          std::memory_order_relaxed);
  error_.store(0, std::memory_order_relaxed);
  error_returned_.store(false, std::memory_order_relaxed);
  ended_ns_.store(0, std::memory_order_release);
  {
    MutexLock lock(Registry::get().mutex);
    Registry::get().contexts.push_back(this);
  }
  alive_.store(true, std::memory_order_release);
}

void Context::tear_down() {
  if (!alive_.exchange(false, std::memory_order_seq_cst)) return;
  ended_ns_.store(os::now_ns(), std::memory_order_release);
  if (const auto hook = tear_down_hook_.load(std::memory_order_acquire)) hook(*this);
  Machine& machine = Machine::get();
  observers().notify(&Observer::context_ending, *this);
  synchronise();
  host_thread_->stop();
  {
    MutexLock lock(Registry::get().mutex);
    std::erase(Registry::get().contexts, this);
  }
  Peers::get().forget(generation());
  for (const Ref<memory::Allocation>& allocation : machine.memory().all())
    if (allocation->owner == generation()) wait_for_users(*allocation);
  heap_.forget();
  ended_objects_.clear();
  machine.memory().free_all_of(generation());
  {
    MutexLock lock(order_mutex_);
    for (const Ref<Stream>& stream : unordered_) stream->unordered_ = false;
    unordered_.clear();
  }
  {
    // The edges keep streams alive, and the streams this context.
    MutexLock lock(waits_mutex_);
    waits_.clear();
  }
  // Streams left in the list would keep this context alive, and it them.
  MutexLock lock(active_mutex_);
  std::erase_if(active_, [this](const Ref<Stream>& stream) { return deactivate_or_keep(*stream); });
}

exec::Patience Context::patience() const {
  switch (flags() & context_flag::sched_mask) {
    case context_flag::sched_spin:
      return exec::Patience::spin;
    case context_flag::sched_yield:
      return exec::Patience::yield;
    case context_flag::sched_blocking:
      return exec::Patience::block;
    default:
      return exec::Patience::automatic;
  }
}

void Context::fail(Error error) {
  int none = 0;
  error_.compare_exchange_strong(none, static_cast<int>(error), std::memory_order_acq_rel);
  device_.poison(error);
}

bool Context::give_up() {
  int none = 0;
  return error_.compare_exchange_strong(none, static_cast<int>(Error::context_is_destroyed),
                                        std::memory_order_acq_rel);
}

Result<size_t> Context::limit(Limit limit) const {
  const int number = static_cast<int>(limit);
  if (number < 0 || number >= Profile::limit_end)
    return refuse(Error::invalid_value, "%d is not a limit.", number);
  if (!device_.profile().limit(limit))
    return refuse(Error::unsupported_limit, "The device does not have limit %d.", number);
  return limits_[number].load(std::memory_order_relaxed);
}

Result<> Context::set_limit(Limit limit, size_t value) {
  const size_t before = TRY(this->limit(limit));
  const size_t settled = TRY(settled_limit(limit, value, device_.profile()));
  // Measured: kernels that run keep the stack that they have, so another size waits for all of
  // them. The other limits, and the same size, wait for nothing.
  size_t told = settled;
  if (limit == Limit::stack_size) {
    // Measured: where the rounded size stays as it was, the given one is reported from now on.
    if (settled == rounded_up(before, 16))
      told = value;
    else
      wait_for_submitted();
  }
  limits_[static_cast<int>(limit)].store(told, std::memory_order_relaxed);
  return {};
}

Ref<Stream> Context::make_stream(StreamKind kind, int priority) {
  auto made = make_ref<Stream>(*this, kind, priority, Machine::get().next_stream_id());
  if (kind != StreamKind::legacy) observers().notify(&Observer::created, *made);
  return made;
}

// "The legacy default stream ... synchronizes with all other streams in the same CUcontext except
// for non-blocking streams": its commands wait for everything in blocking streams, and later
// commands in those wait for it.
void Context::order(Stream& stream, Operation& operation) {
  if (stream.kind() == StreamKind::legacy) {
    for (Ref<Stream>& other : unordered_) {
      const uint64_t last = other->submitted();
      if (!other->reached(last)) operation.wait_for({other, last});
      other->unordered_ = false;
    }
    unordered_.clear();
    return;
  }
  const uint64_t legacy_last = legacy_->submitted();
  if (legacy_last > stream.legacy_seen_) {
    if (!legacy_->reached(legacy_last)) operation.wait_for({legacy_, legacy_last});
    stream.legacy_seen_ = legacy_last;
  }
  if (stream.unordered_ || !alive()) return;
  if (unordered_.size() >= prune_unordered_at_) {
    std::erase_if(unordered_, [](const Ref<Stream>& other) {
      if (!other->idle()) return false;
      other->unordered_ = false;
      return true;
    });
    prune_unordered_at_ = std::max<size_t>(64, 2 * unordered_.size());
  }
  stream.unordered_ = true;
  unordered_.emplace_back(&stream);
}

uint64_t Context::append(Stream& stream, Operation&& operation) {
  uint64_t number;
  if (stream.kind() == StreamKind::non_blocking) {
    number = stream.append(std::move(operation));
  } else {
    // Two threads that submit to the legacy and to a blocking stream must agree on which command
    // came first, or each would wait for the other.
    MutexLock lock(order_mutex_);
    order(stream, operation);
    number = stream.append(std::move(operation));
  }
  if (!stream.active_.load(std::memory_order_seq_cst)) activate(Ref<Stream>(&stream));
  return number;
}

uint64_t Context::submit(Stream& stream, Operation&& operation) {
  const bool calls_host = operation.calls_host();
  const uint64_t number = append(stream, std::move(operation));
  if (!calls_host || !stream.post_host_call(number)) stream.offer_told();
  exec::Workers::get().stand_in();
  return number;
}

uint64_t Context::submit_for_helper(Stream& stream, Operation&& operation) {
  return append(stream, std::move(operation));
}

void Context::run_or_offer(Stream& stream, uint64_t number) {
  if (!stream.run_if_next(number)) stream.offer_told();
  exec::Workers::get().stand_in();
}

void Context::wait_for(Stream& stream, uint64_t number, uint64_t promised) {
  if (record::recorder()) [[unlikely]]
    record::note(stream.reached(number) ? record_format::CallClass::idle
                                        : record_format::CallClass::pending);
  exec::help_until(stream, number, stream.patience());
  prints_.flush();
  if (promised) observers().notify(&Observer::waited_for, stream, promised);
}

std::vector<std::pair<Ref<Stream>, uint64_t>> Context::before_legacy() {
  std::vector<std::pair<Ref<Stream>, uint64_t>> pending;
  MutexLock lock(order_mutex_);
  // Programs poll this: streams found idle are dropped, so that they are not checked again.
  std::erase_if(unordered_, [&](const Ref<Stream>& stream) {
    const uint64_t last = stream->submitted();
    if (!stream->reached(last)) {
      pending.emplace_back(stream, last);
      return false;
    }
    stream->unordered_ = false;
    return true;
  });
  return pending;
}

void Context::synchronise(Stream& stream, uint64_t number) {
  if (stream.kind() != StreamKind::legacy) return wait_for(stream, number);
  const Observers& observers = device::observers();
  observers.notify(&Observer::synchronising, *this, Streams::blocking);
  for (const auto& [other, last] : before_legacy()) wait_for(*other, last, 0);
  wait_for(stream, number);
  observers.notify(&Observer::synchronised, *this, Streams::blocking);
}

void Context::activate(const Ref<Stream>& stream) {
  MutexLock lock(active_mutex_);
  if (stream->active_.load(std::memory_order_relaxed)) return;
  if (active_.size() >= prune_active_at_) {
    drop_idle();
    prune_active_at_ = std::max<size_t>(64, 2 * active_.size());
  }
  stream->active_.store(true, std::memory_order_relaxed);
  active_.push_back(stream);
  // The submitting thread was inside its call while another tore the context down.
  if (!alive() && deactivate_or_keep(*stream)) active_.pop_back();
}

bool Context::deactivate(Stream& stream) {
  // Sequentially consistent against append(): either append() sees the cleared flag, or this sees
  // its command.
  stream.active_.store(false, std::memory_order_seq_cst);
  if (stream.completed() == stream.submitted_.load(std::memory_order_seq_cst)) return true;
  stream.active_.store(true, std::memory_order_relaxed);
  return false;
}

void Context::drop_idle() {
  std::erase_if(active_, [](const Ref<Stream>& stream) { return deactivate(*stream); });
}

bool Context::deactivate_or_keep(Stream& stream) {
  // This comes first, because the runner looks for it after the last command.
  stream.keep_ended_context(*this);
  if (!deactivate(stream)) return false;
  stream.take_ended_context();
  return true;
}

void Context::leave(Stream& stream) {
  MutexLock lock(active_mutex_);
  if (!stream.active_.load(std::memory_order_relaxed) || !deactivate_or_keep(stream)) return;
  std::erase(active_, Ref<Stream>(&stream));
}

void Context::synchronise() {
  const Observers& observers = device::observers();
  observers.notify(&Observer::synchronising, *this, Streams::all);
  wait_for_submitted();
  observers.notify(&Observer::synchronised, *this, Streams::all);
}

std::vector<exec::Edge> Context::under_way() {
  std::vector<exec::Edge> edges;
  MutexLock lock(active_mutex_);
  drop_idle();
  edges.reserve(active_.size());
  for (const Ref<Stream>& stream : active_) edges.push_back({stream, stream->submitted()});
  return edges;
}

void Context::add_wait(exec::Edge edge) {
  const bool watched = observers().want_edges();
  if (edge.reached() && !watched) return;
  MutexLock lock(waits_mutex_);
  if (!alive()) return;
  if (!watched) std::erase_if(waits_, [](const exec::Edge& wait) { return wait.reached(); });
  waits_.push_back(std::move(edge));
  waits_count_.fetch_add(1, std::memory_order_release);
}

void Context::add_waits(const Stream& stream, Operation& operation) {
  const bool watched = observers().want_edges();
  MutexLock lock(waits_mutex_);
  for (const exec::Edge& wait : waits_)
    if (wait.timeline.get() != &stream && (watched || !wait.reached())) operation.wait_for(wait);
}

void Context::wait_for_submitted() {
  std::vector<std::pair<Ref<Stream>, uint64_t>> pending;
  {
    MutexLock lock(active_mutex_);
    drop_idle();
    pending.reserve(active_.size());
    for (const Ref<Stream>& stream : active_) pending.emplace_back(stream, stream->submitted());
  }
  for (auto& [stream, number] : pending) wait_for(*stream, number, 0);
  prints_.flush();
}

// --- All contexts --------------------------------------------------------------------------------

void wait_for_all_submitted() {
  for (const Ref<Context>& context : Registry::get().all()) context->wait_for_submitted();
}

std::optional<Error> error_of_a_context() {
  for (const Ref<Context>& context : Registry::get().all())
    if (const auto error = context->error()) return error;
  return std::nullopt;
}

}  // namespace cuvette::device
