// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/overlapping_copy.hpp"

#include <algorithm>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/all_operations.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::check {

using device::Operation;
using device::OperationKind;
using memory::Allocation;
using memory::DevicePtr;
using memory::Region;

namespace {

// A box of more rows is not looked at.
constexpr size_t most_rows_compared = size_t{1} << 16;

// The rows of a box, from the lowest address to the highest; bytes that follow each other are one
// row.
class Rows {
 public:
  explicit Rows(const Region& region) : region_(region) {
    if (region_.pitch == region_.width || region_.height == 1) {
      region_.width *= region_.height;
      region_.height = 1;
      if (region_.slice == region_.width || region_.depth == 1) {
        region_.width *= region_.depth;
        region_.depth = 1;
      }
    }
  }
  size_t count() const { return region_.height * region_.depth; }
  // Whether the rows neither meet nor come in another order.
  bool rising() const {
    return (region_.height == 1 || region_.pitch >= region_.width) &&
           (region_.depth == 1 ||
            region_.slice >= (region_.height - 1) * region_.pitch + region_.width);
  }
  DevicePtr begin(size_t row) const {
    return region_.address + row / region_.height * region_.slice +
           row % region_.height * region_.pitch;
  }
  DevicePtr end(size_t row) const { return begin(row) + region_.width; }

 private:
  Region region_;
};

bool same(const Region& a, const Region& b) {
  return a.address == b.address && a.width == b.width && a.height == b.height &&
         a.depth == b.depth && (a.height == 1 || a.pitch == b.pitch) &&
         (a.depth == 1 || a.slice == b.slice);
}

// Returns the region by its place in its file, where there is one, so that aliases are
// the same bytes.
Region in_segment(Region region, const Allocation* allocation) {
  if (allocation && allocation->segment)
    region.address = allocation->offset + (region.address - allocation->address);
  return region;
}

// Returns whether both are in the same file, or both in none.
bool same_file(const Allocation& a, const Allocation& b) {
  if (!a.segment || !b.segment) return !a.segment && !b.segment;
  return a.segment->identity() == b.segment->identity();
}

void look(const Operation& operation) {
  if (operation.kind != OperationKind::copy) return;
  const device::Footprint& footprint = operation.footprint();
  const Ref<const Allocation> from = memory_of(footprint.reads_in, footprint.reads);
  const Ref<const Allocation> to = memory_of(footprint.writes_in, footprint.writes);
  // Pageable memory is copied aside, or not CUDA's own on both sides.
  if (!from || !to || !same_file(*from, *to)) return;
  const auto shared =
      first_shared(in_segment(footprint.reads, from.get()), in_segment(footprint.writes, to.get()));
  if (!shared) return;
  if (!reporter().admit(ReportId::overlapping_copy, operation.call_site)) return;
  const Region &reads = footprint.reads, &writes = footprint.writes;
  Report report{ReportId::overlapping_copy,
                "A copy of " + std::to_string(reads.bytes()) + " bytes reads from " +
                    hexadecimal(reads.address) + " and writes to " + hexadecimal(writes.address) +
                    ", which overlap: the result depends on which bytes are copied first.",
                {}};
  report.facts.push_back({"source", hexadecimal(reads.address)});
  report.facts.push_back({"destination", hexadecimal(writes.address)});
  report.facts.push_back({"bytes", uint64_t{reads.bytes()}});
  report.facts.push_back({"submitted at", callsite::describe_call(operation.call_site)});
  add_facts(report.facts, *to, writes.address);
  reporter().write(report);
}

}  // namespace

std::optional<DevicePtr> first_shared(const Region& a, const Region& b) {
  if (a.empty() || b.empty() || same(a, b)) return std::nullopt;
  if (a.address + a.extent() <= b.address || b.address + b.extent() <= a.address)
    return std::nullopt;
  const Rows one(a), other(b);
  if (one.count() > most_rows_compared || other.count() > most_rows_compared || !one.rising() ||
      !other.rising())
    return std::nullopt;
  for (size_t i = 0, j = 0; i < one.count() && j < other.count();) {
    const DevicePtr begin = std::max(one.begin(i), other.begin(j));
    if (begin < std::min(one.end(i), other.end(j))) return begin;
    if (one.end(i) <= other.end(j))
      ++i;
    else
      ++j;
  }
  return std::nullopt;
}

void OverlappingCopyObserver::submitted(const device::Stream&, uint64_t,
                                        const Operation& operation) {
  visit_all(operation, look);
}

}  // namespace cuvette::check
