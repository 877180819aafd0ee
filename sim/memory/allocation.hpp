// SPDX-License-Identifier: Apache-2.0
// Allocation: one range of the unified address space, where it came from, and its backing memory.
//
// Threads: the creator of an allocation sets its fields before any other thread can find it; after
// that only the atomic ones change.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/memory/address.hpp"
#include "sim/memory/device_rights.hpp"
#include "sim/memory/physical_memory.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::memory {

enum class AllocationKind : uint8_t {
  device,          // cuMemAlloc, cuMemAllocPitch
  array,           // cuArrayCreate and the like: device memory that is not found by its address
  external,        // cuExternalMemoryGetMappedBuffer
  external_array,  // cuExternalMemoryGetMappedMipmappedArray; not found by its address
  mapping,         // cuMemMap: physical memory at an address
  shared,          // cuIpcOpenMemHandle: another process's device memory
  graphics,        // cuGraphicsMapResources: the graphics API's own memory
  pool,            // cuMemAllocAsync: a part of a memory pool
  imported,        // cuMemPoolImportPointer: a part of another process's pool
  reserve,         // what a memory pool cuts up; not found by its address
  variable,        // a module's: device memory with a name
  pinned,          // cuMemAllocHost, cuMemHostAlloc
  registered,      // cuMemHostRegister
  managed,         // cuMemAllocManaged
};

// Bytes of a segment, counted from where the memory in it begins.
struct SegmentBytes {
  const Ref<os::Segment>& segment;
  uint64_t offset;
  uint64_t size;
  uint64_t payload = 0;  // where the memory begins: a multiple of the page size
};

// Which memory a pool gives.
enum class PoolMemory : uint8_t {
  device,   // a device's own
  host,     // the host's; the devices that the pool allows use it
  managed,  // used by the host and all devices
};

// The lender of graphics memory: it says what devices may do with the memory, and describes it for
// reports. It lives on when the loan is over.
struct Lender : Counted {
  // "OpenGL buffer 3"
  virtual std::string describe() const = 0;
  // Checks, before a call touches what is lent, whether it is still there, as far as the lender
  // knows in the calling thread. Errors: unknown, and `call_site` is reported, if the program has
  // taken it away.
  virtual Result<> check(const void* call_site) const { return {}; }
  // Whether the program may use it only while it is mapped.
  virtual bool must_be_mapped() const { return true; }
  // Begins a use of arrays that have been given back, which hardware allows. A call is about to
  // read or write `region`; it gets the lender's contents, as far as the calling thread can reach
  // them. Errors: invalid_value if the loan cannot be continued.
  virtual Result<> begin_late_use(const Region& region, bool write, const void* call_site) {
    return Error::invalid_value;
  }
  // Ends it: the call's work is queued, or done if `done`; the lender takes the result over when it
  // next can.
  virtual void end_late_use(bool done, const void* call_site) {}
  // Notes that a running kernel uses it, and perhaps changes it.
  virtual void note_kernel_use() {}
  const void* registered_at = nullptr;               // where the program made it known
  std::atomic<const void*> mapped_at{nullptr};       // where it was lent last
  std::atomic<bool> read_only{false};                // devices have promised not to write
  mutable std::atomic<bool> late{false};             // used after it was given back
  mutable std::atomic<bool> used_by_kernels{false};  // used so by kernels
};

// Whether memory that belongs to a graph is there, in the order of work: from a launch that
// allocates it to what frees it. Its address stays the graph's in between.
enum class GraphLife : uint8_t {
  none,  // no graph's
  absent,
  present,
};

// The values of Allocation::flags of managed and of registered memory: CU_MEM_ATTACH_*,
// CU_MEMHOSTREGISTER_*.
namespace attach_flag {
inline constexpr uint32_t global = 0x01;
}
namespace register_flag {
inline constexpr uint32_t read_only = 0x08;
}

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
  uint64_t pool = 0;                            // which memory pool it belongs to; 0: none
  PoolMemory pool_memory = PoolMemory::device;  // for parts of a pool and for reserves
  std::string name;          // a module's variable, which may be managed; else empty
  Ref<os::Segment> segment;  // the memory behind it; none for host and graphics memory
  Ref<Lender> lender;        // for graphics memory
  // For a mapping: what is mapped, and the range that it lies in, which counts its users.
  Ref<PhysicalMemory> physical;
  Ref<Allocation> reservation;
  bool on_host = false;  // a mapping of host memory
  // What devices may do: for a mapping, the strongest of their `rights`; for a pool's host memory,
  // what the devices that the pool allows may do.
  std::atomic<Access> access{Access::read_write};
  std::atomic<DeviceRights> rights{DeviceRights{}};  // for a mapping: each device's
  std::atomic<Access> host_access{Access::none};     // for a mapping: what host threads may do
  enum class Loan : uint8_t { unknown, known, lent };
  std::atomic<Loan> loan{Loan::unknown};  // graphics memory: known to the address space, or lent
  std::atomic<GraphLife> graph_life{GraphLife::none};
  std::atomic<bool> sync_memops{false};
  std::atomic<bool> in_segment{false};         // stays in its segment, where other processes map it
  std::atomic<bool> ended{false};              // set when it ends; never for graphics memory
  std::atomic<const void*> freed_at{nullptr};  // where the program freed it, or ended its context
  std::atomic<bool> ended_with_context{false};
  mutable std::atomic<void*> recorded{nullptr};  // in the record of this process (recorded.hpp)
  std::atomic<uint32_t> users{0};  // commands that are queued or running and touch it: see Use

  DevicePtr end() const { return address + size; }
  bool contains(DevicePtr at, size_t bytes) const {
    return at - address <= size && bytes <= size - (at - address);
  }
  bool is_external() const {
    return kind == AllocationKind::external || kind == AllocationKind::external_array;
  }
  bool host_accessible() const {
    return kind >= AllocationKind::pinned || on_host || pool_memory != PoolMemory::device;
  }
  // Returns what a device may do, as far as rights to the range decide it.
  Access access_of(unsigned ordinal) const {
    return kind == AllocationKind::mapping ? rights.load(std::memory_order_acquire).of(ordinal)
                                           : access.load(std::memory_order_acquire);
  }
  // Whether it is a graph's, and not there now.
  bool is_absent() const { return graph_life.load(std::memory_order_acquire) == GraphLife::absent; }
  bool managed() const {
    return kind == AllocationKind::managed || pool_memory == PoolMemory::managed;
  }
};

// While a Use lives, a command may touch the allocation; a call that ends the allocation waits for
// it.
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
