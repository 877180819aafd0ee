// SPDX-License-Identifier: Apache-2.0
// What could be called less often.
#include <gtest/gtest.h>

#include "tests/tools/cost/records.hpp"
#include "tools/cuvette/cost/hoists.hpp"

namespace cuvette::tools {
namespace {

std::vector<std::string> sentences(const Record& record) {
  const CostTable table = small_table();
  std::vector<std::string> result;
  for (const Hoist& hoist : hoists_of(record, estimate(record, table), table))
    result.push_back(hoist.sentence);
  return result;
}

TEST(Hoists, FindImportsInALoop) {
  HandRecord hand;
  for (int frame = 0; frame < 10; ++frame) {
    hand.call("cuImportExternalMemory", "frame (app.cpp:40)", 4096);
    hand.call("cuDestroyExternalMemory", "frame (app.cpp:44)");
  }
  EXPECT_EQ(sentences(hand.record),
            (std::vector<std::string>{"cuImportExternalMemory at frame (app.cpp:40) 10 times, and "
                                      "given back: 240 us; made once and kept: 24.0 us"}));
}

TEST(Hoists, LeaveWhatLivesTogetherAlone) {
  HandRecord hand;
  for (int i = 0; i < 10; ++i) hand.call("cuImportExternalMemory", "load (app.cpp:12)", 4096);
  for (int i = 0; i < 10; ++i) hand.call("cuDestroyExternalMemory", "end (app.cpp:20)");
  EXPECT_TRUE(sentences(hand.record).empty());
}

TEST(Hoists, FindMapsThatFollowEachOther) {
  HandRecord hand;
  for (int frame = 0; frame < 3; ++frame) {
    for (int i = 0; i < 64; ++i) {
      hand.call("cuGraphicsMapResources", "draw (app.cpp:7)", 0, 1, "opengl");
      hand.call("cuGraphicsResourceGetMappedPointer_v2", "draw (app.cpp:8)");
    }
    hand.submit("cuLaunchKernel", "draw (app.cpp:9)");
  }
  EXPECT_EQ(sentences(hand.record),
            (std::vector<std::string>{
                "cuGraphicsMapResources at draw (app.cpp:7) 192 times, one call after another: 576 "
                "us; 3 times, with all resources in one call: 18.4 us"}));
}

TEST(Hoists, LeaveMapsAroundEachLaunchAlone) {
  HandRecord hand;
  for (int i = 0; i < 64; ++i) {
    hand.call("cuGraphicsMapResources", "draw (app.cpp:7)", 0, 1, "opengl");
    hand.submit("cuLaunchKernel", "draw (app.cpp:9)");
    hand.call("cuGraphicsUnmapResources", "draw (app.cpp:10)", 0, 1, "opengl");
  }
  EXPECT_TRUE(sentences(hand.record).empty());
}

TEST(Hoists, FindWaitsInALoop) {
  HandRecord hand;
  for (int i = 0; i < 20; ++i) {
    hand.submit("cuLaunchKernel", "step (app.cpp:3)");
    hand.wait("cuStreamSynchronize", "step (app.cpp:4)");
  }
  const auto found = sentences(hand.record);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].substr(0, 54), "cuStreamSynchronize at step (app.cpp:4) 20 times: 99.8");
}

TEST(Hoists, FreeingAWindowIsNotFreeingAnAllocation) {
  HandRecord hand;
  for (int i = 0; i < 8; ++i) hand.call("cuMemAlloc_v2", "load (app.cpp:1)", 4096);
  for (int i = 0; i < 8; ++i) hand.call("cuMemFree_v2", "use (app.cpp:2)", 4096, 0, "imported");
  EXPECT_TRUE(sentences(hand.record).empty());
}

TEST(Hoists, TheDearestComesFirst) {
  HandRecord hand;
  for (int frame = 0; frame < 10; ++frame) {
    hand.call("cuImportExternalMemory", "frame (app.cpp:40)", 4096);
    hand.call("cuDestroyExternalMemory", "frame (app.cpp:44)");
    hand.call("cuMemAlloc_v2", "frame (app.cpp:50)", 1 << 20);
    hand.call("cuMemFree_v2", "frame (app.cpp:51)", 1 << 20);
  }
  const auto found = sentences(hand.record);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].substr(0, 10), "cuMemAlloc");
  EXPECT_EQ(found[1].substr(0, 8), "cuImport");
}

}  // namespace
}  // namespace cuvette::tools
