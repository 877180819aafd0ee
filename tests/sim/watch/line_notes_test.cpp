// SPDX-License-Identifier: Apache-2.0
#include "sim/watch/line_notes.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cuvette::watch
