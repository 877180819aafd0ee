// SPDX-License-Identifier: Apache-2.0
// The screen, drawn without a terminal.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tools/step/runs.hpp"
#include "tools/cuvette/step/screen.hpp"

namespace cuvette::tools {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

ScreenView view_of(bool ascii) {
  ScreenView view;
  view.program = "two";
  view.selected = WorkName{2, 2};
  view.ascii = ascii;
  return view;
}

TEST(StepScreen, ShowsStreamsTheProgramAndMemory) {
  const StepState state = state_at(two_streams_history(), 1, {});
  EXPECT_EQ(joined(drawn(state, view_of(true), 70, 10)),
            "two  step 1 of 3: 1.1 (fill)\n"
            "program is in cuCtxSynchronize, called at main (two.cpp:40)\n"
            "stream 1    +1.1 fill \n"
            "stream 2    o2.1 copy< [-2.2 fill]\n"
            "2.2 fill: waits for 2.1 (same stream)\n"
            "  called at main (two.cpp:30)\n"
            "1          int    [7] [7]\n"
            "2 sums     int    0 0\n"
            "printed  hi\n"
            "n next  b back  Enter choose  t to  e explain  w watch  s save  ? help\n");
}

TEST(StepScreen, MarksWithOtherLettersWhereThereAreSome) {
  const StepState state = state_at(two_streams_history(), 1, {});
  const std::string text = joined(drawn(state, view_of(false), 70, 10));
  EXPECT_NE(text.find("✓1.1 fill"), std::string::npos);
  EXPECT_NE(text.find("○2.1 copy◀ […2.2 fill]"), std::string::npos);
}

TEST(StepScreen, FitsIntoEverySize) {
  const History history = two_streams_history();
  for (size_t position = 0; position <= history.steps(); ++position) {
    const StepState state = state_at(history, position, {});
    for (size_t width = 1; width < 90; width += 7)
      for (size_t height = 1; height < 14; ++height)
        for (const bool ascii : {false, true}) {
          ScreenView view = view_of(ascii);
          view.is_page = position == 2;
          view.page = {"a page of the letter é, which goes on for more than a line", ""};
          const auto lines = drawn(state, view, width, height);
          ASSERT_EQ(lines.size(), height);
          for (const std::string& line : lines) {
            ASSERT_LE(columns_of(line), width) << line;
            if (ascii) {
              ASSERT_TRUE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c < 0x7f; }))
                  << line;
            }
          }
        }
  }
}

TEST(StepScreen, ShowsTheSelectedRowWhereThereIsRoomForOne) {
  const StepState state = state_at(two_streams_history(), 0, {});
  const auto lines = drawn(state, view_of(true), 60, 4);
  EXPECT_TRUE(joined(lines).find("[-2.2 fill]") != std::string::npos) << joined(lines);
}

TEST(StepScreen, CountsTheLinesThatItLeavesOut) {
  const StepState state = state_at(two_streams_history(), 1, {});
  const std::string text = joined(drawn(state, view_of(true), 60, 8));
  EXPECT_NE(text.find("3 more lines"), std::string::npos) << text;
}

TEST(StepScreen, LetsNoControlCharactersThrough) {
  StepState state;
  state.output = "\x1b[31mred\x07\n";
  const std::string text = joined(drawn(state, view_of(false), 60, 8));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(StepScreen, FoldsLongLinesAtBlanks) {
  EXPECT_EQ(folded({"one two three four"}, 10),
            (std::vector<std::string>{"one two", "    three", "    four"}));
  EXPECT_EQ(folded({"abcdefghijklm"}, 6), (std::vector<std::string>{"abcdef", "ghijkl", "m"}));
}

}  // namespace
}  // namespace cuvette::tools
