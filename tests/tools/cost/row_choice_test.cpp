// SPDX-License-Identifier: Apache-2.0
// Which row is taken for a call.
#include <gtest/gtest.h>

#include "tests/tools/cost/records.hpp"
#include "tools/cuvette/cost/row_choice.hpp"

namespace cuvette::tools {
namespace {

using Measures = CostTable::Measures;

TEST(RowChoice, TakesTheRowWithMostClassesThatAllFit) {
  const CostTable table = small_table();
  const RowChoice rows(table);
  const auto median = [&](const std::string& function, std::set<std::string> words) {
    const auto answer = rows.find({function, std::move(words), 4096, 1}, Measures::host);
    EXPECT_TRUE(answer.has_row);
    EXPECT_FALSE(answer.is_vague);
    return answer.time.median;
  };
  EXPECT_EQ(median("cuMemFree", {}), 20000);
  EXPECT_EQ(median("cuMemFree", {"device", "idle"}), 20000);
  EXPECT_EQ(median("cuMemFree", {"from-block", "device"}), 1000);
  EXPECT_EQ(median("cuMemFree", {"imported"}), 15000);
}

TEST(RowChoice, WithoutTheClassTakesTheDearestAndTheRangeOfAll) {
  const CostTable table = small_table();
  const auto answer =
      RowChoice(table).find({"cuMemcpyHtoDAsync", {"device"}, 100, 0}, Measures::host);
  EXPECT_TRUE(answer.has_row);
  EXPECT_TRUE(answer.is_vague);
  EXPECT_EQ(answer.time.median, 2000);
  EXPECT_EQ(answer.time.p10, 900);
  EXPECT_EQ(answer.time.p90, 2200);
}

TEST(RowChoice, WithoutTheSizeTakesTheRangeOfAll) {
  const CostTable table = small_table();
  const auto answer = RowChoice(table).find({"cuMemAlloc", {}, 0, 0}, Measures::host);
  EXPECT_TRUE(answer.is_vague);
  EXPECT_EQ(answer.time.p10, 27000);
  EXPECT_EQ(answer.time.p90, 44000);
}

TEST(RowChoice, HasNoRowForOtherFunctionsAndOtherMeasures) {
  const CostTable table = small_table();
  EXPECT_FALSE(RowChoice(table).find({"cuSomething", {}, 0, 0}, Measures::host).has_row);
  EXPECT_FALSE(RowChoice(table).find({"cuLaunchKernel", {}, 0, 0}, Measures::own).has_row);
}

}  // namespace
}  // namespace cuvette::tools
