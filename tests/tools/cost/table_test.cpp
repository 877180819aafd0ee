// SPDX-License-Identifier: Apache-2.0
// Files of tables: the one that comes with the command, and ones that are none.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "tools/cuvette/cost/table.hpp"

namespace cuvette::tools {
namespace {

std::string whole(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string complaint(const std::string& text) {
  try {
    parse_cost_table(text, "t.json");
  } catch (const CostFileError& error) {
    return error.what();
  }
  return "";
}

std::string with_row(const std::string& row) {
  return R"({"format": 1, "gpu": "G", "driver": "D", "rows": [)" + row + "]}";
}

TEST(CostTable, OfTheH200HasTheFunctionsThatProgramsCallMost) {
  const CostTable table = read_cost_table(COST_TABLE);
  EXPECT_EQ(table.gpu, "NVIDIA H200");
  EXPECT_EQ(table.driver.substr(0, 4), "580.");
  EXPECT_NE(table.method, "");
  for (const char* function :
       {"cuMemAlloc", "cuMemFree", "cuLaunchKernel", "cuMemcpyHtoD", "cuMemcpyDtoH",
        "cuMemcpyHtoDAsync", "cuStreamSynchronize", "cuStreamCreate", "cuEventRecord",
        "cuStreamWaitEvent", "cuGraphicsMapResources", "cuGraphicsUnmapResources",
        "cuImportExternalMemory", "cuExternalMemoryGetMappedBuffer", "cuGraphLaunch",
        "cuGraphInstantiate", "cuModuleLoadData", "cuMemAllocAsync", "cuMemHostRegister"})
    EXPECT_FALSE(table.rows_of(function, CostTable::Measures::host).empty()) << function;
  EXPECT_EQ(table.rows_of("cuStreamSynchronize", CostTable::Measures::wait).size(), 2u);
}

TEST(CostTable, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint("[1, 2").substr(0, 23), "t.json: it is no JSON: ");
  EXPECT_EQ(complaint("[1,\n 2 x]"), "t.json: it is no JSON from line 2, column 4 on");
  EXPECT_EQ(complaint("\n\"\xff\""), "t.json: it is no JSON from line 2, column 2 on");
  EXPECT_EQ(complaint("[1e999]"), "t.json: it has a number that is too large");
  EXPECT_EQ(complaint(" \n"), "t.json: it is empty");
  EXPECT_EQ(complaint("[]"), "t.json: it is no object");
  EXPECT_EQ(complaint("{}"), "t.json: it has no \"format\"");
  EXPECT_EQ(complaint(R"({"format": 2})"),
            "t.json: its \"format\" is 2; this command reads format 1");
  EXPECT_EQ(complaint(R"({"format": 1e300})"),
            "t.json: its \"format\" is 1e+300; this command reads format 1");
  EXPECT_EQ(complaint(R"({"format": 1, "gpu": 7})"), "t.json: its \"gpu\" is no text");
  EXPECT_EQ(complaint(R"({"format": 1, "gpu": "G", "driver": "D", "rows": {}})"),
            "t.json: its \"rows\" is no list");
  EXPECT_EQ(complaint(with_row("3")), "t.json, row 1: it is no object");
  EXPECT_EQ(complaint(with_row(R"({"function": ""})")), "t.json, row 1: its \"function\" is empty");
  EXPECT_EQ(complaint(with_row(R"({"function": "f", "classes": [1]})")),
            "t.json, row 1: its \"classes\" are not all texts");
  EXPECT_EQ(complaint(with_row(R"({"function": "f", "classes": [], "unit": "mile"})")),
            "t.json, row 1: its \"unit\" is \"mile\", not call, byte, resource or node");
  EXPECT_EQ(
      complaint(with_row(R"({"function": "f", "classes": [], "unit": "call", "measures": "x"})")),
      "t.json, row 1: its \"measures\" is \"x\", not host, wait, own or first");
  const std::string begin =
      R"({"function": "f", "classes": [], "unit": "call", "measures": "host", "points": )";
  EXPECT_EQ(complaint(with_row(begin + "[]}")), "t.json, row 1: it has no points");
  EXPECT_EQ(complaint(with_row(begin + R"([{"at": 1, "p10": 1, "median": "x", "p90": 3}]})")),
            "t.json, row 1, point 1: its \"median\" is no number");
  EXPECT_EQ(complaint(with_row(begin + R"([{"at": 1, "p10": 5, "median": 2, "p90": 3}]})")),
            "t.json, row 1: its point at 1 has p10 5, median 2, p90 3, which are not in order");
  EXPECT_EQ(complaint(with_row(begin + R"([{"at": 1, "p10": 1, "median": 2, "p90": 3}]})")), "");
  EXPECT_EQ(complaint(std::string(100000, '[')).substr(0, 23), "t.json: it is no JSON: ");
}

TEST(CostTable, ThatCannotBeReadSaysWhy) {
  try {
    read_cost_table("/nowhere/t.json");
    FAIL();
  } catch (const CostFileError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/t.json cannot be read: No such file or directory");
  }
}

// Damaged files give a sentence or a table, nothing else.
TEST(CostTable, SurvivesDamage) {
  const std::string good = whole(COST_TABLE).substr(0, 6000) + "]}]}";
  std::mt19937 random(5);
  const std::string letters = "{}[]\",:0123456789-eE. \\nx\xff";
  size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text =
        round % 2
            ? good
            : with_row(
                  R"({"function": "f", "classes": ["a"], "unit": "byte", "measures": "host", "points": )"
                  R"([{"at": 1, "p10": 1, "median": 2, "p90": 3}, {"at": 4, "p10": 1, "median": 2, "p90": 3}]})");
    for (int i = std::uniform_int_distribution<>(1, 3)(random); i > 0; --i) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 9);
          break;
        default:
          text.insert(at, 1, letters[random() % letters.size()]);
          break;
      }
      if (text.empty()) text = " ";
    }
    refused += !complaint(text).empty();
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace cuvette::tools
