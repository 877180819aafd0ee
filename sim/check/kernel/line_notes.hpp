// SPDX-License-Identifier: Apache-2.0
// LineNotes: the notes of a range of memory. Each is new to a launch until it is opened, and open
// until it is closed.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sim/check/kernel/line_note.hpp"
#include "sim/os/sparse_memory.hpp"

namespace cuvette::watch {

// Notes of a device's window. They keep what launches before have left.
class NoteSheets {
 public:
  // Returns null if the system has no addresses for it. `begin` and `bytes` are multiples of a
  // line.
  static std::unique_ptr<NoteSheets> take(uint64_t begin, uint64_t bytes);
  // `opened`: in how many pages of memory a launch has opened notes. Once they may take much
  // memory, it is given back to the system.
  static void give(std::unique_ptr<NoteSheets> sheets, size_t opened);

  uint64_t begin() const { return begin_; }
  uint64_t bytes() const { return bytes_; }
  LineNote* notes() { return reinterpret_cast<LineNote*>(memory_.begin()); }

 private:
  NoteSheets(os::SparseMemory memory, uint64_t begin, uint64_t bytes)
      : memory_(std::move(memory)), begin_(begin), bytes_(bytes) {}

  os::SparseMemory memory_;
  const uint64_t begin_, bytes_;
  size_t opened_ = 0;  // by all launches
};

class LineNotes {
 public:
  LineNotes() = default;
  // Of [begin, begin + bytes). `open` is the state of the open ones, and the next number the state
  // of the closed ones.
  LineNotes(LineNote* first, uint64_t begin, uint64_t bytes, uint64_t open)
      : first_(first), begin_(begin), bytes_(bytes), open_(open) {}

  // Returns null if there is none.
  LineNote* find(uint64_t address) const {
    const uint64_t offset = address - begin_;
    return offset < bytes_ ? &first_[offset / ptx::QuietLine::bytes] : nullptr;
  }
  bool is_open(const LineNote& note) const { return note.state == open_; }
  bool is_closed(const LineNote& note) const { return note.state == open_ + 1; }
  bool is_new(const LineNote& note) const { return note.state - open_ > 1; }
  void open(LineNote& note) const {
    note.clear();
    note.quiet_at = 0;
    note.state = open_;
  }
  void close(LineNote& note) const { note.state = open_ + 1; }

  ptx::QuietLines lines() const { return {bytes_ ? first_ : &none, begin_, bytes_}; }

 private:
  static inline const ptx::QuietLine none{};

  LineNote* first_ = nullptr;
  uint64_t begin_ = 0, bytes_ = 0, open_ = 0;
};

}  // namespace cuvette::watch
