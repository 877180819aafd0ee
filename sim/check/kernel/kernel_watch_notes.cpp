// SPDX-License-Identifier: Apache-2.0
// Whole warps on a line, of which it is enough to note them: most of what kernels do comes here, so
// it is short.
#include <algorithm>

#include "sim/check/kernel/watched_block.hpp"

namespace cuvette::watch {

namespace {

using ptx::Noted;

constexpr uint32_t half = ptx::warp_size / 2;
// The content of a mark for a plain access by all lanes of a warp.
constexpr uint16_t plain =
    Mark::converged | (ptx::scope_of(0) != ptx::Scope::block ? Mark::wide : 0);

// The lines that an access lies in.
struct Parts {
  struct One {
    LineNote* note;
    uint64_t address;
    uint32_t words;
  };
  // 32 lanes with 16 bytes each lie in 5 lines, and halves in 3 each.
  One all[6];
  uint32_t count = 0;
};

}  // namespace

inline ptx::Noted KernelWatch::noted_of(const LineNote& note) const {
  return note.written_at == written_time_ ? Noted::written : Noted::yes;
}

// For a plain access by all lanes of a warp, the first lane's.
inline Mark KernelWatch::mark_of_whole(const OfBlock& own, const exec::WarpLine& warp) {
  return {own.order.block(), own.order.now(),
          static_cast<uint16_t>(plain | warp.warp * ptx::warp_size),
          static_cast<uint16_t>(warp.number)};
}

ptx::Noted KernelWatch::noted(exec::Block& running, const exec::WarpLine& warp) {
  const uint32_t access = warp.access;
  if (!notes_lines_ || changes_.looks() || warp.mask != UINT32_MAX || warp.number == 0 ||
      access & ptx::access_never_noted)
    return Noted::no;
  OfBlock& own = of(running);
  // Not a bool: gcc would store that as a byte and read it as a word, and the processor would wait.
  const uint32_t shared = access & ptx::access_shared;
  if (access & ptx::access_write && !(shared ? own.meetings : meetings_).empty()) return Noted::no;
  const LineNotes& notes = (shared ? own.shared : global_).notes();
  Noted result = note_at_once(own, notes, warp);
  if (result == Noted::no) result = add_parts(own, notes, warp);
  if (result == Noted::no) return result;
  if (own.rules) own.rules->seen(warp.warp, warp.mask);
  remember(running, warp.warp * ptx::warp_size, warp.number, {}, warp.begin);
  return result;
}

// The usual cases: one line, all of it; a word for all lanes, or one for each half; and half a line
// for both halves.
[[gnu::always_inline]] inline ptx::Noted KernelWatch::note_at_once(OfBlock& own,
                                                                   const LineNotes& notes,
                                                                   const exec::WarpLine& warp) {
  if (ptx::access_bytes(warp.access) != Line::word) return Noted::no;
  const uint32_t shared = warp.access & ptx::access_shared;
  const uint32_t writes = warp.access & ptx::access_write;
  const uint32_t barrier = own.order.barrier(), thread = warp.warp * ptx::warp_size;
  constexpr uint32_t half_line = Line::bytes / 2;
  if (warp.begin % Line::bytes == 0 && warp.stride == Line::word &&
      warp.middle == warp.begin + half_line) {
    LineNote* const note = open_note(own, notes, warp.begin, shared);
    // The content of a mark, in registers alone.
    if (!note || !note->add_whole(LineNote::who(own.order.block(), plain, thread), own.order.now(),
                                  static_cast<uint16_t>(warp.number), barrier, writes))
      return Noted::no;
    if (taint_ && writes) note_written(own, *note, warp.begin, shared);
    return noted_of(*note);
  }
  if (writes) return Noted::no;
  const Mark mark = mark_of_whole(own, warp);
  if (warp.stride == 0 && (warp.begin | warp.middle) % Line::word == 0) {
    const uint32_t last = thread + ptx::warp_size - 1;
    if (warp.middle == warp.begin) return note_word(own, notes, warp.begin, mark, last, shared);
    return std::min(
        note_word(own, notes, warp.begin, mark, last - half, shared),
        note_word(own, notes, warp.middle, mark.by_thread(thread + half), last, shared));
  }
  if (warp.stride != Line::word || warp.middle != warp.begin || warp.begin % half_line != 0)
    return Noted::no;
  LineNote* const note = open_note(own, notes, warp.begin, shared);
  if (!note || !note->add_read_of_halves(mark, warp.begin % Line::bytes != 0, barrier, shared))
    return Noted::no;
  if (note->is_read_twice()) note_two_readers(own, *note);
  return noted_of(*note);
}

// Returns null if nothing may be noted of the line.
inline LineNote* KernelWatch::open_note(const OfBlock& own, const LineNotes& notes,
                                        uint64_t address, bool shared) {
  LineNote* const note = notes.find(address);
  // A line in which shared memory ends may not be accessed as a whole.
  if (!note || !notes.is_open(*note) || (shared && address >= own.shared_lines_end)) return nullptr;
  return note;
}

// A word that lanes up to thread `last` read, if they go on with what they have read.
inline ptx::Noted KernelWatch::note_word(const OfBlock& own, const LineNotes& notes,
                                         uint64_t address, const Mark& mark, uint32_t last,
                                         bool shared) {
  LineNote* const note = open_note(own, notes, address, shared);
  if (!note || !note->go_on_with(LineNote::who_together(mark, last), mark,
                                 address % Line::bytes / Line::word, own.order.barrier()))
    return Noted::no;
  return noted_of(*note);
}

// The whole line is about to be written.
inline void KernelWatch::note_written(OfBlock& own, LineNote& note, uint64_t address, bool shared) {
  const bool is_known = note.written_at == written_time_;
  note.written_at = written_time_;
  if (!shared && note.count()) return taint_->writes_line(address);
  if (!shared || !is_known) taint_->writes_part(own.taint, shared, address, Line::bytes, is_known);
}

[[gnu::noinline]] ptx::Noted KernelWatch::add_parts(OfBlock& own, const LineNotes& notes,
                                                    const exec::WarpLine& warp) {
  const uint32_t bytes = ptx::access_bytes(warp.access);
  const bool shared = warp.access & ptx::access_shared, writes = warp.access & ptx::access_write;
  const bool together = warp.stride == 0;
  if ((bytes != 4 && bytes != 8 && bytes != 16) || (together ? writes : warp.stride != bytes))
    return Noted::no;
  const Mark mark = mark_of_whole(own, warp);
  const uint32_t barrier = own.order.barrier();
  Row row;
  row.shift = static_cast<uint8_t>(bytes >> 3);
  row.together = together;
  Parts parts;
  Noted all = Noted::written;
  const auto add = [&](uint64_t begin, uint32_t lane, uint32_t lanes) {
    if (begin % bytes != 0) return false;
    const uint32_t first = mark.thread() + lane;
    row.mark = mark.by_thread(first);
    if (together && bytes == Line::word) {
      const Noted word = note_word(own, notes, begin, row.mark, first + lanes - 1, shared);
      if (word != Noted::no) {
        all = std::min(all, word);
        return true;
      }
    }
    const uint64_t end = begin + (together ? bytes : bytes * lanes);
    auto thread = static_cast<int>(first);
    for (uint64_t at = begin; at < end;) {
      LineNote* const note = open_note(own, notes, at, shared);
      if (!note) return false;
      const uint64_t offset = at % Line::bytes;
      const uint64_t part = std::min<uint64_t>(end - at, Line::bytes - offset);
      const auto word = static_cast<uint32_t>(offset / Line::word);
      const auto words = static_cast<uint32_t>(part / Line::word);
      row.words = Line::words_between(word, words);
      row.first = static_cast<int16_t>(together ? first + lanes - 1
                                                : thread - static_cast<int>(word >> row.shift));
      if (!(writes ? note->add_write(row, barrier) : note->add_read(row, barrier, shared)))
        return false;
      if (!writes && note->is_read_twice()) note_two_readers(own, *note);
      all = std::min(all, noted_of(*note));
      parts.all[parts.count++] = {note, at, words};
      thread += static_cast<int>(words >> row.shift);
      at += part;
    }
    return true;
  };
  const bool whole = warp.middle == warp.begin + uint64_t{half} * warp.stride;
  if (whole ? !add(warp.begin, 0, ptx::warp_size)
            : !add(warp.begin, 0, half) || !add(warp.middle, half, half))
    return Noted::no;
  if (!taint_ || !writes) return all;
  for (uint32_t n = 0; n < parts.count; ++n) {
    const Parts::One& part = parts.all[n];
    if (part.words == Line::words)
      note_written(own, *part.note, part.address, shared);
    else
      taint_->writes_part(own.taint, shared, part.address, part.words * Line::word,
                          part.note->written_at == written_time_);
  }
  return all;
}

}  // namespace cuvette::watch
