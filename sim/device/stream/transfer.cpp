// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/transfer.hpp"

#include <algorithm>

#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/peer_access.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::device {
namespace {

using memory::Allocation;
using memory::Region;

using record::note;
using record_format::CallClass;

// The kind of an address.
struct Found {
  Ref<Allocation> allocation;  // none for pageable host memory

  bool pageable() const { return !allocation; }
  bool host() const { return pageable() || allocation->host_accessible(); }
  bool sync_memops() const {
    return allocation && allocation->sync_memops.load(std::memory_order_relaxed);
  }
  bool may_lose_pages() const {
    return allocation &&
           (allocation->is_external() || allocation->kind == memory::AllocationKind::imported) &&
           !allocation->segment->shrink_sealed();
  }
};

// What the cost of the call depends on.
void note_memory(const Found& found) {
  if (found.pageable()) return note(CallClass::pageable);
  switch (found.allocation->kind) {
    case memory::AllocationKind::device:
    case memory::AllocationKind::pool:
    case memory::AllocationKind::reserve:
    case memory::AllocationKind::variable:
    case memory::AllocationKind::mapping:
      return note(found.allocation->managed() ? CallClass::managed
                  : found.host()              ? CallClass::pinned
                                              : CallClass::device);
    case memory::AllocationKind::array:
      return note(CallClass::array);
    case memory::AllocationKind::external:
    case memory::AllocationKind::external_array:
    case memory::AllocationKind::shared:
    case memory::AllocationKind::imported:
      return note(CallClass::imported);
    case memory::AllocationKind::graphics:
      return note(CallClass::opengl);
    case memory::AllocationKind::pinned:
    case memory::AllocationKind::registered:
      return note(CallClass::pinned);
    case memory::AllocationKind::managed:
      return note(CallClass::managed);
  }
}

void note_copy(const Found& target, const Found& source, const Region& region) {
  if (!record::recorder()) [[likely]]
    return;
  record::note_bytes(region.bytes());
  note_memory(target);
  note_memory(source);
  note(target.host()   ? CallClass::to_host
       : source.host() ? CallClass::from_host
                       : CallClass::in_device);
}

void note_fill(const Found& target, const Region& region) {
  if (!record::recorder()) [[likely]]
    return;
  record::note_bytes(region.bytes());
  note_memory(target);
}

void report_if_returned(memory::DevicePtr address, const void* call_site) {
  const Ref<Allocation> returned = Machine::get().memory().find_freed(address);
  if (returned && returned->lender)
    notify_misuse(misuse::UsedAfterUnmap{}, *returned->lender, call_site);
}

void report_if_read_only(const Found& target, const void* call_site) {
  if (!target.allocation || !target.allocation->lender) return;
  const memory::Lender& lender = *target.allocation->lender;
  if (lender.read_only.load(std::memory_order_relaxed))
    notify_misuse(misuse::WrittenReadOnly{}, lender, call_site);
}

Result<Found> find_array(const CopyOperand& place, bool write, const void* call_site) {
  const ArrayStorage& storage = place.array->storage();
  if (storage.is_taken_back()) [[unlikely]] {
    memory::Lender& lender = *storage.memory()->lender;
    if (lender.must_be_mapped())
      notify_misuse(misuse::UsedAfterUnmap{.by_array = true}, lender, call_site);
    // Hardware allows this, so only CUVETTE_CONTRACT=strict refuses it.
    TRY(storage.exists());
    TRY(lender.begin_late_use(place.region, write, call_site));
  } else {
    TRY(storage.usable());
  }
  TRY(Machine::get().memory().touch(*storage.memory(), place.region));
  return Found{storage.memory()};
}

// The devices whose rights an end of a copy, or a fill, may use.
struct Workers {
  const Context* context;  // of the work; null: not known yet, so any device's rights will do
  std::optional<unsigned> peer;

  memory::Access access_to(const Allocation& allocation) const {
    if (!context) return allocation.access.load(std::memory_order_acquire);
    const memory::Access own = allocation.access_of(context->device().ordinal());
    return peer ? std::max(own, allocation.access_of(*peer)) : own;
  }
};

// The driver refuses a copy or a fill that lacks the access right, before it does anything
// (measured).
Result<> check_access(const Workers& workers, const Allocation& allocation, bool write) {
  const memory::Access access = workers.access_to(allocation);
  if (memory::allows(access, write)) [[likely]]
    return {};
  const bool pooled = allocation.pool_memory == memory::PoolMemory::host;
  const bool others = memory::allows(allocation.access.load(std::memory_order_acquire), write);
  return refuse(Error::invalid_value,
                "%s may not %s the %s of %zu bytes at 0x%llx%s: grant the right with %s.",
                others ? "The device of the context" : "Devices", write ? "write to" : "read",
                pooled ? "host memory" : "mapping", allocation.size,
                static_cast<unsigned long long>(allocation.address),
                access == memory::Access::read ? ", which is read-only" : "",
                pooled ? "cuMemPoolSetAccess of its pool" : "cuMemSetAccess");
}

// Returns whether mappings after `first`, in the same reservation, hold the rest of the region.
Result<bool> continues(const Workers& workers, const Ref<Allocation>& first, const Region& region,
                       bool write) {
  if (!first->reservation || !first->reservation->contains(region.address, region.extent()))
    return false;
  memory::AddressSpace& memory = Machine::get().memory();
  for (memory::DevicePtr at = first->end(); at < region.address + region.extent();) {
    const Ref<Allocation> next = memory.find(at);
    if (!next || next->reservation != first->reservation) return false;
    TRY(check_access(workers, *next, write));
    TRY(memory.touch(*next, region));
    at = next->end();
  }
  return true;
}

enum class Role : uint8_t { destination, source };

Result<Found> find(const Context* context, const CopyOperand& place, Role as,
                   const void* call_site) {
  const bool write = as == Role::destination;
  if (place.array) return find_array(place, write, call_site);
  const Region& region = place.region;
  const Workers workers{context, place.peer};
  memory::AddressSpace& memory = Machine::get().memory();
  const size_t extent = region.extent();
  const char* const role = write ? "destination" : "source";
  Ref<Allocation> allocation = memory.find(region.address);
  if (allocation && allocation->lender) {
    // Lent memory may be gone; what a call names as host memory is the program's own by now.
    const Result<> there = allocation->lender->check(call_site);
    if (!there.ok()) {
      if (place.type != MemoryType::host) return there.error();
      allocation = nullptr;
    }
  }
  if (allocation) {
    if (!allocation->contains(region.address, extent) &&
        !TRY(continues(workers, allocation, region, write)))
      return refuse(
          Error::invalid_value,
          "The %s of %zu bytes at 0x%llx reaches %zu bytes past the end of its allocation of "
          "%zu bytes at 0x%llx.",
          role, extent, static_cast<unsigned long long>(region.address),
          static_cast<size_t>(region.address + extent - allocation->end()), allocation->size,
          static_cast<unsigned long long>(allocation->address));
    TRY(check_access(workers, *allocation, write));
    TRY(memory.touch(*allocation, region));
    return Found{std::move(allocation)};
  }
  if (place.type == MemoryType::device || region.address == 0 || memory.reserved(region.address)) {
    report_if_returned(region.address, call_site);
    return refuse(Error::invalid_value,
                  "The %s at 0x%llx is not inside memory that a device can reach.", role,
                  static_cast<unsigned long long>(region.address));
  }
  if (region.address + extent < region.address)
    return refuse(Error::invalid_value,
                  "The %s of %zu bytes at 0x%llx is larger than the address space.", role, extent,
                  static_cast<unsigned long long>(region.address));
  if (memory.freed_and_gone(region.address, extent, write)) [[unlikely]]
    return refuse(Error::invalid_value,
                  "The %s at 0x%llx is inside pinned or managed memory that was freed.", role,
                  static_cast<unsigned long long>(region.address));
  return Found{};
}

// The documentation's guarantee for a call that waits. "For transfers from pageable host memory to
// device memory, a stream sync is performed before the copy is initiated. The function will return
// once the pageable buffer has been copied to the staging memory": the copy itself may still be
// under way then. An asynchronous copy to pageable memory only "might be synchronous".
enum class Promise { nothing, earlier_work, all };

// Returns when the transfer's stream has completed its commands up to `until`; the transfer is
// command `number`.
Result<> wait_for(const Transfer& transfer, uint64_t until, Promise promise, uint64_t number) {
  const uint64_t promised = promise == Promise::all            ? number
                            : promise == Promise::earlier_work ? number - 1
                                                               : 0;
  transfer.context.wait_for(transfer.stream, until, promised);
  if (auto error = transfer.context.tell_error()) return *error;
  return {};
}

// Queues the operation and, if the call has to `wait` for it, returns when it is completed.
Result<> submit(const Transfer& transfer, Operation&& operation, bool wait,
                Promise promise = Promise::all, bool source_taken = false) {
  if (!wait) {
    note(CallClass::async);
    transfer.context.submit(transfer.stream, std::move(operation));
    return {};
  }
  Context& context = transfer.context;
  if (source_taken) {
    // Only the earlier work must be waited for, as promised. No thread may wait for the copy
    // itself.
    const uint64_t number = context.submit(transfer.stream, std::move(operation));
    return wait_for(transfer, number - 1, promise, number);
  }
  const uint64_t number = context.submit_for_helper(transfer.stream, std::move(operation));
  return wait_for(transfer, number, promise, number);
}

// Returns the other contexts that a synchronous copy must be ordered with.
std::vector<Ref<Context>> contexts_beside(const Transfer& transfer, const Found& target,
                                          const Found& source) {
  std::vector<Ref<Context>> contexts = transfer.others;
  for (const Found* end : {&target, &source}) {
    if (end->host() || end->allocation->device == transfer.context.device().ordinal()) continue;
    if (Ref<Context> owner = Context::of_generation(end->allocation->owner))
      contexts.push_back(std::move(owner));
  }
  std::ranges::sort(contexts, {}, [](const Ref<Context>& context) { return context.get(); });
  contexts.erase(std::unique(contexts.begin(), contexts.end()), contexts.end());
  return contexts;
}

// Like submit(), but also puts the copy after what the other contexts' null streams have so far,
// and before what they get later. Contexts cannot wait for each other in a circle: each command
// waits only for commands that were submitted before it.
Result<> submit_between(const Transfer& transfer, Copy&& copy, bool wait, Promise promise,
                        const std::vector<Ref<Context>>& others) {
  for (const Ref<Context>& other : others) {
    Stream& legacy = other->legacy_stream();
    const uint64_t before = other->submit(legacy, EdgeWait(transfer.call_site));
    copy.wait_for({Ref<Stream>(&legacy), before});
  }
  const uint64_t number = transfer.context.submit(transfer.stream, std::move(copy));
  for (const Ref<Context>& other : others) {
    EdgeWait after(transfer.call_site);
    after.wait_for({Ref<Stream>(&transfer.stream), number});
    other->submit(other->legacy_stream(), std::move(after));
  }
  return wait ? wait_for(transfer, number, promise, number) : Result<>();
}

// Measured: a fill is work of the device that does it, which needs the right to the memory.
Result<> check_reach(const Context& context, const Found& target) {
  if (may_access(context, *target.allocation)) return {};
  return refuse(Error::invalid_value,
                "The memory at 0x%llx belongs to device %u, and the context of device %u has no "
                "access to it: enable it with cuCtxEnablePeerAccess.",
                static_cast<unsigned long long>(target.allocation->address),
                static_cast<unsigned>(target.allocation->device), context.device().ordinal());
}

// Both ends of a copy.
struct Ends {
  Found target, source;
};

Result<Ends> find_ends(const Context* context, const CopyOperand& to, const CopyOperand& from,
                       const void* call_site) {
  // One statement each: leaving an initialiser list half way would leak the first member.
  Found target = TRY(find(context, to, Role::destination, call_site));
  Found source = TRY(find(context, from, Role::source, call_site));
  Ends ends{std::move(target), std::move(source)};
  report_if_read_only(ends.target, call_site);
  note_copy(ends.target, ends.source, to.region);
  return ends;
}

// Call it once a command counts as a user of the arrays' memory: a call that ended that memory
// either waits for the command or is noticed here.
Result<> check_arrays(const CopyOperand& to, const CopyOperand& from) {
  if (to.array) TRY(to.array->storage().exists());
  if (from.array) TRY(from.array->storage().exists());
  return {};
}

// Returns the lender if a copy writes to an array that should have been given back.
memory::Lender* late_target(const CopyOperand& to) {
  if (!to.array) return nullptr;
  memory::Lender* const lender = to.array->storage().memory()->lender.get();
  return lender && lender->late.load(std::memory_order_acquire) ? lender : nullptr;
}

// The operation takes over the allocations.
Copy copy_of(const CopyOperand& to, const CopyOperand& from, const void* call_site, Ends& ends) {
  const bool may_lose_pages = ends.target.may_lose_pages() || ends.source.may_lose_pages();
  return Copy({to.region, from.region, memory::Use(std::move(ends.target.allocation)),
               memory::Use(std::move(ends.source.allocation))},
              may_lose_pages, call_site);
}

Fill fill_of(const Region& to, uint32_t value, unsigned element, const void* call_site,
             Found& target) {
  const bool may_lose_pages = target.may_lose_pages();
  return Fill({to, {}, memory::Use(std::move(target.allocation)), {}}, value, element,
              may_lose_pages, call_site);
}

// Decides whether something happens that CUDA's documentation says may happen but hardware does not
// do: no, unless a schedule chooses it.
bool may_happen() {
  exec::Scheduler* const scheduler = exec::Scheduler::get();
  if (!scheduler) return false;
  const exec::Scheduler::Answer answer = scheduler->may();
  observers().notify(&Observer::chose, answer.question, answer.yes);
  return answer.yes;
}

// "For transfers from device memory to pageable host memory, the function might be synchronous with
// respect to host": the driver is, but a program that counts on it is wrong.
bool pageable_waits(const Transfer& transfer, const Found& target, const Found& source) {
  if (!target.pageable()) return false;
  return !transfer.asynchronous || source.host() || !may_happen();
}

}  // namespace

Result<Copy> make_copy(const Context* context, const CopyOperand& to, const CopyOperand& from,
                       const void* call_site) {
  Ends ends = TRY(find_ends(context, to, from, call_site));
  Copy copy = copy_of(to, from, call_site, ends);
  TRY(check_arrays(to, from));
  return copy;
}

Result<Fill> make_fill(const Context& context, const Region& to, uint32_t value, unsigned element,
                       const void* call_site) {
  Found target = TRY(find(&context, {to, MemoryType::device}, Role::destination, call_site));
  TRY(check_reach(context, target));
  report_if_read_only(target, call_site);
  note_fill(target, to);
  return fill_of(to, value, element, call_site, target);
}

Result<> copy_batch(Stream& stream, std::span<const BatchedCopy> copies, const void* call_site,
                    size_t& failed) {
  std::vector<Copy> made;
  made.reserve(copies.size());
  for (size_t i = 0; i < copies.size(); ++i) {
    Result<Copy> copy = make_copy(&stream.context(), copies[i].to, copies[i].from, call_site);
    if (!copy.ok()) {
      failed = i;
      return copy.error();
    }
    made.push_back(std::move(copy).value());
  }
  for (size_t i = 0; i < copies.size(); ++i) {
    if (!copies[i].take_now) continue;
    const os::DeviceAccess access;
    const os::FaultScope scope;
    made[i].take_source();
    made[i].promise_source();
    if (scope.faulted()) {
      stream.context().fail(Error::illegal_address);
      (void)stream.context().tell_error();
      return Error::illegal_address;
    }
  }
  for (Copy& copy : made) stream.context().submit(stream, std::move(copy));
  return {};
}

Result<Access> find_access(const Context* context, const Region& region, bool write,
                           const void* call_site) {
  Found found = TRY(find(context, {region, MemoryType::device},
                         write ? Role::destination : Role::source, call_site));
  if (write) report_if_read_only(found, call_site);
  Access access;
  access.may_lose_pages = found.may_lose_pages();
  Footprint& footprint = access.footprint;
  (write ? footprint.writes : footprint.reads) = region;
  (write ? footprint.writes_in : footprint.reads_in) = memory::Use(std::move(found.allocation));
  return access;
}

Result<> copy(const Transfer& transfer, const CopyOperand& to, const CopyOperand& from) {
  if (to.region.empty()) return {};
  Ends ends = TRY(find_ends(&transfer.context, to, from, transfer.call_site));
  const Found &target = ends.target, &source = ends.source;
  const bool wait = pageable_waits(transfer, target, source) || (target.host() && source.host()) ||
                    (!transfer.asynchronous && (target.host() || source.host() ||
                                                target.sync_memops() || source.sync_memops()));
  std::vector<Ref<Context>> others;
  if (!transfer.asynchronous) others = contexts_beside(transfer, target, source);
  const bool between_hosts = target.host() && source.host();
  const bool staged = source.pageable() && !between_hosts && !target.sync_memops();
  const Promise promise = transfer.asynchronous && !between_hosts ? Promise::nothing
                          : staged                                ? Promise::earlier_work
                                                                  : Promise::all;
  const bool take_aside =
      source.pageable() && (!wait || (promise == Promise::earlier_work && may_happen()));
  const bool promised = promise != Promise::nothing || target.sync_memops();
  Copy operation = copy_of(to, from, transfer.call_site, ends);
  TRY(check_arrays(to, from));
  if (take_aside) operation.take_source();
  if (promised) operation.promise_source();
  if (!others.empty())
    TRY(submit_between(transfer, std::move(operation), wait, promise, others));
  else
    TRY(submit(transfer, std::move(operation), wait, promise, take_aside));
  if (memory::Lender* const lender = late_target(to)) [[unlikely]] {
    // The data of a synchronous copy must be there when the call returns.
    if (!transfer.asynchronous)
      transfer.context.wait_for(transfer.stream, transfer.stream.submitted(), 0);
    lender->end_late_use(!transfer.asynchronous, transfer.call_site);
  }
  return {};
}

Result<> fill(const Transfer& transfer, const Region& to, uint32_t value, unsigned element) {
  if (to.empty()) return {};
  Found target =
      TRY(find(&transfer.context, {to, MemoryType::device}, Role::destination, transfer.call_site));
  TRY(check_reach(transfer.context, target));
  report_if_read_only(target, transfer.call_site);
  note_fill(target, to);
  const bool wait = !transfer.asynchronous && (target.host() || target.sync_memops());
  return submit(transfer, fill_of(to, value, element, transfer.call_site, target), wait);
}

}  // namespace cuvette::device
