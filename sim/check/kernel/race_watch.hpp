// SPDX-License-Identifier: Apache-2.0
// RaceWatch: which threads of a launch access the same bytes without being ordered, and which bytes
// the launch has touched.
//
// Each access is compared with those before it to the same bytes, by what OrderWatch says. Two
// threads race if one of them writes, nothing orders them, and not both accesses are strong with
// scopes that include the other. Four rules go beyond the letter of the memory model:
// - Threads that write the same value by the same instruction do not race in a block, nor where all
//   lanes of a warp write to one place: they set a flag.
// - Lanes of a warp that use volatile accesses in step with each other race nevertheless: such code
//   relies on running in step, which processors since Volta do not promise.
// - A plain read does not race with atomic operations if its thread goes on with atom.cas there:
//   what it has read is compared again (FoundRaces).
// - A copy under way (cp.async) races with everything until its thread has waited for it.
//
// What is known of a line is in one of three forms: a LineNote, rows of a Line, or cells. A note
// also says whether all of the line is written, for compiled code that carries taint: one look
// answers both, and most accesses end there. So the notes are here even where only taint is
// followed, and a write that is only noted is passed on to TaintWatch from here.
//
// Threads: the one that runs the grid; afterwards any, one at a time. Invariants: of several reads
// of a byte that nothing orders, two are kept, and two writes; what is quiet needs no call until
// the next write or barrier.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/check/kernel/footprint.hpp"
#include "sim/check/kernel/found_races.hpp"
#include "sim/check/kernel/order_watch.hpp"
#include "sim/check/kernel/place_numbers.hpp"
#include "sim/check/kernel/shadow.hpp"
#include "sim/check/kernel/taint_watch.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::watch {

class RaceWatch final : public Footprint {
 public:
  // A device's memory, whole lines: there most accesses are only noted. Empty: nowhere.
  struct Window {
    uint64_t begin = 0, bytes = 0;
  };
  // `wanted`: otherwise it only has the notes, for `taint`, which may be null. `accesses`: the
  // meaning of the numbers in compiled code; it outlives the watch.
  RaceWatch(bool wanted, TaintWatch* taint, Window window,
            std::span<const ptx::NumberedAccess> accesses);
  ~RaceWatch();

  // Its state for a block.
  struct BlockState;

  void begins(BlockState& own, exec::Block& block);
  // Has compiled code look at the notes of global memory and of the block's shared memory.
  void show_notes(const BlockState& own, ptx::BlockContext& context) const;

  // As exec::GridWatch says.
  void accesses(BlockState& own, const ptx::BlockContext& context, const exec::WarpAccess& access);
  bool rows(BlockState& own, const ptx::BlockContext& context, const exec::WarpRows& rows,
            const exec::GridRange& around);
  ptx::Noted note_line(BlockState& own, const exec::WarpLine& line);
  void orders(BlockState& own, const ptx::BlockContext& context,
              const exec::WarpOrdering& ordering);
  void arrives(BlockState& own, uint32_t number, uint32_t mask, uint32_t warp);
  void meet(BlockState& own, exec::Block& block, uint32_t number, uint32_t warps, bool all);
  void renewed(uint64_t address, uint64_t bytes) { global_.forget(address, address + bytes); }
  // Whether a line may be accessed is not asked again while it is noted.
  void freed(uint64_t address, uint64_t bytes) { global_.close(address, address + bytes); }

  // --- What the notes say of written memory ---
  // From now on no line is known to be written, until it is noted again.
  void doubt_written();
  // Notes which of the lines that the rows are about to read are written as a whole.
  void note_written(BlockState& own, const ptx::BlockContext& context, const exec::WarpRows& rows);
  // Whether an address of global memory has a note: it is the device's.
  bool has_note(uint64_t address) const { return global_.notes().find(address); }

  // One for each pair of instructions.
  std::vector<ThreadRace> found() const { return races_.all(); }
  const std::vector<Touched>& touched() const override;
  Accessor toucher(uint64_t address) const override;

 private:
  struct Lane;  // an access of one lane

  // No two of the process are equal: notes keep them from one launch to the next.
  static uint64_t new_time();
  Place place(uint16_t number) const { return places_.place(number); }
  static uint16_t how(const BlockState& own, uint32_t access, uint32_t warp, uint32_t mask);
  Accessor accessor(const Mark& mark) const {
    return {mark.block, mark.thread(), place(mark.place)};
  }
  template <typename Access>
  Mark mark_of(const BlockState& own, const Access& warp);

  // Notes.
  ptx::Noted note_at_once(BlockState& own, const LineNotes& notes, const exec::WarpLine& warp);
  static LineNote* open_note(const BlockState& own, const LineNotes& notes, uint64_t address,
                             bool shared);
  ptx::Noted note_word(const BlockState& own, const LineNotes& notes, uint64_t address,
                       const Mark& mark, uint32_t last, bool shared);
  ptx::Noted noted_of(const LineNote& note) const;
  void note_two_readers(const BlockState& own, LineNote& note);
  void note_write(BlockState& own, LineNote& note, uint64_t address, bool shared);
  static Mark mark_of_whole(const BlockState& own, const exec::WarpLine& warp);
  ptx::Noted add_parts(BlockState& own, const LineNotes& notes, const exec::WarpLine& warp);
  bool is_quiet(const BlockState& own, const ptx::QuietLine& line) const;

  // Rows.
  bool add_part(BlockState& own, uint64_t address, const Row& row, bool shared, bool writes,
                const exec::GridRange& around);
  static bool add_row(const BlockState& own, Shadow& shadow, Line& line, const Row& row,
                      bool writes, uint32_t warp);
  static bool read_words(const ThreadOrder& order, Shadow& shadow, Line& line, const Row& row,
                         uint32_t warp);
  static std::optional<size_t> place_for(const Line& line, const Row& row,
                                         std::span<const uint32_t> left);
  static bool uncut(const BlockState& own, Shadow& shadow, Line& line, uint32_t warp);
  static void note_many_readers(const BlockState& own, Line& line);

  // Cells.
  void access(BlockState& own, const Lane& lane);
  static bool touch_again(const BlockState& own, Shadow& shadow, Cell& cell, const Lane& lane);
  void touch(BlockState& own, Shadow& shadow, Cell& cell, const Lane& lane, uint64_t address);
  template <typename Replaces>
  static void keep_read(Shadow& shadow, Cell& cell, const Mark& mark, const Replaces& replaces);
  bool races(const BlockState& own, const Mark& earlier, const Lane& lane) const;
  void add_race(const Mark& earlier, const Lane& lane, uint64_t address);
  static void end_copies(BlockState& own, uint32_t thread, uint32_t groups_left);

  const bool wanted_;
  TaintWatch* const taint_;  // null: taint is not followed
  const uint64_t launch_time_;
  uint64_t written_time_;
  std::unique_ptr<NoteSheets> sheets_;  // null: global memory has no notes
  bool notes_lines_ = false;            // of accesses
  size_t marked_lines_ = 0;             // how often a note was marked as written
  Shadow global_;
  OrderWatch orders_;
  PlaceNumbers places_;
  FoundRaces races_;
  mutable std::optional<std::vector<Touched>> touched_;  // once it was queried
};

}  // namespace cuvette::watch
