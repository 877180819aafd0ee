// SPDX-License-Identifier: Apache-2.0
// The answer as text, as JSON, compared, and as CSV.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/tools/cost/records.hpp"
#include "tools/cuvette/cost/result.hpp"
#include "tools/cuvette/cost/time_text.hpp"

namespace cuvette::tools {
namespace {

Record small_record() {
  HandRecord hand;
  hand.call("cuMemAlloc_v2", "main (app.cpp:3)", 4096);
  for (int i = 0; i < 4; ++i) {
    hand.call("cuImportExternalMemory", "frame (app.cpp:7)", 4096);
    hand.call("cuDestroyExternalMemory", "frame (app.cpp:9)");
  }
  for (int i = 0; i < 3; ++i) hand.submit("cuLaunchKernel", "frame (app.cpp:11)");
  hand.call("cuOdd", "main (app.cpp:13)");
  hand.call("cuGraphicsMapResources", "main (app.cpp:14)", 0, 128, "opengl");
  return std::move(hand.record);
}

TEST(CostResult, AsText) {
  EXPECT_EQ(
      cost_as_text(cost_of(small_record(), small_table()), 3),
      R"(cuvette cost: 14 calls took 1.40 us here; on NVIDIA Test, driver 1.2: 144 us (130 us to 159 us).

Could be fewer calls:
   72.0 us less  cuImportExternalMemory at frame (app.cpp:7) 4 times, and given back: 96.0 us; made once and kept: 24.0 us

     there                   range    share    calls      here  function
   72.0 us      64.8 us to 79.2 us   49.9 %        4    400 ns  cuImportExternalMemory  frame (app.cpp:7)
   30.0 us      27.0 us to 33.0 us   20.8 %        1    100 ns  cuMemAlloc  main (app.cpp:3)
   24.0 us      21.6 us to 26.4 us   16.6 %        4    400 ns  cuDestroyExternalMemory  frame (app.cpp:9)
  ... and 3 more lines; --limit=0 shows all

e: extrapolated, beyond the last size that was measured.
-: not all of these calls have a row in the table.
1 call of 1 function has no row in the table, and counts as nothing: cuOdd (1).
Kernels' time on the device is not estimated: waits for them count what the driver adds.
)");
}

TEST(CostResult, MarksWhatIsNotExact) {
  const std::string text = cost_as_text(cost_of(small_record(), small_table()), 0);
  EXPECT_NE(text.find("cuGraphicsMapResources  main (app.cpp:14) e\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("    no row" + std::string(41, ' ') + "1    100 ns  cuOdd  main (app.cpp:13) -\n"),
      std::string::npos)
      << text;
}

TEST(CostResult, TimesHaveThreeDigits) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(999.6), "1.00 us");
  EXPECT_EQ(time_text(12345), "12.3 us");
  EXPECT_EQ(time_text(123456), "123 us");
  EXPECT_EQ(time_text(1.5e9), "1.50 s");
  EXPECT_EQ(time_text(9.2e18), "9200000000 s");
  EXPECT_EQ(time_text(-1500), "-1.50 us");
}

TEST(CostResult, ComesBackFromJson) {
  const CostResult result = cost_of(small_record(), small_table());
  const std::string json = cost_as_json(result);
  const CostResult back = cost_from_json(json, "a.json");
  EXPECT_EQ(cost_as_json(back), json);
  EXPECT_EQ(cost_as_text(back, 0), cost_as_text(result, 0));
}

// A double would round it to an even number.
TEST(CostResult, KeepsLargeCountsInJson) {
  CostResult result = cost_of(small_record(), small_table());
  result.dropped = 35184372088832003;
  EXPECT_EQ(cost_from_json(cost_as_json(result), "a.json").dropped, result.dropped);
}

TEST(CostResult, TakesNamesThatAreNoText) {
  HandRecord hand;
  hand.call("cuLaunchKernel", "\xff\"\n<b>");
  const std::string json = cost_as_json(cost_of(hand.record, small_table()));
  EXPECT_TRUE(nlohmann::json::accept(json));
}

TEST(CostResult, FromDamagedJsonIsASentence) {
  const std::string good = cost_as_json(cost_of(small_record(), small_table()));
  std::mt19937 random(9);
  size_t refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = good;
    const size_t at = random() % text.size();
    if (random() % 2)
      text.erase(at, 1 + random() % 20);
    else
      text[at] = "{}[],:\"0-x"[random() % 10];
    try {
      cost_from_json(text, "a.json");
    } catch (const CostFileError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).substr(0, 6), "a.json");
    }
  }
  EXPECT_GT(refused, 500u);
}

TEST(CostResult, ComparedShowsWhatChangedMostFirst) {
  HandRecord before, after;
  for (int i = 0; i < 10; ++i) {
    before.call("cuImportExternalMemory", "frame (app.cpp:7)", 4096);
    before.submit("cuLaunchKernel", "frame (app.cpp:9)");
    after.submit("cuLaunchKernel", "frame (app.cpp:9)");
  }
  after.call("cuImportExternalMemory", "main (app.cpp:2)", 4096);
  const CostTable table = small_table();
  EXPECT_EQ(compared_as_text(cost_of(before.record, table), cost_of(after.record, table), 20),
            R"(cuvette cost: 210 us before, 48.0 us after, on NVIDIA Test, driver 1.2.

     change    before     after            calls  function
    -180 us    180 us      0 ns           10 > 0  cuImportExternalMemory  frame (app.cpp:7)
   +18.0 us      0 ns   18.0 us            0 > 1  cuImportExternalMemory  main (app.cpp:2)
)");
  const auto json = nlohmann::json::parse(
      compared_as_json(cost_of(before.record, table), cost_of(after.record, table)));
  EXPECT_EQ(json["before"]["median_ns"], 210000);
  EXPECT_EQ(json["lines"].size(), 3u);
}

TEST(CostResult, AsCsvHasALineForEachCall) {
  HandRecord hand;
  hand.submit("cuLaunchKernel", "say \"x\" (app.cpp:1)");
  hand.call("cuOdd");
  EXPECT_EQ(calls_as_csv(hand.record, small_table()),
            "function,call site,here ns,p10 ns,median ns,p90 ns,has row\n"
            "cuLaunchKernel,\"say \"\"x\"\" (app.cpp:1)\",100,2700,3000,3300,1\n"
            "cuOdd,\"\",100,0,0,0,0\n");
}

}  // namespace
}  // namespace cuvette::tools
