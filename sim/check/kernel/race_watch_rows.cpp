// SPDX-License-Identifier: Apache-2.0
// Lanes in rows: accesses that are compared and kept for a line of memory at once.
#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "sim/check/kernel/race_watch_block.hpp"
#include "sim/exec/grid.hpp"

namespace cuvette::watch {

// In lines that have been touched in the same way so far and where everything is in order. False:
// nothing is changed in the line that is different, and each lane is to be looked at; lines before
// it may hold these accesses already, which are then found to be their own.
bool RaceWatch::rows(BlockState& own, const ptx::BlockContext& context, const exec::WarpRows& warp,
                     const exec::GridRange& around) {
  if (!wanted_ || warp.access & ptx::access_local) return true;
  const uint32_t bytes = ptx::access_bytes(warp.access);
  constexpr uint32_t others = ptx::access_strong | ptx::access_async | ptx::access_atomic;
  if (warp.access & others || bytes % Line::word != 0 || bytes > 16) return false;
  const bool writes = warp.access & ptx::access_write;
  Row row;
  row.mark = mark_of(own, warp);
  row.shift = static_cast<uint8_t>(std::countr_zero(bytes / Line::word));
  for (const exec::WarpRows::Row& lanes : warp.all()) {
    if (lanes.together && writes) return false;
    uint64_t begin = lanes.begin;
    const Memory memory = memory_of(context, warp.access, begin);
    if (memory == Memory::local) return false;
    const bool shared = memory == Memory::shared;
    if (writes && orders_.has_meetings(own, shared)) return false;
    const uint64_t end = begin + (lanes.together ? bytes : uint64_t{bytes} * lanes.lanes);
    const uint32_t first = warp.warp * ptx::warp_size + lanes.lane;
    row.mark = row.mark.by_thread(first);
    row.together = lanes.together;
    for (uint64_t at = begin; at < end;) {
      const uint64_t offset = at % Line::bytes;
      const uint64_t part = std::min<uint64_t>(end - at, Line::bytes - offset);
      const auto word = static_cast<uint32_t>(offset / Line::word);
      row.words = Line::words_between(word, static_cast<uint32_t>(part / Line::word));
      // The thread of word 0, if it had one.
      row.first = static_cast<int16_t>(
          lanes.together ? first + lanes.lanes - 1
                         : first + ((at - begin) >> row.shift) / Line::word - (word >> row.shift));
      if (!add_part(own, at, row, shared, writes, around)) return false;
      at += part;
    }
  }
  return true;
}

bool RaceWatch::add_part(BlockState& own, uint64_t address, const Row& row, bool shared,
                         bool writes, const exec::GridRange& around) {
  Shadow& shadow = shared ? own.shared : global_;
  const LineNotes& notes = shadow.notes();
  LineNote* const note = notes.find(address);
  if (note && notes.is_new(*note) && around.writable)
    shadow.open(address, around.begin, around.end, written_time_, [&](uint64_t at, uint64_t size) {
      return taint_ && taint_->is_written(own.taint, Memory::global, at, size);
    });
  if (note && notes.is_open(*note)) {
    const uint32_t barrier = own.order.barrier();
    if (writes ? note->add_write(row, barrier) : note->add_read(row, barrier, shared)) {
      if (!writes && note->is_read_twice()) note_two_readers(own, *note);
      return true;
    }
  }
  if (note && !writes && is_quiet(own, *note)) return true;
  Line& line = shadow.line(address);
  const auto line_is_quiet = [&] { return line.quiet == own.time || line.quiet == Line::always; };
  if ((writes || !line_is_quiet()) && !add_row(own, shadow, line, row, writes, row.mark.warp()))
    return false;
  // Reads that compiled code need not report.
  if (note && (writes || line_is_quiet()))
    note->quiet_at = writes ? 0 : line.quiet == Line::always ? launch_time_ : own.time;
  return true;
}

bool RaceWatch::is_quiet(const BlockState& own, const ptx::QuietLine& line) const {
  return line.quiet_at == own.time || line.quiet_at == launch_time_;
}

// Makes rows of a line that is about to be written by the warp as a whole, after all that others
// have done there.
bool RaceWatch::uncut(const BlockState& own, Shadow& shadow, Line& line, uint32_t warp) {
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
  shadow.uncut(line);
  return true;
}

bool RaceWatch::add_row(const BlockState& own, Shadow& shadow, Line& line, const Row& row,
                        bool writes, uint32_t warp) {
  const ThreadOrder& order = own.order;
  if (line.is_cut()) {
    if (!writes) return read_words(order, shadow, line, row, warp);
    if (row.words != UINT32_MAX || !uncut(own, shadow, line, warp)) return false;
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
  // left[n]: the words of earlier read n that the new row does not supersede.
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
bool RaceWatch::read_words(const ThreadOrder& order, Shadow& shadow, Line& line, const Row& row,
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
std::optional<size_t> RaceWatch::place_for(const Line& line, const Row& row,
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

// Where each word has been read by two warps that nothing orders, and the writer is known to all
// threads of the block, further plain reads are redundant: of more readers two are kept anyway.
// That holds until the next write, or until the block's threads meet again. Two blocks that have
// read uninitialised memory represent all blocks.
void RaceWatch::note_many_readers(const BlockState& own, Line& line) {
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

// The same for a note with two reads of all words.
void RaceWatch::note_two_readers(const BlockState& own, LineNote& note) {
  const Mark one = note.whole_read(0), other = note.whole_read(1);
  if (one.block != other.block) {
    if (!note.is_written()) note.quiet_at = launch_time_;
  } else if (one.warp() != other.warp() && own.order.is_since_barrier(one) &&
             own.order.is_since_barrier(other) &&
             (!note.is_written() || own.order.comes_before_block(note.whole_write()))) {
    note.quiet_at = own.time;
  }
}

}  // namespace cuvette::watch
