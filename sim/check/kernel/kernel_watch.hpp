// SPDX-License-Identifier: Apache-2.0
// KernelWatch: what the threads of one launch do to memory, and which of them do it without being
// ordered.
//
// Each access is compared with those before it to the same bytes, by what ThreadOrder says. Two
// threads race if one of them writes, nothing orders them, and not both accesses are strong with
// scopes that include the other. Four rules go beyond the letter of the memory model:
// - Threads that write the same value by the same instruction do not race in a block, nor where all
//   lanes of a warp write to one place: they set a flag.
// - Lanes of a warp that use volatile accesses in step with each other race nevertheless: such code
//   relies on running in step, which processors since Volta do not promise.
// - A plain read does not race with atomic operations if its thread goes on with atom.cas there:
//   what it has read is compared again.
// - A copy under way (cp.async) races with everything until its thread has waited for it.
//
// Threads: the one that runs the grid; afterwards any, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/check/kernel/accessor.hpp"
#include "sim/check/kernel/alias_watch.hpp"
#include "sim/check/kernel/change_watch.hpp"
#include "sim/check/kernel/footprint.hpp"
#include "sim/check/kernel/meeting_rules.hpp"
#include "sim/check/kernel/shadow.hpp"
#include "sim/check/kernel/taint_watch.hpp"
#include "sim/check/kernel/thread_order.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::watch {

// The mistakes that are looked for in a launch.
struct WatchFor {
  bool races = true;
  bool meetings = false;              // whether the rules of barriers and their like are kept
  std::vector<AliasedRange> aliases;  // memory that has several addresses
  bool adversary = false;             // see AliasWatch
  WrittenMemory* written = nullptr;   // for reads of what nobody has written
  // The device's window, whole lines: there most accesses are only noted.
  uint64_t window_begin = 0, window_bytes = 0;
  // The meaning of the numbers in compiled code; it outlives the watch.
  std::span<const ptx::NumberedAccess> accesses;
};

// Two threads of the launch that race.
struct ThreadRace {
  Accessor earlier, later;  // as it happened to run
  uint64_t address = 0;     // where they meet; or the offset in shared memory
  uint64_t begin = 0;       // of the later one, likewise
  uint32_t bytes = 0;       // of the later one
  bool shared = false;
  bool under_way = false;  // the earlier one is a copy that has not been waited for
};

// The latest access, which shows where a kernel waits.
struct LastAccess {
  Accessor by;
  uint64_t address = 0;
};

class KernelWatch final : public exec::GridWatch, public Footprint {
 public:
  KernelWatch(uint32_t threads, WatchFor what);
  ~KernelWatch();

  std::unique_ptr<exec::BlockWatch> begins(exec::Block& block,
                                           std::unique_ptr<exec::BlockWatch> earlier) override;
  void accesses(exec::Block& block, const exec::WarpAccess& access) override;
  bool rows(exec::Block& block, const exec::WarpRows& rows, const exec::GridRange& around) override;
  ptx::Noted noted(exec::Block& block, const exec::WarpLine& line) override;
  void orders(exec::Block& block, const exec::WarpOrdering& ordering) override;
  void arrives(exec::Block& block, uint32_t number, uint32_t mask, uint32_t warp) override;
  void meet(exec::Block& block, uint32_t number, uint32_t warps, bool all) override;
  void renewed(uint64_t address, uint64_t bytes) override;
  void freed(uint64_t address, uint64_t bytes) override;

  void written(exec::Block& block, uint64_t address, uint64_t bytes) override;
  bool all_written(exec::Block& block, const exec::WarpRows& rows) override;
  bool taint_load(exec::Block& block, const exec::WarpAccess& access, uint32_t* taints,
                  uint32_t count) override;
  void taint_store(exec::Block& block, const exec::WarpAccess& access, const uint32_t* taints,
                   uint32_t count) override;
  void taint_use(exec::Block& block, ptx::TaintUse use, const uint32_t* taints,
                 const exec::WarpAccess& by) override;

  // The launch of so many threads has ended.
  void end(uint64_t threads) {
    if (taint_) taint_->end(threads);
  }
  // Reads of uninitialised memory; null if they are not tracked.
  const TaintWatch* taint() const { return taint_.get(); }
  // One for each pair of instructions.
  std::vector<ThreadRace> races() const;
  const std::vector<Touched>& touched() const override;
  const std::vector<MeetingMistake>& meeting_mistakes() const { return meeting_mistakes_.all(); }
  const std::vector<AliasMistake>& alias_mistakes() const { return aliases_.mistakes(); }
  const AliasWatch& aliases() const { return aliases_; }
  LastAccess last_access() const;
  // A launch that has waited for so long is asked whether it changes memory; see ChangeWatch.
  static constexpr int64_t long_wait_ns = 500'000'000;
  // The grid pauses and has waited for `ns`. Whether it goes on, as it has changed memory since it
  // was first asked. Each waiting block is to be notified by follow_changes().
  bool goes_on(int64_t ns);
  void follow_changes(exec::Block& block) const;
  Accessor toucher(uint64_t address) const override;

 private:
  struct OfBlock;
  struct Lane;  // an access of one lane
  // Of one place where threads release and acquire.
  struct Meeting {
    Released narrow, wide;
    Pointer reads;  // that are over once a relaxed write is seen
  };
  using Meetings = std::unordered_map<uint64_t, Meeting>;

  static OfBlock& of(exec::Block& block);
  void follow_changes(exec::Block& block, const OfBlock& own) const;
  // No two of the process are equal: notes keep them from one launch to the next.
  static uint64_t new_time();
  uint16_t number_of(const Place& place, uint32_t number);
  Place place(uint16_t number) const;
  static uint16_t how(const OfBlock& own, uint32_t access, uint32_t warp, uint32_t mask);
  uint16_t new_number_of(const Place& place);
  Accessor accessor(const Mark& mark) const;
  template <typename Access>
  Mark mark_of(const OfBlock& own, const Access& warp);
  bool rows(OfBlock& own, const ptx::BlockContext& context, const exec::WarpRows& warp,
            const exec::GridRange& around);
  bool add_part(OfBlock& own, uint64_t address, const Row& row, bool shared, bool writes,
                const exec::GridRange& around);
  void settle_before(uint32_t access, uint64_t address);
  // `number`: the access's in compiled code, which says where it is; 0: `by` does.
  void remember(const exec::Block& block, uint32_t thread, uint32_t number, const Place& by,
                uint64_t address) {
    if (!meetings_wanted_) return;
    last_ = {{block.index(), thread, by}, address};
    last_number_ = number;
  }
  bool is_quiet(const OfBlock& own, const ptx::QuietLine& line) const;
  ptx::Noted note_at_once(OfBlock& own, const LineNotes& notes, const exec::WarpLine& warp);
  static LineNote* open_note(const OfBlock& own, const LineNotes& notes, uint64_t address,
                             bool shared);
  ptx::Noted note_word(const OfBlock& own, const LineNotes& notes, uint64_t address,
                       const Mark& mark, uint32_t last, bool shared);
  ptx::Noted noted_of(const LineNote& note) const;
  void note_two_readers(const OfBlock& own, LineNote& note);
  void note_written(OfBlock& own, LineNote& note, uint64_t address, bool shared);
  static Mark mark_of_whole(const OfBlock& own, const exec::WarpLine& warp);
  ptx::Noted add_parts(OfBlock& own, const LineNotes& notes, const exec::WarpLine& warp);
  static bool add_row(const OfBlock& own, Shadow& shadow, Line& line, const Row& row, bool writes,
                      uint32_t warp);
  static bool read_words(const ThreadOrder& order, Shadow& shadow, Line& line, const Row& row,
                         uint32_t warp);
  static std::optional<size_t> place_for(const Line& line, const Row& row,
                                         std::span<const uint32_t> left);
  template <typename Replaces>
  static void keep_read(Shadow& shadow, Cell& cell, const Mark& mark, const Replaces& replaces);
  static bool heal(const OfBlock& own, Shadow& shadow, Line& line, uint32_t warp);
  static void note_many_readers(const OfBlock& own, Line& line);
  void access(OfBlock& block, const Lane& lane);
  static bool touch_again(const OfBlock& block, Shadow& shadow, Cell& cell, const Lane& lane);
  void touch(OfBlock& block, Shadow& shadow, Cell& cell, const Lane& lane, uint64_t address);
  bool races(const OfBlock& block, const Mark& earlier, const Lane& lane) const;
  void found(const Mark& earlier, const Lane& lane, uint64_t address);
  void note_compared(uint16_t read);
  void synchronise(OfBlock& block, const Lane& lane);
  void end_copies(OfBlock& block, uint32_t thread, uint32_t groups_left);

  const uint32_t threads_;  // of a block
  const bool races_wanted_, meetings_wanted_;
  LastAccess last_;           // the place is last_number_'s, if that is not 0
  uint32_t last_number_ = 0;  // in compiled code
  MeetingMistakes meeting_mistakes_;
  AliasWatch aliases_;
  ChangeWatch changes_;
  const std::unique_ptr<TaintWatch> taint_;
  const uint64_t launch_time_;
  uint64_t written_time_;
  std::unique_ptr<NoteSheets> sheets_;  // null: global memory has no notes
  bool notes_lines_ = false;            // of accesses
  size_t marked_lines_ = 0;             // how often a note was marked as written
  Shadow global_;
  Meetings meetings_;
  const std::span<const ptx::NumberedAccess> given_places_;
  std::vector<Place> more_places_;
  std::map<std::pair<uint64_t, uint32_t>, uint16_t> numbers_;
  struct Recent {
    Place place;
    uint16_t number = 0;
  };
  Recent recent_[256];  // of numbers_
  struct Found {
    ThreadRace race;
    uint16_t read;  // the plain read that meets an atomic operation; 0: it is something else
  };
  std::vector<Found> races_;
  std::vector<bool> compared_;  // reads, by number, whose thread then compares and swaps
  std::set<std::tuple<uint16_t, uint16_t, bool>> found_;
  mutable std::optional<std::vector<Touched>> touched_;  // once it was queried
};

}  // namespace cuvette::watch
