// SPDX-License-Identifier: Apache-2.0
#include "sim/check/profile/source_chains.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/check/profile/json_line.hpp"

namespace cuvette::profile {
namespace {

using Frames = std::vector<SourceFrame>;

constexpr const char* text = R"(.version 8.0
.visible .entry kernel() {
	.loc	1 20 3
	add.u32 %r1, %r1, 1;
	.loc	1 12 5, function_name $L__info_string0, inlined_at 1 20 3
	add.u32 %r1, %r1, 2;
	.loc	2 5 9, function_name $L__info_string1+4, inlined_at 1 12 5
	add.u32 %r1, %r1, 3;
	.loc	1 21 1
	ret;
}
	.section	.debug_str
	{
$L__info_string0:
.b8 95, 90
.b8 49
.b8 97
.b8 0
$L__info_string1:
.b8 98
.b8 0
	}
)";

TEST(source_chains, AreTheCallsAroundAnInlinedInstruction) {
  const auto chains = source_chains(text, {4, 6, 6, 8, 10});
  EXPECT_EQ(chains.size(), 2u) << "lines 4 and 10 are in the kernel itself";
  EXPECT_EQ(chains.at(6), (Frames{{"_Z1a", 1, 12}, {"", 1, 20}}));
  EXPECT_EQ(chains.at(8), (Frames{{"b", 2, 5}, {"_Z1a", 1, 12}, {"", 1, 20}}));
}

TEST(source_chains, OfAnUnknownCallerAreShort) {
  const auto chains = source_chains(".loc 1 5 1, function_name $f, inlined_at 3 9 2\nret;\n", {2});
  EXPECT_EQ(chains.at(2), (Frames{{"", 1, 5}, {"", 3, 9}}));
}

TEST(source_chains, EndInCircles) {
  const auto chains = source_chains(
      ".loc 1 1 1, function_name $f, inlined_at 1 2 2\n"
      ".loc 1 2 2, function_name $g, inlined_at 1 1 1\nret;\n",
      {3});
  EXPECT_LE(chains.at(3).size(), 40u);
}

TEST(source_chains, MayBeOfAnyText) {
  const std::string good = text;
  std::mt19937 random(1);
  const std::string letters = "\n\t ,$:.0123456789loc_b8inlined_at\0";
  for (int i = 0; i < 30000; ++i) {
    std::string changed = good;
    for (unsigned changes = 1 + random() % 8; changes > 0; --changes)
      changed[random() % changed.size()] =
          random() % 2 ? letters[random() % letters.size()] : static_cast<char>(random());
    if (random() % 4 == 0) changed.resize(random() % (changed.size() + 1));
    for (const auto& [line, frames] : source_chains(changed, {0, 1, 4, 6, 6, 8, 10, 4000000000}))
      EXPECT_LE(frames.size(), 40u);
  }
}

TEST(JsonLine, QuotesWhateverNamesHold) {
  EXPECT_EQ(quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(quoted("a\nb\x01"), "\"a\\u000ab\\u0001\"");
  EXPECT_EQ(quoted("\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(quoted("\xc3(\xed\xa0\x80\xff"), "\"?(????\"");
  JsonLine line;
  EXPECT_EQ(line.text(), "{}");
  line.add("n", 5);
  line.add("t", "x");
  JsonList list;
  EXPECT_EQ(list.text(), "[]");
  list.add("1");
  list.add("2");
  line.add_raw("l", list.text());
  EXPECT_EQ(line.text(), "{\"n\":5,\"t\":\"x\",\"l\":[1,2]}");
}

}  // namespace
}  // namespace cuvette::profile
