// SPDX-License-Identifier: Apache-2.0
#include "sim/check/allocation_facts.hpp"

#include "sim/os/symbol.hpp"

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

// Returns the nearest allocation that host threads cannot use: pinned memory is no neighbour of a
// device address.
Ref<Allocation> nearest(const memory::AddressSpace& memory, DevicePtr address) {
  Ref<Allocation> best;
  for (const Ref<Allocation>& allocation : memory.all()) {
    if (allocation->host_accessible() || allocation->kind == AllocationKind::reserve) continue;
    if (!best || gap(*allocation, address) < gap(*best, address)) best = allocation;
  }
  return best;
}

std::string in_words(const Allocation& allocation) {
  const std::string called = allocation.name.empty() ? "" : " '" + allocation.name + "'";
  return std::string(name(allocation.kind)) + called + " of " + std::to_string(allocation.size) +
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

Located locate(const memory::AddressSpace& memory, DevicePtr address) {
  if (auto living = memory.find(address)) return {Located::How::living, std::move(living)};
  if (auto freed = memory.find_freed(address)) return {Located::How::freed, std::move(freed)};
  return {Located::How::nowhere, nearest(memory, address)};
}

void add_facts(std::vector<Fact>& facts, const Located& located, DevicePtr address) {
  const std::string words = located.allocation ? in_words(*located.allocation)
                                               : "none: the device has no allocation at all";
  if (!located.allocation) {
    facts.push_back({"allocation", words});
    return;
  }
  const Allocation& allocation = *located.allocation;
  switch (located.how) {
    case Located::How::living:
      facts.push_back({"allocation", words});
      facts.push_back({"offset", address - allocation.address});
      break;
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
  facts.push_back({"device", uint64_t{allocation.device}});
  const bool mapped = allocation.is_external() || allocation.kind == AllocationKind::mapping ||
                      allocation.kind == AllocationKind::shared ||
                      allocation.kind == AllocationKind::graphics;
  facts.push_back({mapped ? "mapped at" : "allocated at", os::describe_call(allocation.call_site)});
}

}  // namespace cuvette::check
