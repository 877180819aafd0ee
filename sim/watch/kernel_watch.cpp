// SPDX-License-Identifier: Apache-2.0
#include "sim/watch/kernel_watch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace cuvette::watch {

namespace {

constexpr size_t most_races = 64;
constexpr uint16_t most_places = UINT16_MAX;

}  // namespace

struct KernelWatch::OfBlock final : exec::BlockWatch {
  OfBlock(uint32_t block, uint32_t threads, MeetingMistakes* mistakes) : order(block, threads) {
    if (mistakes) rules.emplace(block, threads, *mistakes);
  }

  // Asynchronous copies of a thread that it has not waited for.
  struct Copy {
    uint32_t group;
    uint64_t offset;
    uint32_t bytes;
    uint16_t place;
  };
  struct Copies {
    uint32_t groups = 0;  // that it has committed
    std::vector<Copy> under_way;
  };

  std::optional<MeetingRules> rules;
  ThreadOrder order;
  Shadow shared;
  Meetings meetings;  // in shared memory
  std::unordered_map<uint32_t, Copies> copies;
  TaintWatch::OfBlock taint;
};

struct KernelWatch::Lane {
  Mark mark;
  uint64_t address;  // or the offset in shared memory
  uint32_t bytes, access;
  bool shared;
  const uint8_t* value;   // what it writes, or null
  const uint8_t* memory;  // where it writes
  const exec::WarpAccess* warp;
  bool together;  // all lanes that take part access these bytes
};

KernelWatch::OfBlock& KernelWatch::of(exec::Block& block) {
  return static_cast<OfBlock&>(*block.own_watch);
}

KernelWatch::KernelWatch(uint32_t threads, WatchFor what)
    : threads_(threads),
      races_wanted_(what.races),
      meetings_wanted_(what.meetings),
      aliases_(std::move(what.aliases), what.adversary),
      taint_(what.written ? std::make_unique<TaintWatch>(*what.written) : nullptr) {}

std::unique_ptr<exec::BlockWatch> KernelWatch::begins(exec::Block& block) {
  return std::make_unique<OfBlock>(static_cast<uint32_t>(block.index()), threads_,
                                   meetings_wanted_ ? &meeting_mistakes_ : nullptr);
}

uint16_t KernelWatch::number_of(const Place& place) {
  Recent& recent = recent_[(place.location ^ place.access) % std::size(recent_)];
  if (recent.number == 0 || recent.place != place) recent = {place, new_number_of(place)};
  return recent.number;
}

uint16_t KernelWatch::new_number_of(const Place& place) {
  const auto [known, fresh] = numbers_.try_emplace({place.location, place.access}, 0);
  if (fresh) {
    if (places_.size() == most_places) return 0;
    known->second = static_cast<uint16_t>(places_.size());
    places_.push_back(place);
  }
  return known->second;
}

Accessor KernelWatch::accessor(const Mark& mark) const {
  return {mark.block, mark.thread(), places_[mark.place]};
}

// --- Accesses ------------------------------------------------------------------------------------

void KernelWatch::accesses(exec::Block& block, const exec::WarpAccess& warp) {
  if (taint_ && warp.access & ptx::access_write) taint_->writes(of(block).taint, block, warp);
  OfBlock& own = of(block);
  if (own.rules) own.rules->seen(warp.warp, warp.mask);
  aliases_.accesses(block, warp);
  if (meetings_wanted_ && warp.mask != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(warp.mask));
    last_ = {{block.index(), warp.warp * ptx::warp_size + lane, {warp.location, warp.access}},
             warp.addresses[lane]};
  }
  if (!races_wanted_ || warp.access & (ptx::access_local | ptx::access_constant)) return;
  const ptx::BlockContext& context = block.context;
  const uint32_t bytes = ptx::access_bytes(warp.access);
  uint16_t how = 0;
  if (warp.access & ptx::access_strong) how |= Mark::strong;
  if (warp.access & ptx::access_volatile) how |= Mark::is_volatile;
  if (warp.access & ptx::access_async && warp.access & ptx::access_write) how |= Mark::async;
  if (warp.access & ptx::access_atomic) how |= Mark::atomic;
  if (ptx::scope_of(warp.access) != ptx::Scope::block) how |= Mark::wide;
  if (warp.mask == own.order.lanes_of(warp.warp)) how |= Mark::converged;
  const uint16_t place = number_of({warp.location, warp.access});
  if (!(warp.access & ptx::access_strong) && !(how & Mark::async) &&
      access_by_rows(own, block, warp, {own.order.block(), own.order.now(), how, place}))
    return;
  const uint64_t first = warp.mask ? warp.addresses[std::countr_zero(warp.mask)] : 0;
  bool together = true;
  each_lane(warp.mask, [&](uint32_t l) { together = together && warp.addresses[l] == first; });
  each_lane(warp.mask, [&](uint32_t l) {
    Lane lane;
    lane.address = warp.addresses[l];
    const Memory memory = memory_of(context, warp.access, lane.address);
    if (memory == Memory::local) return;
    lane.shared = memory == Memory::shared;
    lane.mark = {own.order.block(), own.order.now(),
                 static_cast<uint16_t>(how | (warp.warp * ptx::warp_size + l)), place};
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

// Lanes side by side, or all at one place, in a few lines that have been touched in the same way so
// far and where everything is in order. False: nothing is changed in the line that is different,
// and each lane is to be looked at; lines before it may hold these accesses already, which are then
// found to be their own.
bool KernelWatch::access_by_rows(OfBlock& block, const exec::Block& running,
                                 const exec::WarpAccess& warp, const Mark& mark) {
  const uint32_t bytes = ptx::access_bytes(warp.access);
  if (bytes != 4 && bytes != 8 && bytes != 16) return false;
  const bool writes = warp.access & ptx::access_write;
  // One row, or the two of a block that is 16 wide.
  struct Run {
    uint32_t lane, lanes;
    bool together;
  } runs[2];
  uint32_t count = 0;
  if (warp.beside) runs[count++] = {0, ptx::warp_size, false};
  for (uint32_t left = warp.beside ? 0 : warp.mask; left != 0;) {
    if (count == std::size(runs)) return false;
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t begin = warp.addresses[lane];
    uint32_t lanes = 1;
    const auto goes_on = [&](uint64_t step) {
      while (lane + lanes < ptx::warp_size && left >> (lane + lanes) & 1 &&
             warp.addresses[lane + lanes] == begin + lanes * step)
        ++lanes;
      return lanes > 1;
    };
    const bool beside = goes_on(bytes);
    const bool together = !beside && goes_on(0);
    if (together && writes) return false;
    runs[count++] = {lane, lanes, together};
    left = lane + lanes == ptx::warp_size ? 0 : left >> (lane + lanes) << (lane + lanes);
  }
  for (uint32_t r = 0; r < count; ++r) {
    const Run& run = runs[r];
    uint64_t begin = warp.addresses[run.lane];
    const uint64_t size = run.together ? bytes : uint64_t{bytes} * run.lanes;
    const Memory memory = memory_of(running.context, warp.access, begin);
    if (memory == Memory::local) return false;
    const bool shared = memory == Memory::shared;
    if (writes && !(shared ? block.meetings : meetings_).empty()) return false;
    Row row;
    row.mark = mark;
    const uint32_t first = warp.warp * ptx::warp_size + run.lane;
    row.mark.how = static_cast<uint16_t>(row.mark.how | first);
    row.shift = static_cast<uint8_t>(std::countr_zero(bytes / Line::word));
    row.together = run.together;
    Shadow& shadow = shared ? block.shared : global_;
    for (uint64_t at = begin; at < begin + size;) {
      const uint64_t offset = at % Line::bytes;
      const uint64_t part = std::min<uint64_t>(begin + size - at, Line::bytes - offset);
      const auto word = static_cast<uint32_t>(offset / Line::word);
      const auto words = static_cast<uint32_t>(part / Line::word);
      row.words = static_cast<uint32_t>(((uint64_t{1} << words) - 1) << word);
      // The thread of word 0, if it had one.
      row.first = run.together ? static_cast<int32_t>(first + run.lanes - 1)
                               : static_cast<int32_t>(first + (at - begin) / bytes) -
                                     static_cast<int32_t>(word >> row.shift);
      if (!add_row(block.order, shadow.line(at), row, writes, warp.warp)) return false;
      at += part;
    }
  }
  return true;
}

bool KernelWatch::add_row(const ThreadOrder& order, Line& line, const Row& row, bool writes,
                          uint32_t warp) {
  if (!line.cells.empty()) return false;
  const auto follows = [&](const Row& earlier, bool wrote) {
    return earlier.same_threads(row) || (wrote ? order.comes_before_warp(earlier.mark, warp)
                                               : order.read_comes_before_warp(earlier.mark, warp));
  };
  for (const Row& earlier : line.writes)
    if (earlier.words & row.words && !follows(earlier, true)) return false;
  if (writes) {
    for (const Row& earlier : line.reads)
      if (earlier.words & row.words && !follows(earlier, false)) return false;
    Row* place = nullptr;
    for (Row& earlier : line.writes)
      if (!(earlier.words & ~row.words)) place = &earlier;
    if (!place) return false;
    for (Row& earlier : line.writes) earlier.words &= ~row.words;
    for (Row& earlier : line.reads) earlier.words &= ~row.words;
    *place = row;
    line.written |= row.words;
    return true;
  }
  // Of each word two unordered reads are kept: where both are, in the place of a third one.
  // `left`: what each earlier one says that this one does not stand for.
  std::array<uint32_t, std::extent_v<decltype(Line::reads)>> left;
  for (size_t n = 0; n < left.size(); ++n)
    left[n] = line.reads[n].words & ~(follows(line.reads[n], true) ? row.words : 0);
  const auto is_third = [&](size_t n) {
    uint32_t others = 0;
    for (size_t other = 0; other < left.size(); ++other)
      if (other != n) others |= left[other];
    return !(left[n] & ~(row.words & others));
  };
  size_t place = 0;
  while (place < left.size() && left[place] != 0) ++place;
  if (place == left.size())
    for (place = 0; place < left.size() && !is_third(place);) ++place;
  if (place == left.size()) return false;
  for (size_t n = 0; n < left.size(); ++n) line.reads[n].words = left[n];
  line.reads[place] = row;
  line.read |= row.words;
  return true;
}

void KernelWatch::access(OfBlock& block, const Lane& lane) {
  // Before the access is looked at: it comes after what it acquires.
  if (lane.access & ptx::access_strong || !meetings_.empty() || !block.meetings.empty())
    synchronise(block, lane);
  Shadow& shadow = lane.shared ? block.shared : global_;
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
  if (places_[earlier.place].writes() ? block.order.comes_before(earlier, mark.thread())
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
    return !mark.is(Mark::strong) && !places_[mark.place].writes() && other.is(Mark::atomic);
  };
  const uint16_t read = plain_read(earlier, lane.mark)   ? earlier.place
                        : plain_read(lane.mark, earlier) ? lane.mark.place
                                                         : uint16_t{0};
  races_.push_back({{accessor(earlier), accessor(lane.mark), address, lane.bytes, lane.shared,
                     earlier.is(Mark::async)},
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

void KernelWatch::touch(OfBlock& block, Shadow& shadow, Cell& cell, const Lane& lane,
                        uint64_t address) {
  const Mark& mark = lane.mark;
  const bool is_strong = mark.is(Mark::strong), is_wide = is_strong && mark.is(Mark::wide);
  const bool writes = lane.access & (ptx::access_write | ptx::access_atomic);
  // Whether whoever races with the earlier one races with this one, too.
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
      return true;  // lanes behind the end copy the last element once more
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
    // Behind a strong write the last weak one is kept, with which other strong ones still race; or
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
  if (replaces(cell.read)) {
    cell.read = mark;
    if (has_others && replaces(shadow.others(cell).read)) shadow.others(cell).read = {};
    return;
  }
  // Two readers are kept, as far from each other as possible: a writer that comes after both rarely
  // fails to come after the others.
  Mark& other = shadow.others(cell).read;
  const auto distance = [&](const Mark& one) {
    if (!one) return 0;
    if (one.block != cell.read.block) return 3;
    return one.warp() != cell.read.warp() ? 2 : 1;
  };
  if (replaces(other) || distance(mark) >= distance(other)) other = mark;
}

// --- What nobody has written ---------------------------------------------------------------------

void KernelWatch::written(exec::Block& block, uint64_t address, uint64_t bytes) {
  if (taint_) taint_->written(of(block).taint, block, address, bytes);
}

void KernelWatch::taint_load(exec::Block& block, const exec::WarpAccess& access, uint32_t* taints,
                             uint32_t count) {
  if (taint_) taint_->load(of(block).taint, block, access, taints, count);
}

void KernelWatch::taint_store(exec::Block& block, const exec::WarpAccess& access,
                              const uint32_t* taints, uint32_t count) {
  if (taint_) taint_->store(of(block).taint, block, access, taints, count);
}

void KernelWatch::taint_use(exec::Block& block, ptx::TaintUse use, const uint32_t* taints,
                            const exec::WarpAccess& by) {
  if (taint_) taint_->use(of(block).taint, block, use, taints, by);
}

// --- What orders ---------------------------------------------------------------------------------

void KernelWatch::synchronise(OfBlock& block, const Lane& lane) {
  Meetings& meetings = lane.shared ? block.meetings : meetings_;
  const bool writes = lane.access & ptx::access_write, atomic = lane.access & ptx::access_atomic;
  const bool strong = lane.access & ptx::access_strong;
  const auto known = meetings.find(lane.address);
  if (!strong) {
    if (writes && known != meetings.end()) meetings.erase(known);
    return;
  }
  const uint32_t thread = lane.mark.thread();
  const bool wide = lane.mark.is(Mark::wide);
  const bool acquires = lane.access & ptx::access_acquire;
  if (!writes && known != meetings.end() && known->second.reads)
    block.order.sees_reads(thread, known->second.reads);
  if ((!writes || atomic) && known != meetings.end())
    for (const Released* const released : {&known->second.narrow, &known->second.wide})
      if (*released) block.order.sees(thread, *released, acquires, wide);
  if (!writes) return;
  Released released = lane.access & ptx::access_release ? block.order.release(thread, wide)
                                                        : block.order.released_by_fence(thread);
  released.wide = released.wide && wide;
  if (known == meetings.end() && !released && atomic) return;
  Meeting& meeting = meetings[lane.address];
  if (!atomic) meeting = {{}, {}, block.order.reads_until_now(thread)};  // the rest is gone
  if (!released) return;
  Released& place = released.wide ? meeting.wide : meeting.narrow;
  if (place) {
    released.knowledge = Knowledge::join(place.knowledge, released.knowledge);
    if (place.block != released.block) released.block = UINT32_MAX;
  }
  place = std::move(released);
}

void KernelWatch::orders(exec::Block& block, const exec::WarpOrdering& what) {
  OfBlock& own = of(block);
  if (own.rules) own.rules->orders(what);
  if (what.what == ptx::Ordering::alias_fence) aliases_.fence();
  if (!races_wanted_) return;
  const ptx::Ordering ordering = what.what;
  const uint64_t* const operands = what.operands;
  const uint32_t mask = what.mask, warp = what.warp;
  const auto each_thread = [&](const auto& visit) {
    each_lane(mask, [&](uint32_t lane) { visit(warp * ptx::warp_size + lane, operands[lane]); });
  };
  // A barrier in shared memory may be named by its offset or its address.
  const auto place_of = [&](uint64_t operand) {
    const uint64_t offset = operand - reinterpret_cast<uint64_t>(block.context.shared);
    return offset < block.context.shared_bytes ? offset : operand;
  };
  switch (ordering) {
    case ptx::Ordering::barrier:  // meet() and arrives() are told more
    case ptx::Ordering::alias_fence:
      return;
    case ptx::Ordering::warp: {
      // Lanes may name different members: each group syncs by itself.
      uint32_t left = mask;
      while (left != 0) {
        const auto members =
            static_cast<uint32_t>(operands[static_cast<uint32_t>(std::countr_zero(left))]) & left;
        const uint32_t group = members ? members : left & (0 - left);
        own.order.sync_warp(warp, group);
        left &= ~group;
      }
      return;
    }
    case ptx::Ordering::collective:
      return own.order.exchange(warp, mask);
    case ptx::Ordering::fence:
      if (mask != 0)
        own.order.fence(
            warp, mask,
            static_cast<ptx::Scope>(operands[static_cast<uint32_t>(std::countr_zero(mask))]));
      return;
    case ptx::Ordering::async_groups:
      return each_thread([&](uint32_t thread, uint64_t) {
        if (const auto copies = own.copies.find(thread); copies != own.copies.end())
          ++copies->second.groups;
      });
    case ptx::Ordering::async_wait:
      return each_thread([&](uint32_t thread, uint64_t groups) {
        end_copies(own, thread, static_cast<uint32_t>(groups));
      });
    case ptx::Ordering::async_arrive:
      each_thread([&](uint32_t thread, uint64_t) { end_copies(own, thread, 0); });
      [[fallthrough]];
    case ptx::Ordering::arrive:
      return each_thread([&](uint32_t thread, uint64_t operand) {
        Released released = own.order.release(thread, false);
        Released& place = own.meetings[place_of(operand)].narrow;
        released.knowledge = Knowledge::join(place.knowledge, released.knowledge);
        place = std::move(released);
      });
    case ptx::Ordering::waited:
      return each_thread([&](uint32_t thread, uint64_t operand) {
        const auto place = own.meetings.find(place_of(operand));
        if (place != own.meetings.end() && place->second.narrow)
          own.order.sees(thread, place->second.narrow, true, false);
      });
  }
}

// What they have written counts as written now, by their thread.
void KernelWatch::end_copies(OfBlock& block, uint32_t thread, uint32_t groups_left) {
  const auto known = block.copies.find(thread);
  if (known == block.copies.end()) return;
  OfBlock::Copies& copies = known->second;
  const auto is_over = [&](const OfBlock::Copy& copy) {
    return groups_left == 0 || copy.group + groups_left < copies.groups;
  };
  for (const OfBlock::Copy& copy : copies.under_way) {
    if (!is_over(copy)) continue;
    const auto end = [&](Mark& write) {
      if (write.is(Mark::async) && write.thread() == thread)
        write = {block.order.block(), block.order.now(), static_cast<uint16_t>(thread), copy.place};
    };
    for (Cell& cell : block.shared.cells(copy.offset, copy.bytes)) {
      end(cell.write);
      if (cell.more & Cell::another) end(block.shared.others(cell).write);
    }
  }
  std::erase_if(copies.under_way, is_over);
}

void KernelWatch::arrives(exec::Block& block, uint32_t number, uint32_t mask, uint32_t warp) {
  if (!races_wanted_) return;
  of(block).order.arrive(number, warp, mask);
}

void KernelWatch::meet(exec::Block& block, uint32_t number, uint32_t warps, bool all) {
  if (of(block).rules) of(block).rules->meet(number, warps, all);
  if (!races_wanted_) return;
  std::vector<ThreadOrder::Waiting> waiting;
  for (uint32_t left = warps; left != 0; left &= left - 1) {
    const auto warp = static_cast<uint32_t>(std::countr_zero(left));
    waiting.push_back({warp, block.lanes_at_barrier(warp)});
  }
  of(block).order.meet(number, waiting, all);
}

// --- Afterwards ----------------------------------------------------------------------------------

const std::vector<Touched>& KernelWatch::touched() const {
  if (touched_) return *touched_;
  std::vector<Touched>& all = touched_.emplace();
  uint16_t place = 0;
  global_.each([&](uint64_t address, uint32_t bytes, const Cell& cell) {
    const bool writes = cell.written(), atomic = cell.only_strong();
    Mark mark = writes ? cell.write : cell.read;
    if (!all.empty()) {
      Touched& last = all.back();
      if (last.end == address && last.writes == writes && last.atomic == atomic &&
          place == mark.place) {
        last.end += bytes;
        return;
      }
    }
    place = mark.place;
    all.push_back({address, address + bytes, writes, atomic, accessor(mark)});
  });
  return all;
}

Accessor KernelWatch::toucher(uint64_t address) const {
  const Cell cell = global_.find(address);
  return accessor(cell.write ? cell.write : cell.read);
}

}  // namespace cuvette::watch
