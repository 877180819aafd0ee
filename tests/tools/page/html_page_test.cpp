// SPDX-License-Identifier: Apache-2.0
// The text of the page; what it shows is tested in a browser (browser_test.py).
#include "tools/cuvette/page/page.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/tools/page/records.hpp"
#include "tools/cuvette/gzip.hpp"
#include "tools/cuvette/page/base64.hpp"
#include "tools/cuvette/page/byte_spaces.hpp"
#include "tools/cuvette/page/page_data.hpp"
#include "tools/cuvette/page/shorten.hpp"

namespace cuvette::tools {
namespace {

using nlohmann::json;

constexpr size_t no_limit = 1'000'000;

// The text at the beginning of the data.
json head_of(const std::string& data) {
  uint32_t length = 0;
  std::memcpy(&length, data.data(), sizeof(length));
  return json::parse(data.substr(4, length));
}

json head_of(const Record& record) {
  return head_of(page_data({{&record, "one", {}}}, "title", no_limit));
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

std::string unzipped(const std::string& packed) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text, part(1 << 16, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(part, 0, part.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return text;
}

TEST(Pack, WritesBase64AsItIsDefined) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Pack, CompressesWhatZlibReadsAgain) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>(i * 7 ^ i >> 9);
  EXPECT_EQ(unzipped(gzip_of(text)), text);
  EXPECT_EQ(unzipped(gzip_of("")), "");
}

TEST(Page, LoadsNothingAndRunsItsOwnScriptAlone) {
  const std::string page = page_of(race_record(), "race");
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_EQ(policy.rfind("default-src 'none'; script-src 'sha256-", 0), 0u) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(policy.find("http"), std::string::npos);
  for (const char* loads : {" src=", " href=", "url(", "@import", "innerHTML", "insertAdjacentHTML",
                            "document.write", "eval("})
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST(Page, HoldsNamesOnlyInItsPackedData) {
  const std::string title = "</title><script>alert(1)</script>";
  const std::string page = page_of(hostile_record(), title);
  EXPECT_EQ(between(page, "<title>", "</title>"),
            "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  size_t scripts = 0;
  for (size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2u);  // the data and the page's own
  const std::string data = between(page, "id=\"data\">", "<");
  EXPECT_EQ(
      data.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
      std::string::npos);
}

TEST(Page, IsTheSameForTheSameRecord) {
  EXPECT_EQ(page_of(graph_record(), "graph"), page_of(graph_record(), "graph"));
}

TEST(PageData, ShowsOnlyWhatIsThereOfADamagedRecord) {
  const json view = head_of(hostile_record())["views"][0];
  EXPECT_EQ(view["reports"][1]["commands"], json::array());
  EXPECT_EQ(view["reports"][1]["calls"], json::array());
  EXPECT_EQ(view["reports"][1]["bytes"], nullptr);
}

TEST(PageData, TellsWhichBytesAReportIsAbout) {
  const json bytes = head_of(race_record())["views"][0]["reports"][0]["bytes"];
  EXPECT_EQ(bytes["from"], 64 * 1024);
  EXPECT_EQ(bytes["to"], 192 * 1024);
}

TEST(PageData, OfNothingIsAView) {
  const Record nothing;
  const json view = head_of(nothing)["views"][0];
  EXPECT_EQ(view["processes"], json::array());
  EXPECT_EQ(view["leftOut"], nullptr);
}

TEST(PageData, HoldsTablesThatAreGiven) {
  const Record record = race_record();
  const PageTable table{
      "Profile", "Worst first.", {{"Line", false}, {"Sectors", true}}, {{"a.cu:1", "7"}}};
  const json head = head_of(page_data({{&record, "one", {table}}}, "title", no_limit));
  EXPECT_EQ(head["views"][0]["extraTables"][0]["rows"][0][1], "7");
  EXPECT_EQ(head["views"][0]["extraTables"][0]["columns"][1]["number"], true);
}

TEST(ByteSpaces, AreOneForASegmentThatProcessesShare) {
  const Record record = processes_record();
  const ByteSpaces spaces(record);
  ASSERT_EQ(spaces.spaces().size(), 1u);
  EXPECT_EQ(spaces.place_of(0).space, spaces.place_of(1).space);
}

TEST(ByteSpaces, AreApartForSegmentsOfUnknownIdentity) {
  Record record = processes_record();
  for (Record::Segment& segment : record.segments) segment.identity = 0;
  EXPECT_EQ(ByteSpaces(record).spaces().size(), 2u);
}

TEST(ByteSpaces, PlaceAnAddressInTheSegmentOfItsWindow) {
  const Record record = windows_record();
  const ByteSpaces spaces(record);
  const Record::Memory& tail = record.memories[2];
  const auto place = spaces.place_of(2, tail.address + 100);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->offset, tail.offset + 100);
  EXPECT_FALSE(spaces.place_of(2, tail.address - 1));
  EXPECT_FALSE(spaces.place_of(2, tail.address + tail.size));
  EXPECT_FALSE(spaces.place_of(99, tail.address));
}

TEST(Shorten, LeavesShortRecordsAlone) { EXPECT_FALSE(shortened(race_record(), 1000)); }

TEST(Shorten, KeepsWhatIsNearTheReports) {
  Record record = long_record(5000);
  Record::Report report;
  report.identifier = "unordered-access";
  report.commands = {2000, 2003};
  report.calls = {4999};
  report.time = record.commands[2003].submitted;
  record.reports.push_back(report);
  record.edges.push_back({1999, 2001, Record::Edge::Why::event});
  record.edges.push_back({1, 2001, Record::Edge::Why::event});
  const auto part = shortened(record, 1000);
  ASSERT_TRUE(part);
  EXPECT_LE(part->commands.size() + part->calls.size() + part->touches.size(), 1100u);
  EXPECT_GE(part->commands.size(), 300u);
  ASSERT_EQ(part->reports[0].commands.size(), 2u);
  EXPECT_EQ(part->commands[part->reports[0].commands[1]].number, record.commands[2003].number);
  EXPECT_EQ(part->calls[part->reports[0].calls[0]].began, record.calls[4999].began);
  ASSERT_EQ(part->edges.size(), 1u);  // the other one's beginning is far away
  EXPECT_EQ(part->commands[part->edges[0].from].submitted, record.commands[1999].submitted);
  for (const Record::Command& command : part->commands)
    if (command.call != Record::none) {
      EXPECT_EQ(part->calls[command.call].call_site, command.call_site);
    }
}

TEST(Shorten, KeepsTheEndOfARecordWithoutReports) {
  const Record record = long_record(3000);
  const auto part = shortened(record, 300);
  ASSERT_TRUE(part);
  ASSERT_FALSE(part->commands.empty());
  EXPECT_EQ(part->commands.back().submitted, record.commands.back().submitted);
}

TEST(Page, TellsWhatIsLeftOut) {
  const Record record = long_record(3000);
  const json head = head_of(page_data({{&record, "one", {}}}, "title", 300));
  EXPECT_GT(head["views"][0]["leftOut"]["commands"], 2500);
}

TEST(Page, OfAMillionEventsIsMadeInTime) {
  const Record record = long_record(450'000);
  ASSERT_GT(record.commands.size() + record.calls.size() + record.touches.size(), 900'000u);
  const auto begin = std::chrono::steady_clock::now();
  const std::string page = page_of(record, "long");
  const auto took = std::chrono::steady_clock::now() - begin;
  std::printf("a page of %.1f MB in %.2f s\n", static_cast<double>(page.size()) / 1e6,
              std::chrono::duration<double>(took).count());
  EXPECT_LT(page.size(), 10'000'000u);
}

}  // namespace
}  // namespace cuvette::tools
