// SPDX-License-Identifier: Apache-2.0
// Lanes by themselves: each byte that they touch is compared with what was done to it before.
#include <algorithm>
#include <cstring>

#include "sim/check/kernel/watched_block.hpp"

namespace cuvette::watch {

namespace {

constexpr size_t most_races = 64;

}  // namespace

void KernelWatch::access(OfBlock& block, const Lane& lane) {
  // Before the access is looked at: it comes after what it acquires.
  if (lane.access & ptx::access_strong || !meetings_.empty() || !block.meetings.empty())
    synchronise(block, lane);
  Shadow& shadow = lane.shared ? block.shared : global_;
  if (lane.access & ptx::access_write)
    if (LineNote* const note = shadow.notes().find(lane.address)) note->quiet_at = 0;
  uint64_t at = lane.address;
  for (uint32_t left = lane.bytes; left > 0;) {
    const uint32_t part = std::min<uint32_t>(left, 16);
    const std::span<Cell> cells = shadow.cells(at, part);
    const uint32_t each = shadow.bytes_of_cell();
    for (size_t n = 0; n < cells.size(); ++n) touch(block, shadow, cells[n], lane, at + n * each);
    at += part;
    left -= part;
  }
  if (lane.mark.is(Mark::async)) {
    OfBlock::Copies& copies = block.copies[lane.mark.thread()];
    copies.under_way.push_back({copies.groups, lane.address, lane.bytes, lane.mark.place});
  }
}

bool KernelWatch::races(const OfBlock& block, const Mark& earlier, const Lane& lane) const {
  const Mark& mark = lane.mark;
  if (!earlier) return false;
  if (place(earlier.place).writes() ? block.order.comes_before(earlier, mark.thread())
                                    : block.order.read_comes_before(earlier, mark.thread()))
    return false;
  if (!earlier.is(Mark::strong) || !mark.is(Mark::strong)) return true;
  if (earlier.block != mark.block) return !earlier.is(Mark::wide) || !mark.is(Mark::wide);
  // In step, by volatile accesses.
  return earlier.warp() == mark.warp() && earlier.thread() != mark.thread() && lane.shared &&
         earlier.is(Mark::is_volatile) && mark.is(Mark::is_volatile) &&
         earlier.is(Mark::converged) && mark.is(Mark::converged) && earlier.place != mark.place;
}

void KernelWatch::found(const Mark& earlier, const Lane& lane, uint64_t address) {
  const auto [least, most] = std::minmax(earlier.place, lane.mark.place);
  if (races_.size() == most_races || !found_.emplace(least, most, lane.shared).second) return;
  const auto plain_read = [&](const Mark& mark, const Mark& other) {
    return !mark.is(Mark::strong) && !place(mark.place).writes() && other.is(Mark::atomic);
  };
  const uint16_t read = plain_read(earlier, lane.mark)   ? earlier.place
                        : plain_read(lane.mark, earlier) ? lane.mark.place
                                                         : uint16_t{0};
  races_.push_back({{accessor(earlier), accessor(lane.mark), address, lane.address, lane.bytes,
                     lane.shared, earlier.is(Mark::async)},
                    read});
}

void KernelWatch::note_compared(uint16_t read) {
  if (compared_.size() <= read) compared_.resize(read + size_t{1});
  compared_[read] = true;
}

std::vector<ThreadRace> KernelWatch::races() const {
  std::vector<ThreadRace> all;
  for (const Found& one : races_)
    if (one.read >= compared_.size() || !compared_[one.read]) all.push_back(one.race);
  return all;
}

// Most accesses say nothing new of a cell. Returns true if this is one of them, and is noted.
bool KernelWatch::touch_again(const OfBlock& block, Shadow& shadow, Cell& cell, const Lane& lane) {
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
  // An atomic operation after atomic operations, whose scope includes all blocks. Another one that
  // nothing orders stays.
  constexpr uint16_t kind = Mark::strong | Mark::wide | Mark::atomic;
  if ((mark.how & kind) != kind || (cell.write.how & kind) != kind || cell.read ||
      lane.access & ptx::access_compares)
    return false;
  if (!cell.write.same_thread(mark)) {
    if (!has_others) return false;
    Shadow::Others& others = shadow.others(cell);
    // In shared memory every later access comes after it.
    const bool is_over = block.order.comes_before_block(others.write);
    if (others.read || ((others.write.how & kind) != kind && !(is_over && lane.shared)))
      return false;
    if (is_over) others.write = cell.write;
  } else if (has_others && shadow.others(cell).read) {
    return false;
  }
  cell.write = mark;
  return true;
}

void KernelWatch::touch(OfBlock& block, Shadow& shadow, Cell& cell, const Lane& lane,
                        uint64_t address) {
  if (touch_again(block, shadow, cell, lane)) return;
  const Mark& mark = lane.mark;
  const bool is_strong = mark.is(Mark::strong), is_wide = is_strong && mark.is(Mark::wide);
  const bool writes = lane.access & (ptx::access_write | ptx::access_atomic);
  // Returns true if every access that would race with `earlier` would also race with this one.
  const auto replaces = [&](const Mark& earlier) {
    if (!earlier) return true;
    if (is_strong && (!earlier.is(Mark::strong) || earlier.block != mark.block ||
                      (is_wide && !earlier.is(Mark::wide))))
      return false;
    return block.order.comes_before(earlier, mark.thread());
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
  // The thread's own atomic operation comes after those that it has met there.
  const bool met =
      other_write.is(Mark::strong) && cell.write.is(Mark::atomic) && cell.write.same_thread(mark);
  if (writes) {
    if (lane.access & ptx::access_compares)
      for (const Mark& read : {cell.read, has_others ? shadow.others(cell).read : Mark{}})
        if (read && read.same_thread(mark)) note_compared(read.place);
    for (const Mark& earlier : {cell.write, met ? Mark{} : other_write})
      if (races(block, earlier, lane) && !same_value(earlier)) found(earlier, lane, address);
    for (const Mark& earlier : {cell.read, has_others ? shadow.others(cell).read : Mark{}})
      if (races(block, earlier, lane)) found(earlier, lane, address);
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
    if (races(block, earlier, lane)) found(earlier, lane, address);
  cell.more |= is_wide ? Cell::strong_read : Cell::weak_read;
  keep_read(shadow, cell, mark, replaces);
}

}  // namespace cuvette::watch
