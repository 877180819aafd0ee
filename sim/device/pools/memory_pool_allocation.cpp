// SPDX-License-Identifier: Apache-2.0
#include "sim/device/pools/memory_pool.hpp"

#include <algorithm>
#include <utility>

#include "sim/device/pools/memory_pool_parts.hpp"
#include "sim/device/stream/freed.hpp"
#include "sim/device/stream/late_uses.hpp"
#include "sim/device/stream/peer_access.hpp"
#include "sim/memory/recorded.hpp"

namespace cuvette::device {
namespace {

using memory::Allocation;
using memory::FreedAt;

// Measured: a pool's first reserve.
constexpr size_t reserve_unit = 32 << 20;
constexpr size_t most_host_memory = size_t{1} << 46;  // half of what a process can address

}  // namespace

// --- Begin and end -------------------------------------------------------------------------------

MemoryPool::MemoryPool(const Options& options, bool imported)
    : options_(options), imported_(imported), id_(Machine::get().next_id()) {
  StreamOrder::keep();
}

MemoryPool::~MemoryPool() {
  forget_pool_rights(id_);
  for (const auto& [address, reserve] : reserves_) static_cast<void>(address_space().free(reserve));
}

Result<Ref<MemoryPool>> MemoryPool::create(const Options& options) {
  auto pool = make_ref<MemoryPool>(options, false);
  if (options.shareable) {
    const size_t all = address_space().usage(pool->device()).total;
    const size_t size =
        round_up(options.max_size ? std::min(options.max_size, all) : all, small_unit);
    pool->segment_ = TRY(make_shared_segment(pool->device(), size));
    MutexLock lock(pool->mutex_);
    pool->offsets_ = std::make_unique<memory::Heap>(shared_header_size, size);
  }
  MutexLock lock(pools().mutex);
  pools().by_id.emplace(pool->id_, pool);
  return pool;
}

bool MemoryPool::destroyed() {
  MutexLock lock(mutex_);
  return destroyed_;
}

bool MemoryPool::left(size_t size) {
  account_.used -= size;
  return --living_ == 0 && destroyed_;
}

// --- Reuse ---------------------------------------------------------------------------------------

bool MemoryPool::reached(FreedAt freed) {
  if (freed.settled()) return true;
  const auto stream = streams_.find(freed.stream);
  return stream != streams_.end() && stream->second->reached(freed.value);
}

void MemoryPool::drop_streams() {
  std::erase_if(streams_,
                [&](const auto& entry) REQUIRES(mutex_) { return !blocks_.any_of(entry.first); });
}

void MemoryPool::settle(const memory::PoolBlocks::Permit& known) {
  blocks_.settle(known);
  drop_streams();
}

void MemoryPool::take_unused_parts() {
  std::erase_if(misused_, [&](const Ref<Allocation>& part) REQUIRES(mutex_) {
    if (part->users.load(std::memory_order_acquire) > 0) return false;
    blocks_.give(part->address, taken_by(part->size), {});
    return true;
  });
}

std::optional<memory::PoolBlocks::Taken> MemoryPool::find_block(size_t size, const Stream& stream,
                                                                const Known* known) {
  if (!misused_.empty()) take_unused_parts();
  const auto ordered = [&](FreedAt freed) REQUIRES(mutex_) {
    if (policy_.follow_events && known && known->last_of(freed.stream) >= freed.value) return true;
    return policy_.opportunistic && reached(freed);
  };
  if (auto taken =
          blocks_.take(size, stream.id(), [&](FreedAt f) REQUIRES(mutex_) { return ordered(f); }))
    return taken;
  // Blocks with completed frees merge with their neighbours, and may then be large enough.
  if (!policy_.opportunistic || streams_.empty()) return std::nullopt;
  settle([&](FreedAt freed) REQUIRES(mutex_) { return reached(freed); });
  return blocks_.take(size, stream.id(), [&](FreedAt f) REQUIRES(mutex_) { return ordered(f); });
}

// --- Reserves ------------------------------------------------------------------------------------

Result<Ref<Allocation>> MemoryPool::reserve(size_t size) {
  if (options_.max_size && blocks_.reserved() + size > options_.max_size)
    return refuse(Error::out_of_memory, "The pool may hold %zu bytes and already holds %zu.",
                  options_.max_size, blocks_.reserved());
  const memory::Requester requester{.device = static_cast<uint8_t>(device())};
  if (home().memory != memory::PoolMemory::device)
    return address_space().reserve_host(home().memory, size, requester);
  if (!segment_) return address_space().reserve(size, requester);
  const auto place = offsets_->take(size, small_unit);
  if (!place) return Error::out_of_memory;
  auto reserve = address_space().reserve(segment_, place->at, size, requester);
  if (!reserve.ok()) offsets_->give(place->at, size);
  return reserve;
}

Result<> MemoryPool::grow(size_t size) {
  Result<Ref<Allocation>> reserve = Error::out_of_memory;
  for (const size_t unit : {reserve_unit, small_unit, granularity}) {
    // A reserve of a shared pool consists of whole pages.
    if (unit == granularity && segment_) break;
    reserve = this->reserve(round_up(size, unit));
    if (reserve.ok()) break;
  }
  if (!reserve.ok()) return reserve.error();
  Ref<Allocation> fresh = std::move(reserve).value();
  blocks_.add(fresh->address, fresh->size);
  account_.reserved = blocks_.reserved();
  account_.reserved_high = std::max(account_.reserved_high, account_.reserved);
  reserves_.emplace(fresh->address, std::move(fresh));
  return {};
}

// Gives back unused reserves while the pool holds more than `most` bytes and would keep `least`.
void MemoryPool::release_above(size_t most, size_t least) {
  if (blocks_.reserved() <= most) return;
  if (!misused_.empty()) take_unused_parts();
  const auto removed = blocks_.remove_unused(
      [&](FreedAt freed) REQUIRES(mutex_) { return reached(freed); },
      [&](size_t size) REQUIRES(mutex_) {
        return blocks_.reserved() > most && blocks_.reserved() - size >= least;
      });
  for (const uint64_t address : removed) {
    const auto reserve = reserves_.find(address);
    const uint64_t offset = reserve->second->offset, size = reserve->second->size;
    static_cast<void>(address_space().free(reserve->second));
    if (segment_) offsets_->give(offset, size);
    reserves_.erase(reserve);
  }
  account_.reserved = blocks_.reserved();
  drop_streams();
}

void MemoryPool::trim_to(size_t least) {
  MutexLock lock(mutex_);
  release_above(least, least);
}

// --- Allocations ---------------------------------------------------------------------------------

Result<memory::DevicePtr> MemoryPool::allocate(Stream& stream, size_t size, const void* call_site) {
  auto address = allocate_now(stream, size, call_site);
  if (address.ok() || address.error() != Error::out_of_memory || is_full(size)) return address;
  // Memory of other pools, and of pools that were destroyed, may come back.
  if (!address_space().wait_for_frees()) return address;
  return allocate_now(stream, size, call_site);
}

// Whether the pool's own limit, and not the device's memory, is what refuses `size` more bytes.
bool MemoryPool::is_full(size_t size) {
  MutexLock lock(mutex_);
  return options_.max_size && blocks_.reserved() + taken_by(size) > options_.max_size;
}

Result<memory::DevicePtr> MemoryPool::allocate_now(Stream& stream, size_t size,
                                                   const void* call_site) {
  if (imported_)
    return refuse(Error::invalid_value,
                  "An imported pool cannot allocate memory; only the exporter's pool can.");
  // Host memory may be larger than the device's.
  const bool own = home().memory == memory::PoolMemory::device;
  const size_t all = own ? address_space().usage(device()).total : most_host_memory;
  if (size > all)
    return refuse(Error::out_of_memory, "%zu bytes are more than the %s has (%zu).", size,
                  own ? "device" : "address space", all);
  const size_t whole = taken_by(size);
  Ref<Allocation> part;
  // Work that is known to be complete now comes before the command that is submitted below.
  const Ref<const Known> known = stream.order().known();
  exec::Edge internal;
  uint64_t internal_stream = 0;
  {
    MutexLock lock(mutex_);
    auto taken = find_block(whole, stream, known.get());
    if (!taken) {
      Result<> grown = grow(whole);
      if (!grown.ok() && blocks_.reserved() != 0) {
        release_above(0, 0);
        grown = grow(whole);
      }
      if (grown.ok()) {
        taken = find_block(whole, stream, known.get());
      } else if (policy_.internal_dependencies) {
        taken = blocks_.take(whole, stream.id(), [](FreedAt) { return true; });
        const auto freer = taken ? streams_.find(taken->freed.stream) : streams_.end();
        if (freer != streams_.end() && freer->second.get() != &stream) {
          internal = {freer->second, taken->freed.value};
          internal_stream = freer->first;
        }
      }
      if (!taken) return grown.ok() ? Error::out_of_memory : grown.error();
    }
    const Allocation& reserve = *std::prev(reserves_.upper_bound(taken->at))->second;
    auto cut = address_space().cut(reserve, taken->at, size, id_,
                                   {0, static_cast<uint8_t>(device()), call_site});
    if (!cut.ok()) {
      blocks_.give(taken->at, whole, taken->freed);
      return cut.error();
    }
    part = std::move(cut).value();
    if (home().memory == memory::PoolMemory::host)
      part->access.store(host_access_, std::memory_order_release);
    ++living_;
    account_.used += size;
    account_.used_high = std::max(account_.used_high, account_.used);
  }
  const memory::DevicePtr address = part->address;
  PoolAllocation allocation(std::move(part), Ref<Counted>(this), call_site);
  const uint64_t number = internal.value;
  if (internal.timeline) allocation.wait_for(std::move(internal));
  stream.context().submit(stream, std::move(allocation));
  if (internal_stream) stream.order().learn(nullptr, internal_stream, number);
  return address;
}

Result<> MemoryPool::free(const Ref<Allocation>& allocation, Stream& stream,
                          const void* call_site) {
  note_freed(*allocation);
  if (const auto hidden = address_space().hide(allocation); !hidden.ok())
    return refuse(hidden.error(), "0x%llx was already freed.",
                  static_cast<unsigned long long>(allocation->address));
  const Ref<MemoryPool> pool = of(*allocation);
  const uint64_t number = stream.context().submit(stream, PoolFree(allocation, pool, call_site));
  if (!pool) return {};
  bool last;
  {
    MutexLock lock(pool->mutex_);
    if (!pool->imported_) {
      if (!pool->streams_.contains(stream.id()))
        pool->streams_.emplace(stream.id(), Ref<Stream>(&stream));
      pool->blocks_.give(allocation->address, taken_by(allocation->size), {stream.id(), number});
    }
    last = pool->left(allocation->size);
  }
  if (last) pool->forget();
  return {};
}

// "This API will not perform any implicit synchronization when the pointer was allocated with
// cuMemAllocAsync".
Result<> MemoryPool::free(const Ref<Allocation>& allocation) {
  note_freed(*allocation);
  if (const auto hidden = address_space().hide(allocation); !hidden.ok())
    return refuse(hidden.error(), "0x%llx was already freed.",
                  static_cast<unsigned long long>(allocation->address));
  const Ref<MemoryPool> pool = of(*allocation);
  if (!pool) return {};
  const bool late = !pool->imported_ && LateUses::add(allocation);
  const bool used = late || allocation->users.load(std::memory_order_acquire) > 0;
  if (pool->imported_ || !used) address_space().end(*allocation);
  bool last;
  {
    MutexLock lock(pool->mutex_);
    if (!pool->imported_ && used) {
      memory::record_gone(*allocation);  // no command frees it
      pool->misused_.push_back(allocation);
    } else if (!pool->imported_) {
      pool->blocks_.give(allocation->address, taken_by(allocation->size), {});
    }
    last = pool->left(allocation->size);
  }
  if (last) pool->forget();
  return {};
}

// --- The host has waited -------------------------------------------------------------------------

void MemoryPool::synchronised_now(const Known* known, const Stream& stream, uint64_t number) {
  const uint64_t id = stream.id();
  for (const Ref<MemoryPool>& pool : all_pools()) {
    MemoryPool& self = *pool;
    MutexLock lock(self.mutex_);
    if (!self.streams_.empty())
      self.settle([&](FreedAt freed) REQUIRES(self.mutex_) {
        const bool before = freed.stream == id
                                ? freed.value <= number
                                : known && known->last_of(freed.stream) >= freed.value;
        return before && self.reached(freed);
      });
    self.release_above(self.policy_.release_threshold, 0);
  }
}

void MemoryPool::synchronised_now(const Context& context) {
  for (const Ref<MemoryPool>& pool : all_pools()) {
    MemoryPool& self = *pool;
    MutexLock lock(self.mutex_);
    if (!self.streams_.empty())
      self.settle([&](FreedAt freed) REQUIRES(self.mutex_) {
        const auto stream = self.streams_.find(freed.stream);
        return stream != self.streams_.end() && &stream->second->context() == &context &&
               self.reached(freed);
      });
    self.release_above(self.policy_.release_threshold, 0);
  }
}

// --- Attributes ----------------------------------------------------------------------------------

MemoryPool::Policy MemoryPool::policy() {
  MutexLock lock(mutex_);
  return policy_;
}

void MemoryPool::set_policy(const Policy& policy) {
  MutexLock lock(mutex_);
  policy_ = policy;
}

MemoryPool::Account MemoryPool::account() {
  MutexLock lock(mutex_);
  return account_;
}

// "This value can only be set to 0", and then follows from the present value.
void MemoryPool::reset_used_high() {
  MutexLock lock(mutex_);
  account_.used_high = account_.used;
}

void MemoryPool::reset_reserved_high() {
  MutexLock lock(mutex_);
  account_.reserved_high = account_.reserved;
}

}  // namespace cuvette::device
