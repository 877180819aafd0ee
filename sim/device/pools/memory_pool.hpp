// SPDX-License-Identifier: Apache-2.0
// MemoryPool: memory that is allocated and freed in the order of streams.
//
// allocate() returns the address at once; it is valid from the allocation's place in its stream on.
// Calls that use it are refused once free() has returned, but commands before the free's place may
// still use it. Memory that was freed after command n of stream A is given to an allocation
//   in A at once, since A's order is enough;
//   in B if B has waited for an event after n (follow_events);
//   in B if A has completed n (opportunistic);
//   in any stream if the host has waited for n;
//   in B, which then waits for n, if the pool cannot grow (internal_dependencies).
// Where none of the first four applies, the pool grows. Unused memory beyond the release threshold
// is given back when the host waits for a stream, an event or a context.
//
// A pool's memory is device, host or managed memory. Every device can use managed memory, and its
// place is the preferred one; host memory can be used by the devices that let() names.
//
// A pool that processes share is one segment: a header followed by the parts. An importer maps each
// part separately, at its own address.
//
// Threads: any. Lock order: the pool's lock is taken with no other held but for an event's; the
// locks of a stream's order, of the address space and of the list of pools come after it.
// Invariants: the list holds a pool until it is destroyed and has no allocations left; a command
// that allocates or frees holds its pool.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/stream_order.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/memory/heap.hpp"
#include "sim/memory/memory_place.hpp"
#include "sim/memory/pool_blocks.hpp"

namespace cuvette::device {

class MemoryPool final : public Counted, public ApiObject {
 public:
  // The memory that a pool gives. Only a pool of the same home can become a place's current one.
  struct Home {
    memory::PoolMemory memory = memory::PoolMemory::device;
    memory::MemoryPlace place{memory::MemoryPlace::device, 0};

    static Home of_device(unsigned ordinal) {
      return {memory::PoolMemory::device, {memory::MemoryPlace::device, static_cast<int>(ordinal)}};
    }
    auto operator<=>(const Home&) const = default;
  };
  struct Options {
    Home home;
    bool shareable = false;  // by POSIX file descriptors; device memory only
    size_t max_size = 0;     // bytes it may hold; 0: no limit
  };
  // Errors: out_of_memory, operating_system.
  static Result<Ref<MemoryPool>> create(const Options& options);

  // The default pool of a place, which cannot be destroyed, and its current pool, which
  // cuMemAllocAsync uses for a device.
  static Ref<MemoryPool> default_of(const Home& home);
  static Ref<MemoryPool> current_of(const Home& home);
  // Errors: invalid_value for an imported pool, and for one of another home.
  static Result<> make_current(const Home& home, Ref<MemoryPool> pool);

  // Destroys the pool: it stops being a current pool at once, and ends with its last allocation.
  // Errors: invalid_value for a default pool.
  Result<> destroy();

  const Home& home() const { return options_.home; }
  // The device that counts the pool's memory as used, and that queries name: device 0 for host
  // memory (measured).
  unsigned device() const {
    const memory::MemoryPlace& place = home().place;
    return place.type == memory::MemoryPlace::device ? static_cast<unsigned>(place.id) : 0;
  }
  bool shareable() const { return options_.shareable; }
  bool imported() const { return imported_; }
  bool destroyed() EXCLUDES(mutex_);
  // --- Allocations -------------------------------------------------------------------------------
  // Allocates `size` > 0 bytes in the stream's order. Errors: out_of_memory, invalid_value for an
  // imported pool.
  Result<memory::DevicePtr> allocate(Stream& stream, size_t size, const void* call_site);
  // The pool that an allocation is a part of, or null.
  static Ref<MemoryPool> of(const memory::Allocation& allocation);
  // Frees device memory or a part of a pool in the stream's order. Errors: invalid_value if it was
  // freed already.
  static Result<> free(const Ref<memory::Allocation>& allocation, Stream& stream,
                       const void* call_site);
  // Frees a part of a pool now: the caller must have ordered everything that uses it before this
  // call. Errors: as above.
  static Result<> free(const Ref<memory::Allocation>& allocation);

  uint64_t id() const { return id_; }  // unique in this process; its allocations store it
  // Gives or takes a device's right to use the pool's memory. A device can always use its own.
  void let(unsigned device, bool may) EXCLUDES(mutex_);

  // --- The host has waited -----------------------------------------------------------------------
  // ... for command `number` of `stream`, and so for what was `known` there.
  static void synchronised(const Known* known, const Stream& stream, uint64_t number) {
    if (StreamOrder::kept()) [[unlikely]]
      synchronised_now(known, stream, number);
  }
  // ... for everything in a context.
  static void synchronised(const Context& context) {
    if (StreamOrder::kept()) [[unlikely]]
      synchronised_now(context);
  }

  // --- Attributes --------------------------------------------------------------------------------
  struct Policy {
    bool follow_events = true, opportunistic = true, internal_dependencies = true;
    uint64_t release_threshold = 0;  // bytes
  };
  Policy policy() EXCLUDES(mutex_);
  void set_policy(const Policy& policy) EXCLUDES(mutex_);
  struct Account {
    uint64_t used = 0, used_high = 0;          // bytes asked for
    uint64_t reserved = 0, reserved_high = 0;  // bytes held
  };
  Account account() EXCLUDES(mutex_);
  void reset_used_high() EXCLUDES(mutex_);
  void reset_reserved_high() EXCLUDES(mutex_);
  // Gives back unused memory, but keeps at least `least` bytes.
  void trim_to(size_t least) EXCLUDES(mutex_);

  // --- Other processes ---------------------------------------------------------------------------
  // Names a part of a shared pool in every process.
  struct PartName {
    uint64_t magic, file_device, file_inode, offset, size;
  };
  // A descriptor for the caller. Errors: invalid_value if the pool is not shareable or is imported.
  Result<int> export_fd();
  // Errors: invalid_value if the address is not a part of a shareable pool.
  static Result<PartName> name_part(memory::DevicePtr address);
  // Does not close the descriptor. Errors: unknown if it is not a pool's, invalid_device if the
  // pool's device is not visible here.
  static Result<Ref<MemoryPool>> import_fd(int fd);
  // Errors: invalid_value if `name` is not a part of this imported pool, out_of_memory.
  Result<memory::DevicePtr> import_part(const PartName& name, const void* call_site);

 private:
  Result<memory::DevicePtr> allocate_now(Stream& stream, size_t size, const void* call_site)
      EXCLUDES(mutex_);
  bool is_full(size_t size) EXCLUDES(mutex_);
  MemoryPool(const Options& options, bool imported);
  ~MemoryPool() override;
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);

  static void synchronised_now(const Known* known, const Stream& stream, uint64_t number);
  static void synchronised_now(const Context& context);

  bool reached(memory::FreedAt freed) REQUIRES(mutex_);
  std::optional<memory::PoolBlocks::Taken> find_block(size_t size, const Stream& stream,
                                                      const Known* known) REQUIRES(mutex_);
  Result<> grow(size_t size) REQUIRES(mutex_);
  Result<Ref<memory::Allocation>> reserve(size_t size) REQUIRES(mutex_);
  void release_above(size_t most, size_t least) REQUIRES(mutex_);
  void settle(const memory::PoolBlocks::Permit& known) REQUIRES(mutex_);
  void drop_streams() REQUIRES(mutex_);
  void take_unused_parts() REQUIRES(mutex_);
  // Records that an allocation is gone. Returns true if the pool has ended with it, and the caller
  // must call forget().
  [[nodiscard]] bool left(size_t size) REQUIRES(mutex_);
  void forget() EXCLUDES(mutex_);

  const Options options_;
  const bool imported_;
  const uint64_t id_;
  Ref<os::Segment> segment_;  // of a shared pool

  Mutex mutex_;
  memory::PoolBlocks blocks_ GUARDED_BY(mutex_);
  std::map<memory::DevicePtr, Ref<memory::Allocation>> reserves_ GUARDED_BY(mutex_);
  std::unique_ptr<memory::Heap> offsets_ GUARDED_BY(mutex_);  // free bytes of segment_
  // The streams that the marks in blocks_ name, to ask how far they have come.
  std::unordered_map<uint64_t, Ref<Stream>> streams_ GUARDED_BY(mutex_);
  // Parts that cuMemFree freed while commands still use them, which is a mistake of the program.
  std::vector<Ref<memory::Allocation>> misused_ GUARDED_BY(mutex_);
  Policy policy_ GUARDED_BY(mutex_);
  Account account_ GUARDED_BY(mutex_);
  // The rights of devices with access to a pool of host memory.
  memory::Access host_access_ GUARDED_BY(mutex_) = memory::Access::none;
  uint64_t living_ GUARDED_BY(mutex_) = 0;  // allocations
  bool destroyed_ GUARDED_BY(mutex_) = false;
};

}  // namespace cuvette::device
