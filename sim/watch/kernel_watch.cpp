// SPDX-License-Identifier: Apache-2.0
#include "sim/watch/kernel_watch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace cuvette::watch {

namespace {

constexpr size_t most_races = 64;
constexpr uint16_t most_places = UINT16_MAX;
// So many parts of a footprint are told apart by who touched them.
constexpr size_t most_exact = 2048;

}  // namespace

struct KernelWatch::OfBlock final : exec::BlockWatch, Recycled<KernelWatch::OfBlock> {
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
  uint64_t time = 0;  // one for each of its parts between barriers; see ptx::QuietLine
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
  auto own = std::make_unique<OfBlock>(static_cast<uint32_t>(block.index()), threads_,
                                       meetings_wanted_ ? &meeting_mistakes_ : nullptr);
  block.context.quiet_lines = quiet_;
  block.context.watch_time = own->time = ++times_;
  return own;
}

uint16_t KernelWatch::number_of(const Place& place) {
  // Most are the lines of one text, and a line of the source has several instructions.
  Recent& recent = recent_[(place.location ^ place.location >> 24) % std::size(recent_)];
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

// That of thread 0; `warp` is a WarpAccess or WarpRows.
template <typename Access>
Mark KernelWatch::mark_of(const OfBlock& own, const Access& warp) {
  uint16_t how = 0;
  if (warp.access & ptx::access_strong) how |= Mark::strong;
  if (warp.access & ptx::access_volatile) how |= Mark::is_volatile;
  if (warp.access & ptx::access_async && warp.access & ptx::access_write) how |= Mark::async;
  if (warp.access & ptx::access_atomic) how |= Mark::atomic;
  if (ptx::scope_of(warp.access) != ptx::Scope::block) how |= Mark::wide;
  if (warp.mask == own.order.lanes_of(warp.warp)) how |= Mark::converged;
  return {own.order.block(), own.order.now(), how, number_of({warp.location, warp.access})};
}

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

// In lines that have been touched in the same way so far and where everything is in order. False:
// nothing is changed in the line that is different, and each lane is to be looked at; lines before
// it may hold these accesses already, which are then found to be their own.
bool KernelWatch::rows(exec::Block& running, const exec::WarpRows& warp) {
  if (aliases_.any()) return false;
  OfBlock& own = of(running);
  const bool writes = warp.access & ptx::access_write;
  if (races_wanted_ && !(warp.access & (ptx::access_local | ptx::access_constant)) &&
      !rows(own, running.context, warp))
    return false;
  if (taint_ && writes && !taint_->writes(own.taint, running, warp)) return false;
  if (own.rules) own.rules->seen(warp.warp, warp.mask);
  if (meetings_wanted_ && warp.count != 0)
    last_ = {{running.index(),
              warp.warp * ptx::warp_size + warp.row[0].lane,
              {warp.location, warp.access}},
             warp.row[0].begin};
  return true;
}

bool KernelWatch::rows(OfBlock& own, const ptx::BlockContext& context, const exec::WarpRows& warp) {
  const uint32_t bytes = ptx::access_bytes(warp.access);
  constexpr uint32_t others = ptx::access_strong | ptx::access_async | ptx::access_atomic;
  if (warp.access & others || bytes % Line::word != 0 || bytes > 16) return false;
  const bool writes = warp.access & ptx::access_write;
  const auto shift = static_cast<uint8_t>(std::countr_zero(bytes / Line::word));
  Row row;
  for (const exec::WarpRows::Row& lanes : warp.all()) {
    if (lanes.together && writes) return false;
    uint64_t begin = lanes.begin;
    const Memory memory = memory_of(context, warp.access, begin);
    if (memory == Memory::local) return false;
    const bool shared = memory == Memory::shared;
    if (writes && !(shared ? own.meetings : meetings_).empty()) return false;
    Shadow& shadow = shared ? own.shared : global_;
    const uint64_t end = begin + (lanes.together ? bytes : uint64_t{bytes} * lanes.lanes);
    const uint32_t first = warp.warp * ptx::warp_size + lanes.lane;
    for (uint64_t at = begin; at < end;) {
      Line& line = shadow.line(at);
      const uint64_t offset = at % Line::bytes;
      const uint64_t part = std::min<uint64_t>(end - at, Line::bytes - offset);
      const auto is_quiet = [&] { return line.quiet == own.time || line.quiet == Line::always; };
      if (writes || !is_quiet()) {
        if (!row.mark) row.mark = mark_of(own, warp);
        row.mark = row.mark.by_thread(first);
        row.shift = shift;
        row.together = lanes.together;
        const auto word = static_cast<uint32_t>(offset / Line::word);
        const auto words = static_cast<uint32_t>(part / Line::word);
        row.words = static_cast<uint32_t>(((uint64_t{1} << words) - 1) << word);
        // The thread of word 0, if it had one.
        row.first = static_cast<int16_t>(
            lanes.together ? first + lanes.lanes - 1
                           : first + ((at - begin) >> shift) / Line::word - (word >> shift));
        if (!add_row(own, shadow, line, row, writes, warp.warp)) return false;
      }
      if (writes)
        is_written(at, shared);
      else if (is_quiet())
        quiet(at, shared).read_at = own.time;
      at += part;
    }
  }
  return true;
}

// The compiled code's note of a line.
ptx::QuietLine& KernelWatch::quiet(uint64_t address, bool shared) {
  const uint64_t number = ptx::QuietLine::number_of(address, shared);
  ptx::QuietLine& line = quiet_[number % std::size(quiet_)];
  if (line.number != number) line = {number};
  return line;
}

void KernelWatch::is_written(uint64_t address, bool shared) {
  const uint64_t number = ptx::QuietLine::number_of(address, shared);
  ptx::QuietLine& line = quiet_[number % std::size(quiet_)];
  if (line.number == number) line.read_at = 0;
}

// Makes rows of a line that is about to be written by the warp as a whole, after all that others
// have done there.
bool KernelWatch::heal(const OfBlock& own, Shadow& shadow, Line& line, uint32_t warp) {
  const ThreadOrder& order = own.order;
  const auto is_over = [&](const Mark& write, const Mark& read) {
    return (!write || (!write.is(Mark::async) && order.comes_before_warp(write, warp))) &&
           (!read || order.read_comes_before_warp(read, warp));
  };
  for (Cell& cell : line.more->cells) {
    if (!is_over(cell.write, cell.read)) return false;
    if (!(cell.more & Cell::another)) continue;
    const Shadow::Others& others = shadow.others(cell);
    if (!is_over(others.write, others.read)) return false;
  }
  shadow.heal(line);
  return true;
}

bool KernelWatch::add_row(const OfBlock& own, Shadow& shadow, Line& line, const Row& row,
                          bool writes, uint32_t warp) {
  const ThreadOrder& order = own.order;
  if (line.is_cut()) {
    if (!writes) return read_words(order, shadow, line, row, warp);
    if (row.words != UINT32_MAX || !heal(own, shadow, line, warp)) return false;
  }
  const auto follows = [&](const Row& earlier, bool wrote) {
    return earlier.same_threads(row) || (wrote ? order.comes_before_warp(earlier.mark, warp)
                                               : order.read_comes_before_warp(earlier.mark, warp));
  };
  for (const Row& earlier : line.writes)
    if (earlier.words & row.words && !follows(earlier, true)) return false;
  if (writes) {
    for (const Row& earlier : line.reads)
      if (earlier.words & row.words && !follows(earlier, false)) return false;
    line.quiet = Line::never;
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
  // The same lanes go on, in a loop that may be unrolled.
  for (size_t n = 0; n < std::size(line.reads); ++n)
    if (line.reads[n].continues_as(row)) {
      line.go_on(n, row);
      return true;
    }
  // `left`: what each earlier one says that this one does not stand for.
  std::array<uint32_t, Line::most_reads> left;
  for (size_t n = 0; n < left.size(); ++n)
    left[n] = line.reads[n].words & ~(follows(line.reads[n], true) ? row.words : 0);
  const std::optional<size_t> place = place_for(line, row, left);
  if (!place) return false;
  for (size_t n = 0; n < left.size(); ++n) line.reads[n].words = left[n];
  if (*place < left.size()) line.reads[*place] = row;
  line.read |= row.words;
  note_many_readers(own, line);
  return true;
}

// The same for reads of a line that has been cut.
bool KernelWatch::read_words(const ThreadOrder& order, Shadow& shadow, Line& line, const Row& row,
                             uint32_t warp) {
  if (line.cell_bytes() != Line::word) return false;
  for (uint32_t left = row.words; left != 0; left &= left - 1) {
    const auto word = static_cast<uint32_t>(std::countr_zero(left));
    Cell& cell = line.more->cells[word];
    const Mark mark = row.mark_of(word);
    const auto follows = [&](const Mark& earlier) {
      return !earlier ||
             (!earlier.is(Mark::async) && ((!row.together && earlier.same_thread(mark)) ||
                                           order.comes_before_warp(earlier, warp)));
    };
    if (!follows(cell.write)) return false;
    if (cell.more & Cell::another && !follows(shadow.others(cell).write)) return false;
    cell.more |= Cell::weak_read;
    keep_read(shadow, cell, mark, follows);
    if (row.together)
      keep_read(shadow, cell, mark.by_thread(static_cast<uint32_t>(row.first)), follows);
  }
  return true;
}

// Of each word two unordered reads are kept, as far from each other as possible. Returns which row
// another read may displace, of which `left` says what is in it; the number of rows if it need not
// be kept itself.
std::optional<size_t> KernelWatch::place_for(const Line& line, const Row& row,
                                             std::span<const uint32_t> left) {
  // The words that two others have, too; and how near the nearest is.
  const auto others = [&](size_t one, const Mark& mark, uint32_t once) {
    std::pair<uint32_t, int> result{0, 0};
    for (size_t n = 0; n < left.size(); ++n) {
      if (n == one || left[n] == 0) continue;
      const Mark& other = line.reads[n].mark;
      const int near = other.block != mark.block ? 1 : other.warp() != mark.warp() ? 2 : 3;
      result = {result.first | (once & left[n]), std::max(result.second, near)};
      once |= left[n];
    }
    return result;
  };
  std::optional<size_t> place;
  int nearest = 0;
  for (size_t n = 0; n < left.size(); ++n) {
    if (left[n] == 0) return n;
    const auto [twice, near] = others(n, line.reads[n].mark, row.words);
    if (left[n] & ~twice || near <= nearest) continue;
    place = n;
    nearest = near;
  }
  if (place || row.words & ~others(left.size(), row.mark, 0).first) return place;
  return left.size();
}

// Where each word has been read by two warps that nothing orders, and whoever wrote is known to all
// threads of the block, further plain reads say nothing new: of more readers two are kept anyway.
// That holds until somebody writes, or the block's threads meet again. Two blocks that have read
// what nobody has written say so for all blocks.
void KernelWatch::note_many_readers(const OfBlock& own, Line& line) {
  if (line.read != UINT32_MAX) return;
  const ThreadOrder& order = own.order;
  uint32_t by_warps = 0, by_blocks = 0;
  for (size_t n = 0; n < std::size(line.reads); ++n)
    for (size_t k = 0; k < n; ++k) {
      const Row &one = line.reads[n], &other = line.reads[k];
      const uint32_t both = one.words & other.words;
      if (both == 0) continue;
      if (one.mark.block != other.mark.block)
        by_blocks |= both;
      else if (one.mark.warp() != other.mark.warp() && order.is_since_barrier(one.mark) &&
               order.is_since_barrier(other.mark))
        by_warps |= both;
    }
  if (by_blocks == UINT32_MAX && line.written == 0) {
    line.quiet = Line::always;
  } else if (by_warps == UINT32_MAX && std::ranges::all_of(line.writes, [&](const Row& row) {
               return row.words == 0 || order.comes_before_block(row.mark);
             })) {
    line.quiet = own.time;
  }
}

void KernelWatch::access(OfBlock& block, const Lane& lane) {
  // Before the access is looked at: it comes after what it acquires.
  if (lane.access & ptx::access_strong || !meetings_.empty() || !block.meetings.empty())
    synchronise(block, lane);
  Shadow& shadow = lane.shared ? block.shared : global_;
  if (lane.access & ptx::access_write) is_written(lane.address, lane.shared);
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

// Most accesses say nothing new of a cell. True: this is one of them, and is noted.
bool KernelWatch::touch_again(const OfBlock& block, Shadow& shadow, Cell& cell, const Lane& lane) {
  const Mark& mark = lane.mark;
  const bool has_others = cell.more & Cell::another;
  // Two blocks have read, and nobody has written: of more readers two are kept anyway.
  if (!(lane.access & (ptx::access_write | ptx::access_atomic | ptx::access_strong))) {
    if (!has_others || cell.write || !cell.read || mark.is(Mark::async)) return false;
    const Shadow::Others& others = shadow.others(cell);
    if (others.write || !others.read || others.read.block == cell.read.block) return false;
    cell.more |= Cell::weak_read;
    return true;
  }
  // An atomic operation behind atomic operations, whose scope includes all blocks. Another one that
  // nothing orders stays.
  constexpr uint16_t kind = Mark::strong | Mark::wide | Mark::atomic;
  if ((mark.how & kind) != kind || (cell.write.how & kind) != kind || cell.read ||
      lane.access & ptx::access_compares)
    return false;
  if (!cell.write.same_thread(mark)) {
    if (!has_others) return false;
    Shadow::Others& others = shadow.others(cell);
    // In shared memory nobody is left who does not come after it.
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
  keep_read(shadow, cell, mark, replaces);
}

// Two readers are kept, as far from each other as possible: a writer that comes after both rarely
// fails to come after the others.
template <typename Replaces>
void KernelWatch::keep_read(Shadow& shadow, Cell& cell, const Mark& mark,
                            const Replaces& replaces) {
  if (replaces(cell.read)) {
    cell.read = mark;
    if (cell.more & Cell::another && replaces(shadow.others(cell).read))
      shadow.others(cell).read = {};
    return;
  }
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

bool KernelWatch::all_written(exec::Block& block, const exec::WarpRows& rows) {
  if (!taint_) return true;
  OfBlock& own = of(block);
  if (!taint_->all_written(own.taint, block, rows)) return false;
  // Others will come to the line.
  for (const exec::WarpRows::Row& row : rows.all()) {
    uint64_t at = row.begin;
    const Memory memory = memory_of(block.context, rows.access, at);
    if (memory != Memory::local &&
        taint_->is_written(own.taint, memory, at & -uint64_t{Line::bytes}, Line::bytes))
      quiet(at, memory == Memory::shared).written_at = own.time;
  }
  return true;
}

bool KernelWatch::taint_load(exec::Block& block, const exec::WarpAccess& access, uint32_t* taints,
                             uint32_t count) {
  return taint_ && taint_->load(of(block).taint, block, access, taints, count);
}

void KernelWatch::taint_store(exec::Block& block, const exec::WarpAccess& access,
                              const uint32_t* taints, uint32_t count) {
  if (!taint_) return;
  for (ptx::QuietLine& line : quiet_) line.written_at = 0;  // whatever its address
  taint_->store(of(block).taint, block, access, taints, count);
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
  OfBlock& own = of(block);
  own.order.meet(number, waiting, all);
  if (all) block.context.watch_time = own.time = ++times_;
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
          (place == mark.place || all.size() >= most_exact)) {
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
