// SPDX-License-Identifier: Apache-2.0
#include "sim/device/memory_pool.hpp"

#include <algorithm>
#include <utility>

#include "sim/device/machine.hpp"

namespace cuvette::device {
namespace {

using memory::Allocation;
using memory::FreedAt;

constexpr size_t MiB = 1 << 20;
constexpr size_t granularity = 512;
// Measured: a pool's first reserve.
constexpr size_t reserve_unit = 32 * MiB;
constexpr size_t small_unit = 2 * MiB;

size_t rounded(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

memory::AddressSpace& address_space() { return Machine::get().memory(); }

// All pools that can be asked for. Reached through a function: there are no static destructors
// here.
struct Pools {
  Mutex mutex;
  std::unordered_map<uint64_t, Ref<MemoryPool>> by_id GUARDED_BY(mutex);
  std::unordered_map<unsigned, Ref<MemoryPool>> default_of GUARDED_BY(mutex);
  std::unordered_map<unsigned, Ref<MemoryPool>> current_of GUARDED_BY(mutex);
};

Pools& pools() {
  static Pools& the_pools = *new Pools;
  return the_pools;
}

std::vector<Ref<MemoryPool>> all_pools() {
  MutexLock lock(pools().mutex);
  std::vector<Ref<MemoryPool>> all;
  all.reserve(pools().by_id.size());
  for (const auto& [id, pool] : pools().by_id) all.push_back(pool);
  return all;
}

// The bytes of a shared pool's segment before its parts.
struct Header {
  char magic[16];
  std::array<uint8_t, 16> device;  // its identifier
};
constexpr char pool_magic[16] = "cuvette pool 1\n";
constexpr size_t header_size = small_unit;
constexpr uint64_t part_magic = 0x747261506c6f6f50;

}  // namespace

// --- Begin and end -------------------------------------------------------------------------------

MemoryPool::MemoryPool(const Options& options, bool imported)
    : options_(options), imported_(imported), id_(Machine::get().next_id()) {
  StreamOrder::keep();
}

namespace {

// Which other devices may use the memory of which pool: a bit for each.
struct Guests {
  Mutex mutex;
  std::unordered_map<uint64_t, uint64_t> of GUARDED_BY(mutex);
};

Guests& guests() {
  static Guests& the_guests = *new Guests;
  return the_guests;
}

}  // namespace

void MemoryPool::let(unsigned device, bool may) {
  MutexLock lock(guests().mutex);
  uint64_t& mask = guests().of[id_];
  const uint64_t bit = uint64_t{1} << device;
  mask = may ? mask | bit : mask & ~bit;
}

bool MemoryPool::may_use(uint64_t pool, unsigned device) {
  MutexLock lock(guests().mutex);
  const auto found = guests().of.find(pool);
  return found != guests().of.end() && (found->second >> device & 1) != 0;
}

MemoryPool::~MemoryPool() {
  {
    MutexLock lock(guests().mutex);
    guests().of.erase(id_);
  }
  for (const auto& [address, reserve] : reserves_) static_cast<void>(address_space().free(reserve));
}

Result<Ref<MemoryPool>> MemoryPool::create(const Options& options) {
  auto pool = make_ref<MemoryPool>(options, false);
  if (options.shareable) {
    const size_t all = address_space().usage(options.device).total;
    const size_t size =
        rounded(options.max_size ? std::min(options.max_size, all) : all, small_unit);
    pool->segment_ = TRY(os::Segment::create("cuvette-pool", header_size + size));
    Header header{};
    std::copy(std::begin(pool_magic), std::end(pool_magic), header.magic);
    header.device = Machine::get().devices()[options.device]->identity().uuid;
    if (!pool->segment_->write(0, &header, sizeof header)) return Error::operating_system;
    MutexLock lock(pool->mutex_);
    pool->offsets_ = std::make_unique<memory::Heap>(header_size, size);
  }
  MutexLock lock(pools().mutex);
  pools().by_id.emplace(pool->id_, pool);
  return pool;
}

Ref<MemoryPool> MemoryPool::default_of(unsigned device) {
  {
    MutexLock lock(pools().mutex);
    if (const auto found = pools().default_of.find(device); found != pools().default_of.end())
      return found->second;
  }
  const Ref<MemoryPool> fresh = make_ref<MemoryPool>(Options{.device = device}, false);
  MutexLock lock(pools().mutex);
  const auto [place, first] = pools().default_of.emplace(device, fresh);
  if (first) pools().by_id.emplace(fresh->id_, fresh);
  return place->second;
}

Ref<MemoryPool> MemoryPool::current_of(unsigned device) {
  {
    MutexLock lock(pools().mutex);
    for (const auto* of : {&pools().current_of, &pools().default_of})
      if (const auto found = of->find(device); found != of->end()) return found->second;
  }
  return default_of(device);
}

Result<> MemoryPool::make_current(unsigned device, Ref<MemoryPool> pool) {
  if (pool->imported_)
    return refuse(Error::invalid_value, "An imported pool gives no memory: it cannot be current.");
  if (pool->device() != device)
    return refuse(Error::invalid_value, "The pool is of device %u, not of device %u.",
                  pool->device(), device);
  MutexLock lock(pools().mutex);
  std::swap(pools().current_of[device], pool);
  return {};
}

// "If any of the pointers obtained from this pool haven't been freed ... the resources associated
// with the pool will be released automatically once there are no more outstanding allocations."
Result<> MemoryPool::destroy() {
  {
    MutexLock lock(pools().mutex);
    const auto own = pools().default_of.find(device());
    if (own != pools().default_of.end() && own->second.get() == this)
      return refuse(Error::invalid_value, "The default pool of a device cannot be destroyed.");
    // "Destroying the current mempool of a device sets the default mempool of that device as the
    // current mempool for that device."
    const auto current = pools().current_of.find(device());
    if (current != pools().current_of.end() && current->second.get() == this)
      pools().current_of.erase(current);
  }
  bool last;
  {
    MutexLock lock(mutex_);
    destroyed_ = true;
    last = living_ == 0;
  }
  handle.store(0, std::memory_order_release);
  if (last) forget();
  return {};
}

bool MemoryPool::destroyed() {
  MutexLock lock(mutex_);
  return destroyed_;
}

bool MemoryPool::left(size_t size) {
  account_.used -= size;
  return --living_ == 0 && destroyed_;
}

void MemoryPool::forget() {
  MutexLock lock(pools().mutex);
  pools().by_id.erase(id_);
}

Ref<MemoryPool> MemoryPool::of(const Allocation& allocation) {
  if (allocation.pool == 0) return nullptr;
  MutexLock lock(pools().mutex);
  const auto found = pools().by_id.find(allocation.pool);
  return found == pools().by_id.end() ? nullptr : found->second;
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
    blocks_.give(part->address, rounded(part->size, granularity), {});
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
  if (auto taken = blocks_.take(size, stream.id(), [&](FreedAt f) { return ordered(f); }))
    return taken;
  // What is free for everybody joins its neighbours.
  if (!policy_.opportunistic || streams_.empty()) return std::nullopt;
  settle([&](FreedAt freed) REQUIRES(mutex_) { return reached(freed); });
  return blocks_.take(size, stream.id(), [&](FreedAt f) { return ordered(f); });
}

// --- Reserves ------------------------------------------------------------------------------------

Result<Ref<Allocation>> MemoryPool::reserve(size_t size) {
  if (options_.max_size && blocks_.reserved() + size > options_.max_size)
    return refuse(Error::out_of_memory, "The pool may hold %zu bytes and holds %zu already.",
                  options_.max_size, blocks_.reserved());
  const memory::Asker asker{.device = static_cast<uint8_t>(options_.device)};
  if (!segment_) return address_space().reserve(size, asker);
  const auto place = offsets_->take(size, small_unit);
  if (!place) return Error::out_of_memory;
  auto reserve = address_space().reserve(segment_, place->at, size, asker);
  if (!reserve.ok()) offsets_->give(place->at, size);
  return reserve;
}

Result<> MemoryPool::grow(size_t size) {
  Result<Ref<Allocation>> reserve = Error::out_of_memory;
  for (const size_t unit : {reserve_unit, small_unit, granularity}) {
    // A reserve that can be shared consists of whole pages.
    if (unit == granularity && segment_) break;
    reserve = this->reserve(rounded(size, unit));
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
  if (imported_)
    return refuse(Error::invalid_value, "An imported pool gives no memory; its exporter's does.");
  const size_t all = address_space().usage(options_.device).total;
  if (size > all)
    return refuse(Error::out_of_memory, "%zu bytes are more than the device has: %zu.", size, all);
  const size_t whole = rounded(size, granularity);
  Command command(CommandKind::allocate, call_site);
  Ref<Allocation> part;
  // What is known now comes before the command that is submitted below.
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
    const auto reserve = std::prev(reserves_.upper_bound(taken->at))->second;
    auto cut = address_space().cut(*reserve, taken->at, size, id_,
                                   {0, static_cast<uint8_t>(options_.device), call_site});
    if (!cut.ok()) {
      blocks_.give(taken->at, whole, taken->freed);
      return cut.error();
    }
    part = std::move(cut).value();
    ++living_;
    account_.used += size;
    account_.used_high = std::max(account_.used_high, account_.used);
  }
  command.writes = memory::Region::linear(part->address, size);
  command.writes_in = memory::Use(part);
  command.run = Ref<Counted>(this);
  const uint64_t number = internal.value;
  if (internal.timeline) command.wait_for(std::move(internal));
  stream.context().submit(stream, std::move(command));
  if (internal_stream) stream.order().learn(nullptr, internal_stream, number);
  return part->address;
}

Result<> MemoryPool::free(const Ref<Allocation>& allocation, Stream& stream,
                          const void* call_site) {
  if (const auto hidden = address_space().hide(allocation); !hidden.ok())
    return refuse(hidden.error(), "0x%llx is freed already.",
                  static_cast<unsigned long long>(allocation->address));
  const Ref<MemoryPool> pool = of(*allocation);
  Command command(CommandKind::free, call_site);
  command.writes = memory::Region::linear(allocation->address, allocation->size);
  command.writes_in = memory::Use(allocation);
  command.run = pool;
  const uint64_t number = stream.context().submit(stream, std::move(command));
  if (!pool) return {};
  bool last;
  {
    MutexLock lock(pool->mutex_);
    if (!pool->imported_) {
      if (!pool->streams_.contains(stream.id()))
        pool->streams_.emplace(stream.id(), Ref<Stream>(&stream));
      pool->blocks_.give(allocation->address, rounded(allocation->size, granularity),
                         {stream.id(), number});
    }
    last = pool->left(allocation->size);
  }
  if (last) pool->forget();
  return {};
}

// "This API will not perform any implicit synchronization when the pointer was allocated with
// cuMemAllocAsync".
Result<> MemoryPool::free(const Ref<Allocation>& allocation) {
  if (const auto hidden = address_space().hide(allocation); !hidden.ok())
    return refuse(hidden.error(), "0x%llx is freed already.",
                  static_cast<unsigned long long>(allocation->address));
  const Ref<MemoryPool> pool = of(*allocation);
  if (!pool) return {};
  const bool used = allocation->users.load(std::memory_order_acquire) > 0;
  if (pool->imported_ || !used) address_space().end(*allocation);
  bool last;
  {
    MutexLock lock(pool->mutex_);
    if (!pool->imported_ && used) {
      pool->misused_.push_back(allocation);
    } else if (!pool->imported_) {
      pool->blocks_.give(allocation->address, rounded(allocation->size, granularity), {});
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
    MutexLock lock(pool->mutex_);
    MemoryPool& self = *pool;
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
    MutexLock lock(pool->mutex_);
    MemoryPool& self = *pool;
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

// "This value can only be set to 0", and counts from what is now.
void MemoryPool::reset_used_high() {
  MutexLock lock(mutex_);
  account_.used_high = account_.used;
}

void MemoryPool::reset_reserved_high() {
  MutexLock lock(mutex_);
  account_.reserved_high = account_.reserved;
}

// --- Other processes -----------------------------------------------------------------------------

Result<int> MemoryPool::export_fd() {
  if (!segment_ || imported_)
    return refuse(Error::invalid_value,
                  "Only a pool that was created with CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR can "
                  "be exported.");
  return os::duplicate_fd(segment_->fd());
}

Result<MemoryPool::PartName> MemoryPool::name_part(memory::DevicePtr address) {
  const auto part = address_space().find(address);
  const Ref<MemoryPool> pool = part ? of(*part) : nullptr;
  if (!pool || !pool->segment_ || pool->imported_)
    return refuse(Error::invalid_value, "0x%llx is not memory of a pool that can be exported.",
                  static_cast<unsigned long long>(address));
  const os::Segment::Identity file = part->segment->identity();
  return PartName{part_magic, file.device, file.inode, part->offset, part->size};
}

Result<Ref<MemoryPool>> MemoryPool::import_fd(int fd) {
  const auto copy = os::duplicate_fd(fd);
  // Measured, of the handles of memory.
  if (!copy.ok()) return Error::unknown;
  auto adopted = os::Segment::adopt(copy.value(), header_size);
  if (!adopted.ok()) {
    os::close_fd(copy.value());
    return Error::unknown;
  }
  Ref<os::Segment> segment = std::move(adopted).value();
  Header header{};
  if (!segment->read(0, &header, sizeof header) ||
      !std::equal(std::begin(pool_magic), std::end(pool_magic), header.magic))
    return refuse(Error::unknown, "File descriptor %d does not hold a memory pool.", fd);
  for (const auto& device : Machine::get().devices()) {
    if (device->identity().uuid != header.device) continue;
    auto pool = make_ref<MemoryPool>(Options{.device = device->ordinal(), .shareable = true}, true);
    pool->segment_ = std::move(segment);
    MutexLock lock(pools().mutex);
    pools().by_id.emplace(pool->id_, pool);
    return pool;
  }
  return refuse(Error::invalid_device, "The pool is of a device that this process does not see.");
}

Result<memory::DevicePtr> MemoryPool::import_part(const PartName& name, const void* call_site) {
  if (!imported_)
    return refuse(Error::invalid_value, "Pointers are imported into an imported pool.");
  if (name.magic != part_magic ||
      !(os::Segment::Identity{name.file_device, name.file_inode} == segment_->identity()))
    return refuse(Error::invalid_value, "The data does not name memory of this pool.");
  if (name.size == 0 || name.offset < header_size || name.offset > segment_->size() ||
      name.size > segment_->size() - name.offset)
    return refuse(Error::invalid_value, "The data names memory outside of the pool.");
  const memory::Asker asker{0, static_cast<uint8_t>(options_.device), call_site};
  const auto part = TRY(address_space().map_pooled(segment_, name.offset, name.size, id_, asker));
  MutexLock lock(mutex_);
  ++living_;
  account_.used += name.size;
  account_.used_high = std::max(account_.used_high, account_.used);
  return part->address;
}

}  // namespace cuvette::device
