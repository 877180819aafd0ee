// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/line_notes.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <utility>

namespace cuvette::watch {
namespace {

constexpr uint64_t begin = uint64_t{1} << 40, bytes = uint64_t{1} << 30;

TEST(NoteSheets, KeepWhatALaunchHasLeft) {
  auto sheets = NoteSheets::take(begin, bytes);
  ASSERT_TRUE(sheets);
  const LineNotes notes(sheets->notes(), begin, bytes, 4);
  EXPECT_EQ(notes.find(begin - 1), nullptr);
  EXPECT_EQ(notes.find(begin + bytes), nullptr);
  LineNote& last = *notes.find(begin + bytes - 1);
  EXPECT_TRUE(notes.is_new(last));
  notes.open(last);
  EXPECT_TRUE(notes.is_open(last));
  NoteSheets::give(std::move(sheets), 1);

  sheets = NoteSheets::take(begin, bytes);
  const LineNotes again(sheets->notes(), begin, bytes, 6);
  EXPECT_TRUE(again.is_new(*again.find(begin + bytes - 1)));
  EXPECT_EQ(again.find(begin + bytes - 1)->state, 4u);
  NoteSheets::give(std::move(sheets), 1);
}

TEST(NoteSheets, GiveBackMuchMemory) {
  auto sheets = NoteSheets::take(begin, 2 * bytes);
  ASSERT_TRUE(sheets);
  sheets->notes()->state = 4;
  NoteSheets::give(std::move(sheets), 1'000'000);
  sheets = NoteSheets::take(begin, 2 * bytes);
  EXPECT_EQ(sheets->notes()->state, 0u);
  NoteSheets::give(std::move(sheets), 0);
}

TEST(NoteSheets, MayBeTooLargeForTheSystem) {
  EXPECT_EQ(NoteSheets::take(begin, uint64_t{1} << 60), nullptr);
}

Row row(uint32_t warp, uint32_t words, uint16_t place, uint32_t time) {
  Row row;
  row.words = words;
  row.first = static_cast<int16_t>(warp * ptx::warp_size);
  row.mark = Mark{3, time, Mark::converged, place}.by_thread(warp * ptx::warp_size);
  return row;
}

TEST(LineNote, TellsWhatTwoWarpsHaveRead) {
  LineNote note{};
  EXPECT_TRUE(note.untouched());
  EXPECT_TRUE(note.add_read(row(0, 0xf, 1, 1), 0, false));
  EXPECT_TRUE(note.add_read(row(0, 0xf0, 2, 1), 0, false));  // by another instruction
  EXPECT_TRUE(note.add_read(row(1, 0xff, 3, 1), 0, false));
  EXPECT_FALSE(note.add_read(row(2, 0xff, 4, 1), 0, false));
  EXPECT_FALSE(note.add_write(row(0, 0xff, 5, 2), 0));
  Line line;
  note.put_into(line);
  EXPECT_EQ(line.read, 0xffu);
  EXPECT_EQ(line.written, 0u);
  EXPECT_EQ(line.read_of(0, 2).place, 1);
  EXPECT_EQ(line.read_of(0, 5).place, 2);
  EXPECT_EQ(line.read_of(1, 5).place, 3);
  EXPECT_EQ(line.read_of(1, 5).thread(), 37u);

  // Behind a barrier.
  EXPECT_TRUE(note.add_write(row(2, UINT32_MAX, 6, 2), 1));
  EXPECT_TRUE(note.is_written_as_whole());
  EXPECT_EQ(note.whole_write().thread(), 64u);
  EXPECT_EQ(note.whole_write().place, 6);
  EXPECT_FALSE(note.add_read(row(0, 1, 7, 3), 1, false));
  EXPECT_TRUE(note.add_read(row(2, 1, 7, 3), 1, false));
}

// Other words that the same threads have read stay, in shared memory too, until a barrier.
TEST(LineNote, KeepsWordsThatTheSameThreadsReadBefore) {
  LineNote note{};
  EXPECT_TRUE(note.add_read(row(0, 0xff, 1, 1), 0, true));
  EXPECT_TRUE(note.add_read(row(0, 0xff00, 2, 2), 0, true));  // beside the other one
  EXPECT_FALSE(note.add_read(row(0, 0xff0000, 3, 3), 0, true));
  EXPECT_FALSE(note.add_write(row(1, 0x8, 4, 3), 0));
  EXPECT_TRUE(note.add_write(row(1, 0x8, 4, 4), 3));
}

Mark mark(uint32_t warp, uint16_t place, uint32_t time) {
  return Mark{3, time, Mark::converged, place}.by_thread(warp * ptx::warp_size);
}

// Which threads have read a word.
std::set<uint32_t> readers(const Line& line, uint32_t word) {
  std::set<uint32_t> result;
  for (size_t n = 0; n < std::size(line.reads); ++n)
    if (line.reads[n].words >> word & 1) result.insert(line.read_of(n, word).thread());
  return result;
}

using Threads = std::set<uint32_t>;

TEST(LineNote, TellsWhatTheHalvesOfAWarpHaveReadTogether) {
  LineNote note{};
  EXPECT_TRUE(note.add_read_of_halves(mark(1, 1, 1), false, 0, true));
  EXPECT_TRUE(note.add_read_of_halves(mark(1, 2, 1), true, 0, true));
  EXPECT_FALSE(note.is_read_twice());
  // The writer is one of the readers: the other half has read it, too.
  EXPECT_FALSE(note.add_write(row(1, UINT32_MAX, 3, 2), 0));
  Line line;
  note.put_into(line);
  EXPECT_EQ(line.read, UINT32_MAX);
  EXPECT_EQ(readers(line, 3), (Threads{35, 51}));
  EXPECT_EQ(readers(line, 16), (Threads{32, 48}));
  EXPECT_EQ(line.read_of(0, 3).place, 1);
  EXPECT_EQ(line.read_of(1, 16).place, 2);

  // No part of what they have read may be forgotten.
  EXPECT_FALSE(note.add_write(row(1, 0xff, 3, 2), 1));
  EXPECT_TRUE(note.add_write(row(1, 0xffff, 3, 2), 1));
  Line later;
  note.put_into(later);
  EXPECT_EQ(readers(later, 3), Threads{});
  EXPECT_EQ(readers(later, 16), (Threads{32, 48}));
}

TEST(LineNote, KeepsOneHalfOfEachOfTwoWarps) {
  LineNote note{};
  EXPECT_TRUE(note.add_read_of_halves(mark(0, 1, 1), false, 0, true));
  EXPECT_TRUE(note.add_read_of_halves(mark(0, 2, 1), true, 0, true));
  EXPECT_TRUE(note.add_read_of_halves(mark(1, 1, 1), false, 0, true));
  EXPECT_FALSE(note.is_read_twice());
  Line line;
  note.put_into(line);
  EXPECT_EQ(readers(line, 5), (Threads{5, 37}));
  EXPECT_EQ(readers(line, 21), (Threads{5, 21}));
  // Of each word the instruction is kept once.
  EXPECT_FALSE(note.add_read_of_halves(mark(1, 7, 1), true, 0, true));
  EXPECT_TRUE(note.add_read_of_halves(mark(1, 2, 1), true, 0, true));
  EXPECT_TRUE(note.is_read_twice());
}

// Later reads of the same threads take the place of earlier ones.
TEST(LineNote, KeepsTheLaterReadsOfTheSameHalves) {
  LineNote note{};
  EXPECT_TRUE(note.add_read_of_halves(mark(0, 1, 1), false, 0, true));
  EXPECT_TRUE(note.add_read_of_halves(mark(0, 2, 2), true, 0, true));
  EXPECT_TRUE(note.add_read_of_halves(mark(0, 1, 2), false, 0, true));
  Line line;
  note.put_into(line);
  EXPECT_EQ(readers(line, 5), (Threads{5, 21}));
  EXPECT_EQ(readers(line, 21), (Threads{5, 21}));
  for (const Row& read : line.reads) EXPECT_TRUE(read.words == 0 || read.mark.time == 2);
}

// Instructions far from each other in the kernel, and two warps that read a word by different ones.
TEST(LineNote, KnowsItsLimits) {
  LineNote note{};
  EXPECT_TRUE(note.add_read(row(0, 0xf, 1, 1), 0, false));
  EXPECT_FALSE(note.add_read(row(0, 0xf0, 129, 1), 0, false));
  EXPECT_TRUE(note.add_read(row(0, 0xf0, 128, 1), 0, false));
  EXPECT_TRUE(note.add_read(row(1, 0xf, 1, 1), 0, false));
  EXPECT_FALSE(note.add_read(row(1, 0xf0, 127, 1), 0, false));
  EXPECT_TRUE(note.add_read(row(1, 0xf0, 128, 1), 0, false));
  Line line;
  note.put_into(line);
  for (const size_t n : {0, 1}) {
    EXPECT_EQ(line.read_of(n, 0).place, 1);
    EXPECT_EQ(line.read_of(n, 4).place, 128);
  }
}

TEST(LineNote, ForgetsWhatAnEarlierLaunchHasLeft) {
  LineNote note{};
  EXPECT_TRUE(note.add_read(row(0, UINT32_MAX, 1, 1), 0, false));
  EXPECT_TRUE(note.add_read(row(1, UINT32_MAX, 1, 1), 0, false));
  EXPECT_TRUE(note.is_read_twice());
  note.clear();
  EXPECT_TRUE(note.untouched());
  EXPECT_FALSE(note.is_read_twice());
  EXPECT_TRUE(note.add_write(row(2, UINT32_MAX, 1, 1), 0));
}

}  // namespace
}  // namespace cuvette::watch
