// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/access_history.hpp"

#include <algorithm>
#include <utility>

#include "sim/memory/pieces.hpp"

namespace cuvette::check {

using memory::Allocation;
using memory::Identity;
using memory::Region;

namespace {

// Beyond that, pairs of a kernel with commands long before it may be missed.
constexpr size_t most_replaced = 64;

// A box with more pieces than this is ignored: its history would be larger than the box.
constexpr size_t most_pieces = size_t{1} << 20;

}  // namespace

void AccessHistory::forget(const Allocation& allocation) {
  memories_.erase(Identity::of(allocation));
}

void AccessHistory::add(const Ref<const Allocation>& allocation, const Region& region, bool writes,
                        const Ref<const Access>& access, const OrderOf& order_of,
                        std::vector<Conflict>& conflicts) {
  Memory& memory =
      memories_.at(allocation ? Identity::of(*allocation) : Identity(), [](const Memory& one) {
        return one.allocation && one.allocation->ended.load(std::memory_order_acquire);
      });
  const memory::DevicePtr base = allocation ? Identity::base_of(*allocation) : 0;
  // The history does not keep alive memory that belongs to others.
  if (allocation && !memory.allocation && !allocation->lender &&
      !Identity::is_of_segment(*allocation))
    memory.allocation = allocation;
  const uint64_t start = region.address - base;
  const Adding adding{writes, access, order_of, base, conflicts, keeps_replaced_};
  memory::visit_pieces(region, most_pieces, [&](uint64_t offset, uint64_t size) {
    add_range(memory.cells, start + offset, start + offset + size, adding);
  });
}

void AccessHistory::look_at(const Allocation& allocation, memory::DevicePtr address, bool writes,
                            const OrderOf& order_of, std::vector<Conflict>& conflicts) const {
  const Memory* const memory = memories_.find(Identity::of(allocation));
  if (!memory) return;
  const memory::DevicePtr base = Identity::base_of(allocation);
  const uint64_t at = address - base;
  const auto cell = memory->cells.find(at);
  if (cell == memory->cells.end()) return;
  static const Ref<const Access> plain = make_ref<Access>();
  look(cell->second.value, at, at + 1,
       Adding{writes, plain, order_of, base, conflicts, keeps_replaced_});
}

void AccessHistory::look(const Cell& cell, uint64_t begin, uint64_t end, const Adding& adding) {
  const auto check = [&](const Ref<const Access>& known, bool writes) {
    if (!known || (known->atomic && adding.access->atomic)) return;
    if (adding.order_of(*known) == Order::unordered)
      adding.conflicts.push_back({known, writes, adding.base + begin, end - begin});
  };
  if (adding.keeps_replaced)
    for (const auto& [known, writes] : cell.replaced)
      if (writes || adding.writes) check(known, writes);
  check(cell.write, true);
  check(cell.plain, true);
  if (!adding.writes) return;
  for (const Ref<const Access>& read : cell.reads) check(read, false);
}

void AccessHistory::add_read(Cell& cell, const Adding& adding) {
  // Every access that conflicts with it conflicts with the write before it, too.
  if (cell.write && adding.order_of(*cell.write) == Order::after) return;
  if (!cell.reads.empty() && cell.reads.back() == adding.access) return;
  if (!cell.reads.empty() && adding.is_before(cell.reads.back())) cell.reads.pop_back();
  // Work that comes after this read also comes after the reads that are ordered before it.
  if (cell.reads.size() >= cell.sift_at) {
    std::erase_if(cell.reads,
                  [&](const Ref<const Access>& read) { return adding.is_before(read); });
    cell.sift_at = std::max<size_t>(8, 2 * cell.reads.size());
  }
  cell.reads.push_back(adding.access);
}

void AccessHistory::add_write(Cell& cell, const Adding& adding) {
  if (!adding.keeps_replaced) {
    cell.replaced.clear();
  } else if (cell.replaced.size() < most_replaced) {
    for (const Ref<const Access>& read : cell.reads) cell.replaced.emplace_back(read, false);
    if (cell.write) cell.replaced.emplace_back(cell.write, true);
  }
  std::erase_if(cell.reads, [&](const Ref<const Access>& read) {
    return adding.order_of(*read) != Order::after;
  });
  if (cell.write && adding.order_of(*cell.write) == Order::after) return;
  if (!adding.access->atomic)
    cell.plain = nullptr;
  else if (cell.write && !cell.write->atomic)
    cell.plain = std::move(cell.write);
  cell.write = adding.access;
}

void AccessHistory::add_range(Cells& cells, uint64_t begin, uint64_t end, const Adding& adding) {
  const auto fresh = [&] {
    Cell cell;
    (adding.writes ? cell.write = adding.access : cell.reads.emplace_back(adding.access));
    return cell;
  };
  const auto add = [&](uint64_t at, Cells::Range& cell) {
    look(cell.value, at, cell.end(), adding);
    (adding.writes ? add_write : add_read)(cell.value, adding);
  };
  const Cells::Part part = cells.fill(cells.isolate(begin, end), fresh, add);
  if (!adding.writes) return;
  const auto holds_this_alone = [&](const Cell& cell) {
    return cell.write == adding.access && cell.reads.empty() && !cell.plain &&
           cell.replaced.empty();
  };
  cells.join(part, [&](const Cell& one, const Cell& next) {
    return holds_this_alone(one) && holds_this_alone(next);
  });
}

}  // namespace cuvette::check
