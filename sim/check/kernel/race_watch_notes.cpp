// SPDX-License-Identifier: Apache-2.0
// Warps on several lines, or on parts of lines, that are only noted; the usual cases are inline.
#include "sim/check/kernel/race_watch_noted.hpp"

namespace cuvette::watch {

namespace {

using ptx::Noted;

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

// The whole line is about to be written.
[[gnu::noinline]] void RaceWatch::note_write(BlockState& own, LineNote& note, uint64_t address,
                                             bool shared) {
  const bool is_known = note.written_at == written_time_;
  note.written_at = written_time_;
  if (!shared && note.count()) return taint_->writes_line(address);
  if (!shared || !is_known) taint_->writes_part(own.taint, shared, address, Line::bytes, is_known);
}

[[gnu::noinline]] ptx::Noted RaceWatch::add_parts(BlockState& own, const LineNotes& notes,
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
  const bool whole = warp.middle == warp.begin + uint64_t{half_warp} * warp.stride;
  if (whole ? !add(warp.begin, 0, ptx::warp_size)
            : !add(warp.begin, 0, half_warp) || !add(warp.middle, half_warp, half_warp))
    return Noted::no;
  if (!taint_ || !writes) return all;
  for (uint32_t n = 0; n < parts.count; ++n) {
    const Parts::One& part = parts.all[n];
    if (part.words == Line::words)
      note_write(own, *part.note, part.address, shared);
    else
      taint_->writes_part(own.taint, shared, part.address, part.words * Line::word,
                          part.note->written_at == written_time_);
  }
  return all;
}

}  // namespace cuvette::watch
