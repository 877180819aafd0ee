// SPDX-License-Identifier: Apache-2.0
// Whole warps on a line, of which it is enough to note them: most of what kernels do comes here, so
// it is short, and inline in its caller.
//
// Threads: the one that runs the grid.
#pragma once

#include <algorithm>

#include "sim/check/kernel/race_watch_block.hpp"

namespace cuvette::watch {

constexpr uint32_t half_warp = ptx::warp_size / 2;
// The content of a mark for a plain access by all lanes of a warp.
constexpr uint16_t plain_by_all =
    Mark::converged | (ptx::scope_of(0) != ptx::Scope::block ? Mark::wide : 0);

inline ptx::Noted RaceWatch::noted_of(const LineNote& note) const {
  return note.written_at == written_time_ ? ptx::Noted::written : ptx::Noted::yes;
}

// For a plain access by all lanes of a warp, the first lane's.
inline Mark RaceWatch::mark_of_whole(const BlockState& own, const exec::WarpLine& warp) {
  return {own.order.block(), own.order.now(),
          static_cast<uint16_t>(plain_by_all | warp.warp * ptx::warp_size),
          static_cast<uint16_t>(warp.number)};
}

[[gnu::always_inline]] inline ptx::Noted RaceWatch::note_line(BlockState& own,
                                                              const exec::WarpLine& warp) {
  const uint32_t access = warp.access;
  if (!notes_lines_ || warp.mask != UINT32_MAX || warp.number == 0 ||
      access & ptx::access_never_noted)
    return ptx::Noted::no;
  // Not a bool: gcc would store that as a byte and read it as a word, and the processor would wait.
  const uint32_t shared = access & ptx::access_shared;
  if (access & ptx::access_write && orders_.has_meetings(own, shared)) return ptx::Noted::no;
  const LineNotes& notes = (shared ? own.shared : global_).notes();
  const ptx::Noted result = note_at_once(own, notes, warp);
  return result == ptx::Noted::no ? add_parts(own, notes, warp) : result;
}

// The usual cases: one line, all of it; a word for all lanes, or one for each half; and half a line
// for both halves.
[[gnu::always_inline]] inline ptx::Noted RaceWatch::note_at_once(BlockState& own,
                                                                 const LineNotes& notes,
                                                                 const exec::WarpLine& warp) {
  if (ptx::access_bytes(warp.access) != Line::word) return ptx::Noted::no;
  const uint32_t shared = warp.access & ptx::access_shared;
  const uint32_t writes = warp.access & ptx::access_write;
  const uint32_t barrier = own.order.barrier(), thread = warp.warp * ptx::warp_size;
  constexpr uint32_t half_line = Line::bytes / 2;
  if (warp.begin % Line::bytes == 0 && warp.stride == Line::word &&
      warp.middle == warp.begin + half_line) {
    LineNote* const note = open_note(own, notes, warp.begin, shared);
    // The content of a mark, in registers alone.
    if (!note ||
        !note->add_whole(LineNote::who(own.order.block(), plain_by_all, thread), own.order.now(),
                         static_cast<uint16_t>(warp.number), barrier, writes))
      return ptx::Noted::no;
    if (taint_ && writes) note_write(own, *note, warp.begin, shared);
    return noted_of(*note);
  }
  if (writes) return ptx::Noted::no;
  const Mark mark = mark_of_whole(own, warp);
  if (warp.stride == 0 && (warp.begin | warp.middle) % Line::word == 0) {
    const uint32_t last = thread + ptx::warp_size - 1;
    if (warp.middle == warp.begin) return note_word(own, notes, warp.begin, mark, last, shared);
    return std::min(
        note_word(own, notes, warp.begin, mark, last - half_warp, shared),
        note_word(own, notes, warp.middle, mark.by_thread(thread + half_warp), last, shared));
  }
  if (warp.stride != Line::word || warp.middle != warp.begin || warp.begin % half_line != 0)
    return ptx::Noted::no;
  LineNote* const note = open_note(own, notes, warp.begin, shared);
  if (!note || !note->add_read_of_halves(mark, warp.begin % Line::bytes != 0, barrier, shared))
    return ptx::Noted::no;
  if (note->is_read_twice()) note_two_readers(own, *note);
  return noted_of(*note);
}

// Returns null if nothing may be noted of the line.
inline LineNote* RaceWatch::open_note(const BlockState& own, const LineNotes& notes,
                                      uint64_t address, bool shared) {
  LineNote* const note = notes.find(address);
  // A line in which shared memory ends may not be accessed as a whole.
  if (!note || !notes.is_open(*note) || (shared && address >= own.shared_lines_end)) return nullptr;
  return note;
}

// A word that lanes up to thread `last` read, if they go on with what they have read.
inline ptx::Noted RaceWatch::note_word(const BlockState& own, const LineNotes& notes,
                                       uint64_t address, const Mark& mark, uint32_t last,
                                       bool shared) {
  LineNote* const note = open_note(own, notes, address, shared);
  if (!note || !note->go_on_with(LineNote::who_together(mark, last), mark,
                                 address % Line::bytes / Line::word, own.order.barrier()))
    return ptx::Noted::no;
  return noted_of(*note);
}

}  // namespace cuvette::watch
