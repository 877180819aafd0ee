// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/allocation_facts.hpp"

#include <algorithm>

#include "sim/callsite/symbol.hpp"
#include "sim/device/machine/machine.hpp"

namespace cuvette::check {

using memory::Allocation;
using memory::AllocationKind;
using memory::DevicePtr;

namespace {

// Returns how many bytes lie between the two.
uint64_t gap(const Allocation& allocation, DevicePtr address) {
  if (address < allocation.address) return allocation.address - address;
  return address < allocation.end() ? 0 : address - allocation.end();
}

// Returns the nearest allocation that host threads cannot use: pinned memory is not a neighbour of
// a device address.
Ref<Allocation> nearest_allocation(const memory::AddressSpace& memory, DevicePtr address) {
  Ref<Allocation> best;
  for (const Ref<Allocation>& allocation : memory.all()) {
    if (allocation->host_accessible() || allocation->kind == AllocationKind::reserve) continue;
    if (!best || gap(*allocation, address) < gap(*best, address)) best = allocation;
  }
  return best;
}

std::string in_words(const Allocation& allocation) {
  const std::string called =
      allocation.name.empty() ? "" : " '" + callsite::readable_name(allocation.name.c_str()) + "'";
  return std::string(name(allocation)) + called + " of " + std::to_string(allocation.size) +
         " bytes at " + hexadecimal(allocation.address);
}

}  // namespace

const char* name(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::device:
      return "device memory";
    case AllocationKind::array:
      return "array memory";
    case AllocationKind::external:
      return "external memory";
    case AllocationKind::external_array:
      return "an array in external memory";
    case AllocationKind::mapping:
      return "mapped physical memory";
    case AllocationKind::shared:
      return "another process's device memory";
    case AllocationKind::graphics:
      return "graphics memory";
    case AllocationKind::pool:
      return "memory of a pool";
    case AllocationKind::imported:
      return "imported memory of a pool";
    case AllocationKind::reserve:
      return "the reserve of a memory pool";
    case AllocationKind::variable:
      return "a module's variable";
    case AllocationKind::pinned:
      return "pinned host memory";
    case AllocationKind::registered:
      return "registered host memory";
    case AllocationKind::managed:
      return "managed memory";
  }
  return "memory";
}

const char* name(const Allocation& allocation) {
  const bool of_graph = allocation.graph_life.load() != memory::GraphLife::none;
  return of_graph ? "memory of a graph" : name(allocation.kind);
}

const char* why_absent(bool was_there) {
  return was_there ? "which is freed: no launch of a graph has allocated it since"
                   : "which no launch of a graph has allocated yet";
}

const char* advice_about_absent() {
  return "Use memory of a graph between the node that allocates it and the one that frees it; or "
         "have the graph keep it, and call cuMemFreeAsync after the last use.";
}

const char* freed_with(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::device:
    case AllocationKind::external:
    case AllocationKind::managed:
    case AllocationKind::imported:
      return "cuMemFree";
    case AllocationKind::pool:
      return "cuMemFreeAsync or cuMemFree";
    case AllocationKind::array:
      return "cuArrayDestroy or cuMipmappedArrayDestroy";
    case AllocationKind::external_array:
      return "cuMipmappedArrayDestroy";
    case AllocationKind::mapping:
      return "cuMemUnmap";
    case AllocationKind::shared:
      return "cuIpcCloseMemHandle";
    case AllocationKind::graphics:
      return "cuGraphicsUnmapResources";
    case AllocationKind::pinned:
      return "cuMemFreeHost";
    case AllocationKind::registered:
      return "cuMemHostUnregister";
    case AllocationKind::variable:
      return "cuModuleUnload";
    case AllocationKind::reserve:
      break;
  }
  return "cuMemPoolDestroy";
}

Located locate(const memory::AddressSpace& memory, DevicePtr address) {
  if (auto living = memory.find(address)) return {Located::How::living, std::move(living)};
  if (auto freed = memory.find_freed(address)) return {Located::How::freed, std::move(freed)};
  return {Located::How::nowhere, nearest_allocation(memory, address)};
}

Ref<const Allocation> memory_of(const memory::Use& use, const memory::Region& region) {
  const Ref<Allocation>& allocation = use.allocation();
  if (!allocation) return nullptr;
  const Ref<Allocation> mapped = device::Machine::get().memory().find(region.address);
  if (mapped && mapped->kind == AllocationKind::mapping &&
      mapped->contains(region.address, region.extent()))
    return mapped;
  return allocation;
}

std::string advice_of(const Located& located, DevicePtr address, uint64_t bytes,
                      const memory::AddressSpace& memory) {
  // Pages that are never mapped, so that null pointers fault.
  constexpr DevicePtr near_null = 65536;
  if (address < near_null)
    return "Look where the pointer comes from: it is null, or null plus an offset. A failed "
           "allocation, or a structure that was not filled in, leaves such a pointer.";
  if (!located.allocation) return "Allocate memory before a command uses it.";
  const Allocation& allocation = *located.allocation;
  switch (located.how) {
    case Located::How::living:
      if (allocation.is_absent()) return advice_about_absent();
      if (allocation.end() - address < bytes)
        return "Look at the index: the access starts inside the allocation and runs past its end.";
      if (allocation.kind == AllocationKind::mapping)
        return "Call cuMemSetAccess for the device that uses it: mapped memory has no access "
               "rights "
               "at first, and each device has its own.";
      return "The memory belongs to another device, or the context has no right to it: call "
             "cuDeviceCanAccessPeer and cuCtxEnablePeerAccess, or cuMemPoolSetAccess for memory of "
             "a pool.";
    case Located::How::freed:
      if (allocation.ended_with_context.load(std::memory_order_relaxed))
        return "Keep the context until the last command that uses its memory has completed: a "
               "context's memory is freed with it.";
      if (allocation.kind == AllocationKind::mapping)
        return "Synchronise with the last command that uses the addresses before cuMemUnmap.";
      return "Free the memory after the last command that uses it has completed: synchronise "
             "first, or call cuMemFreeAsync in the same stream; and forget pointers to it.";
    case Located::How::nowhere:
      break;
  }
  if (memory.virtual_memory().contains(address))
    return "The addresses may be reserved, but nothing is mapped there: call cuMemMap, then "
           "cuMemSetAccess.";
  if (memory.reserved(address)) {
    // An access past the end of an allocation lands near it.
    const uint64_t distance = gap(allocation, address);
    if (distance <= std::max<uint64_t>(allocation.size, 1 << 20))
      return std::string("Look at the index and at the size of the allocation: the address is ") +
             (address < allocation.address ? "before its start." : "past its end.");
    return "Look where the address is computed: it is far from every allocation.";
  }
  return "A device cannot use host memory that CUDA does not know: copy the data, allocate it with "
         "cuMemAllocHost or cuMemAllocManaged, or register it with cuMemHostRegister.";
}

namespace {

// Memory that the program has mapped, rather than allocated.
bool is_mapped(const Allocation& allocation) {
  return allocation.is_external() || allocation.kind == AllocationKind::mapping ||
         allocation.kind == AllocationKind::shared || allocation.kind == AllocationKind::graphics;
}

void add_origin(std::vector<Fact>& facts, const Allocation& allocation) {
  facts.push_back({"device", uint64_t{allocation.device}});
  facts.push_back({is_mapped(allocation) ? "mapped at" : "allocated at",
                   callsite::describe_call(allocation.call_site)});
}

}  // namespace

void add_facts(std::vector<Fact>& facts, const Allocation& living, DevicePtr address) {
  facts.push_back({"allocation", in_words(living)});
  facts.push_back({"offset", address - living.address});
  add_origin(facts, living);
  const void* const freed_at = living.freed_at.load(std::memory_order_relaxed);
  if (living.is_absent() && freed_at)
    facts.push_back({"freed at", callsite::describe_call(freed_at)});
}

void add_facts(std::vector<Fact>& facts, const Located& located, DevicePtr address) {
  const std::string words =
      located.allocation ? in_words(*located.allocation) : "none: the device has no allocations";
  if (!located.allocation) {
    facts.push_back({"allocation", words});
    return;
  }
  const Allocation& allocation = *located.allocation;
  switch (located.how) {
    case Located::How::living:
      return add_facts(facts, allocation, address);
    case Located::How::freed:
      facts.push_back({"allocation", words + ", freed since"});
      facts.push_back({"offset", address - allocation.address});
      break;
    case Located::How::nowhere: {
      const bool below = address < allocation.address;
      facts.push_back({"allocation", "none; the nearest is " + words});
      facts.push_back({below ? "bytes before it" : "bytes past its end", gap(allocation, address)});
      break;
    }
  }
  add_origin(facts, allocation);
  if (located.how != Located::How::freed) return;
  if (const void* const place = allocation.freed_at.load(std::memory_order_relaxed))
    facts.push_back({is_mapped(allocation)           ? "unmapped at"
                     : allocation.ended_with_context ? "context ended at"
                                                     : "freed at",
                     callsite::describe_call(place)});
}

void add_free(std::vector<Fact>& facts, const void* call) {
  if (call && std::string_view(facts.back().key) != "freed at")
    facts.push_back({"freed at", callsite::describe_call(call)});
}

}  // namespace cuvette::check
