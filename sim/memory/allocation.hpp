// SPDX-License-Identifier: Apache-2.0
// Allocation: one range of the unified address space, where it came from, and what is behind it.
//
// Threads: immutable after construction but for sync_memops, which is atomic.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/error.hpp"
#include "sim/memory/address.hpp"
#include "sim/memory/physical_memory.hpp"
#include "sim/os/segment.hpp"
#include "sim/ref.hpp"

namespace cuvette::memory {

enum class AllocationKind : uint8_t {
  device,      // cuMemAlloc, cuMemAllocPitch
  array,       // cuArrayCreate and the like: device memory that is not found by its address
  external,    // cuExternalMemoryGetMappedBuffer
  mapping,     // cuMemMap: physical memory at an address
  shared,      // cuIpcOpenMemHandle: another process's device memory
  graphics,    // cuGraphicsMapResources: the graphics API's own memory
  pool,        // cuMemAllocAsync: a part of a memory pool
  imported,    // cuMemPoolImportPointer: a part of another process's pool
  reserve,     // what a memory pool cuts up: not found by its address
  variable,    // a module's: device memory with a name
  pinned,      // cuMemAllocHost, cuMemHostAlloc
  registered,  // cuMemHostRegister
  managed,     // cuMemAllocManaged
};

// Which memory a pool gives.
enum class PoolMemory : uint8_t {
  device,   // a device's own
  host,     // the host's: devices use it that the pool lets
  managed,  // the host and all devices use it
};

// What lent the memory, for those that are lent it: it says what devices may do with it, and has
// the words for reports. It lives on when the loan is over.
struct Lender : Counted {
  // "OpenGL buffer 3"
  virtual std::string describe() const = 0;
  // Before a call touches what is lent: whether it is there still, as far as the lender can tell
  // in the calling thread. Errors: unknown, and `call_site` is reported, if the program has taken
  // it away.
  virtual Result<> check(const void* call_site) const { return {}; }
  // Whether the program should not use it unless it has mapped it.
  virtual bool must_be_mapped() const { return true; }
  // What is lent as arrays can be used when it has been given back: hardware lets programs do so.
  // A call is about to read, or write, `region`: it gets what the lender has, as far as the lender
  // can tell in the calling thread. Errors: invalid_value if the loan cannot be continued.
  virtual Result<> begin_late_use(const Region& region, bool write, const void* call_site) {
    return Error::invalid_value;
  }
  // The call's work is queued, or done if `done`: the lender gets it when it next can.
  virtual void end_late_use(bool done, const void* call_site) {}
  // A kernel uses it, or perhaps changes it, and is under way.
  virtual void note_kernel_use() {}
  const void* registered_at = nullptr;               // where the program made it known
  std::atomic<const void*> mapped_at{nullptr};       // where it was lent last
  std::atomic<bool> read_only{false};                // devices have promised not to write
  mutable std::atomic<bool> late{false};             // used since it was given back
  mutable std::atomic<bool> used_by_kernels{false};  // the same, by kernels
};

// CUmemAccess_flags' numbers.
enum class Access : uint8_t { none = 0, read = 1, read_write = 3 };

struct Allocation final : Counted {
  DevicePtr address = 0;
  size_t size = 0;  // as asked for
  AllocationKind kind = AllocationKind::device;
  uint8_t device = 0;                           // ordinal
  uint32_t flags = 0;                           // as the allocating call got them
  uint64_t owner = 0;                           // identifier of the context
  uint64_t buffer_id = 0;                       // unique in this process, never used again
  const void* call_site = nullptr;              // where the program called to get it
  uint64_t offset = 0;                          // into segment
  uint64_t pool = 0;                            // which memory pool's; 0: none's
  PoolMemory pool_memory = PoolMemory::device;  // of a part of a pool, and of a reserve
  std::string name;          // of a module's variable, which may be managed; empty: none's
  Ref<os::Segment> segment;  // what is behind it; none for host and graphics memory
  Ref<Lender> lender;        // graphics memory's
  // Of a mapping: what is mapped, and the reservation that it lies in, whose users are its users.
  Ref<PhysicalMemory> physical;
  Ref<Allocation> reservation;
  bool on_host = false;  // a mapping of host memory
  // What devices may do; of the host's memory in a pool: what those that are let may.
  std::atomic<Access> access{Access::read_write};
  std::atomic<Access> host_access{Access::none};  // a mapping: what host threads may do
  enum class Loan : uint8_t { unknown, known, lent };
  std::atomic<Loan> loan{Loan::unknown};  // graphics memory: known to the address space, or lent
  std::atomic<bool> sync_memops{false};
  std::atomic<bool> ended{false};  // AddressSpace::free() was here; never set of graphics memory
  std::atomic<uint32_t> users{0};  // commands that are queued or running and touch it: see Use

  DevicePtr end() const { return address + size; }
  bool contains(DevicePtr at, size_t bytes) const {
    return at - address <= size && bytes <= size - (at - address);
  }
  bool host_accessible() const {
    return kind >= AllocationKind::pinned || on_host || pool_memory != PoolMemory::device;
  }
  bool managed() const {
    return kind == AllocationKind::managed || pool_memory == PoolMemory::managed;
  }
};

// While it lives, a command may touch the allocation: whoever ends that waits for it.
class Use {
 public:
  Use() = default;
  explicit Use(Ref<Allocation> allocation)
      : allocation_(allocation && allocation->reservation ? allocation->reservation
                                                          : std::move(allocation)) {
    if (allocation_) allocation_->users.fetch_add(1, std::memory_order_relaxed);
  }
  Use(Use&&) noexcept = default;
  Use& operator=(Use&& other) noexcept {
    std::swap(allocation_, other.allocation_);
    return *this;
  }
  ~Use() {
    if (allocation_) allocation_->users.fetch_sub(1, std::memory_order_release);
  }
  const Ref<Allocation>& allocation() const { return allocation_; }

 private:
  Ref<Allocation> allocation_;
};

}  // namespace cuvette::memory
