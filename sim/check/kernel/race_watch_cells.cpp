// SPDX-License-Identifier: Apache-2.0
// Lanes by themselves: each byte that they touch is compared with what was done to it before.
#include <algorithm>
#include <cstring>

#include "sim/check/kernel/race_watch_block.hpp"

namespace cuvette::watch {

void RaceWatch::accesses(BlockState& own, const ptx::BlockContext& context,
                         const exec::WarpAccess& warp) {
  if (!wanted_ || warp.access & ptx::access_local) return;
  const uint32_t bytes = ptx::access_bytes(warp.access);
  const Mark mark = mark_of(own, warp);
  const uint64_t first = warp.mask ? warp.addresses[std::countr_zero(warp.mask)] : 0;
  bool together = true;
  each_lane(warp.mask, [&](uint32_t l) { together = together && warp.addresses[l] == first; });
  each_lane(warp.mask, [&](uint32_t l) {
    Lane lane;
    lane.address = warp.addresses[l];
    const Memory memory = memory_of(context, warp.access, lane.address);
    if (memory == Memory::local) return;
    lane.shared = memory == Memory::shared;
    lane.mark = mark.by_thread(warp.warp * ptx::warp_size + l);
    lane.bytes = bytes;
    lane.access = warp.access;
    lane.value = warp.values ? static_cast<const uint8_t*>(warp.values) + l * bytes : nullptr;
    lane.memory = lane.shared ? context.shared + lane.address
                              : reinterpret_cast<const uint8_t*>(lane.address);
    lane.warp = &warp;
    lane.together = together;
    access(own, lane);
  });
}

void RaceWatch::access(BlockState& own, const Lane& lane) {
  // Before the access is looked at: it comes after what it acquires.
  orders_.accesses(own, lane.address, lane.shared, lane.access, lane.mark);
  Shadow& shadow = lane.shared ? own.shared : global_;
  if (lane.access & ptx::access_write)
    if (LineNote* const note = shadow.notes().find(lane.address)) note->quiet_at = 0;
  uint64_t at = lane.address;
  for (uint32_t left = lane.bytes; left > 0;) {
    const uint32_t part = std::min<uint32_t>(left, 16);
    const std::span<Cell> cells = shadow.cells(at, part);
    const uint32_t each = shadow.bytes_of_cell();
    for (size_t n = 0; n < cells.size(); ++n) touch(own, shadow, cells[n], lane, at + n * each);
    at += part;
    left -= part;
  }
  if (lane.mark.is(Mark::async)) {
    BlockState::Copies& copies = own.copies[lane.mark.thread()];
    copies.under_way.push_back({copies.groups, lane.address, lane.bytes, lane.mark.place});
  }
}

bool RaceWatch::races(const BlockState& own, const Mark& earlier, const Lane& lane) const {
  const Mark& mark = lane.mark;
  if (!earlier) return false;
  if (place(earlier.place).writes() ? own.order.comes_before(earlier, mark.thread())
                                    : own.order.read_comes_before(earlier, mark.thread()))
    return false;
  if (!earlier.is(Mark::strong) || !mark.is(Mark::strong)) return true;
  if (earlier.block != mark.block) return !earlier.is(Mark::wide) || !mark.is(Mark::wide);
  // In step, by volatile accesses.
  return earlier.warp() == mark.warp() && earlier.thread() != mark.thread() && lane.shared &&
         earlier.is(Mark::is_volatile) && mark.is(Mark::is_volatile) &&
         earlier.is(Mark::converged) && mark.is(Mark::converged) && earlier.place != mark.place;
}

void RaceWatch::add_race(const Mark& earlier, const Lane& lane, uint64_t address) {
  if (!races_.admit(earlier.place, lane.mark.place, lane.shared)) return;
  const auto plain_read = [&](const Mark& mark, const Mark& other) {
    return !mark.is(Mark::strong) && !place(mark.place).writes() && other.is(Mark::atomic);
  };
  const uint16_t read = plain_read(earlier, lane.mark)   ? earlier.place
                        : plain_read(lane.mark, earlier) ? lane.mark.place
                                                         : uint16_t{0};
  races_.add({accessor(earlier), accessor(lane.mark), address, lane.address, lane.bytes,
              lane.shared, earlier.is(Mark::async)},
             read);
}

// Most accesses say nothing new of a cell. Returns true if this is one of them, and is noted.
bool RaceWatch::touch_again(const BlockState& own, Shadow& shadow, Cell& cell, const Lane& lane) {
  const Mark& mark = lane.mark;
  const bool has_others = cell.more & Cell::another;
  // Two blocks have read plainly, without a write: of more readers two are kept anyway.
  if (!(lane.access & (ptx::access_write | ptx::access_atomic | ptx::access_strong))) {
    if (!has_others || cell.write || !cell.read || mark.is(Mark::async)) return false;
    const Shadow::Others& others = shadow.others(cell);
    if (others.write || !others.read || others.read.block == cell.read.block ||
        cell.read.is(Mark::strong) || others.read.is(Mark::strong))
      return false;
    cell.more |= Cell::weak_read;
    return true;
  }
  // An atomic operation after atomic operations, all with a scope that includes all blocks. Another
  // one that nothing orders stays.
  constexpr uint16_t kind = Mark::strong | Mark::wide | Mark::atomic;
  if ((mark.how & kind) != kind || (cell.write.how & kind) != kind || cell.read ||
      lane.access & ptx::access_compares)
    return false;
  if (!cell.write.same_thread(mark)) {
    if (!has_others) return false;
    Shadow::Others& others = shadow.others(cell);
    // In shared memory every later access comes after it.
    const bool is_over = own.order.comes_before_block(others.write);
    if (others.read || ((others.write.how & kind) != kind && !(is_over && lane.shared)))
      return false;
    if (is_over) others.write = cell.write;
  } else if (has_others && shadow.others(cell).read) {
    return false;
  }
  cell.write = mark;
  return true;
}

void RaceWatch::touch(BlockState& own, Shadow& shadow, Cell& cell, const Lane& lane,
                      uint64_t address) {
  if (touch_again(own, shadow, cell, lane)) return;
  const Mark& mark = lane.mark;
  const bool is_strong = mark.is(Mark::strong), is_wide = is_strong && mark.is(Mark::wide);
  const bool writes = lane.access & (ptx::access_write | ptx::access_atomic);
  // Returns true if every access that would race with `earlier` would also race with this one.
  const auto replaces = [&](const Mark& earlier) {
    if (!earlier) return true;
    if (is_strong && (!earlier.is(Mark::strong) || earlier.block != mark.block ||
                      (is_wide && !earlier.is(Mark::wide))))
      return false;
    return own.order.comes_before(earlier, mark.thread());
  };
  // By the same instruction, the same value: in this step of the warp, or in an earlier one.
  const auto same_value = [&](const Mark& earlier) {
    if (earlier.place != mark.place) return false;
    if (earlier.is(Mark::async) && earlier.time == mark.time && earlier.warp() == mark.warp())
      return true;  // lanes past the end copy the last element once more
    if (!lane.value || (!lane.together && earlier.block != mark.block)) return false;
    const uint64_t offset = address - lane.address;
    const uint8_t* there = lane.memory + offset;
    if (earlier.block == mark.block && earlier.time == mark.time && earlier.warp() == mark.warp()) {
      const uint32_t other = earlier.thread() % ptx::warp_size;
      const uint64_t begin = lane.warp->addresses[other];
      const uint64_t mine = lane.warp->addresses[mark.thread() % ptx::warp_size];
      // The other lane may have been here in an earlier turn of a loop.
      if (lane.warp->mask >> other & 1 && begin == mine)
        there = static_cast<const uint8_t*>(lane.warp->values) + other * lane.bytes + offset;
    }
    return std::memcmp(there, lane.value + offset, shadow.bytes_of_cell()) == 0;
  };
  const bool has_others = cell.more & Cell::another;
  const Mark other_write = has_others ? shadow.others(cell).write : Mark{};
  // The thread's own atomic operation comes after the writes that it has met there.
  const bool met =
      other_write.is(Mark::strong) && cell.write.is(Mark::atomic) && cell.write.same_thread(mark);
  if (writes) {
    if (lane.access & ptx::access_compares)
      for (const Mark& read : {cell.read, has_others ? shadow.others(cell).read : Mark{}})
        if (read && read.same_thread(mark)) races_.note_compared(read.place);
    for (const Mark& earlier : {cell.write, met ? Mark{} : other_write})
      if (races(own, earlier, lane) && !same_value(earlier)) add_race(earlier, lane, address);
    for (const Mark& earlier : {cell.read, has_others ? shadow.others(cell).read : Mark{}})
      if (races(own, earlier, lane)) add_race(earlier, lane, address);
    // After a strong write the last weak one is kept, with which other strong ones still race; or
    // another strong one that nothing orders.
    if (!is_strong) {
      if (has_others) shadow.others(cell).write = {};
    } else if (!replaces(cell.write)) {
      Mark& other = shadow.others(cell).write;
      if (!other || other.is(Mark::strong) || !cell.write.is(Mark::strong)) other = cell.write;
    }
    cell.write = mark;
    cell.read = {};
    if (has_others) shadow.others(cell).read = {};
    cell.more |= is_wide ? Cell::strong_write : Cell::weak_write;
    return;
  }
  for (const Mark& earlier : {cell.write, met ? Mark{} : other_write})
    if (races(own, earlier, lane)) add_race(earlier, lane, address);
  cell.more |= is_wide ? Cell::strong_read : Cell::weak_read;
  keep_read(shadow, cell, mark, replaces);
}

}  // namespace cuvette::watch
