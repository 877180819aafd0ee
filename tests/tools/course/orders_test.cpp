// SPDX-License-Identifier: Apache-2.0
// The picture of an order, and the wait that is missing in it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/cuvette/course/lanes_picture.hpp"
#include "tools/cuvette/course/missing_edge.hpp"
#include "tools/cuvette/explore_model.hpp"

namespace {

using namespace cuvette::tools;

const std::vector<Order::Row> copy_first = {
    {"2.1", "copy", "non-blocking", "main (/src/a.cu:8)", true, false, false},
    {"1.1", "kernel fill(int*, int)", "non-blocking", "main (/src/a.cu:7)", true, true, false},
};

// A kernel writes what a copy in another stream reads.
const char* const log =
    "queued\t1.1\tkernel fill(int*, int)\tnon-blocking\tmain\t1\t1\n"
    "began\t1.1\ntouches\t1.1\twrite\t1\t0\t400\n"
    "queued\t2.1\tcopy\tnon-blocking\tmain\t1\t1\n"
    "touches\t2.1\tread\t1\t0\t400\ntouches\t2.1\twrite\t2\t0\t400\nseen\t2.1\nbegan\t2.1\n"
    "waited\t2.1\t1\n";

TEST(LanesPicture, HasARowForEachLane) {
  EXPECT_EQ(lanes_picture(copy_first, {false, 90, {}}),
            "  stream 1 (non-blocking)             [1.1 fill]\n"
            "  stream 2 (non-blocking)  [2.1 copy]\n"
            "  time                     -------------------->\n");
}

TEST(LanesPicture, NamesWhatNeverTookPlace) {
  auto rows = copy_first;
  rows[1].began = false;
  EXPECT_NE(lanes_picture(rows, {false, 90, {}}).find("never took place: 1.1 fill"),
            std::string::npos);
}

TEST(LanesPicture, KeepsWhatMustBeShownAndIsNoWiderThanAsked) {
  std::vector<Order::Row> rows;
  for (int i = 1; i <= 200; ++i)
    rows.push_back({std::to_string(i % 3) + "." + std::to_string(i), "copy", "blocking", "", true});
  const std::string picture = lanes_picture(rows, {false, 90, {"0.99", "2.200"}});
  EXPECT_NE(picture.find("[0.99 copy]"), std::string::npos) << picture;
  EXPECT_NE(picture.find("[2.200 copy]"), std::string::npos) << picture;
  EXPECT_EQ(picture.find("[0.3 copy]"), std::string::npos) << picture;
  for (size_t begin = 0, end = 0; (end = picture.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    EXPECT_LE(end - begin, 100u) << picture;
}

TEST(LanesPicture, CanBeEmpty) { EXPECT_FALSE(lanes_picture({}, {}).empty()); }

TEST(MissingEdge, IsThePairThatChangedPlaces) {
  const auto edge = missing_edge(Order::parse(log), copy_first);
  ASSERT_TRUE(edge);
  EXPECT_FALSE(edge->by_host);
  EXPECT_EQ(edge->first.name, "1.1");
  EXPECT_EQ(edge->second.name, "2.1");
  EXPECT_EQ(sentence_of(*edge),
            "The missing edge: 2.1 (copy, a.cu:8) does not wait for 1.1 (fill, a.cu:7).\n"
            "To add it: cudaEventRecord in stream 1 after 1.1 and cudaStreamWaitEvent in stream 2 "
            "before 2.1; or put both into one stream.");
}

TEST(MissingEdge, MayBeTheHosts) {
  const std::vector<Order::Row> rows = {
      {"1.1", "kernel fill(int*, int)", "non-blocking", "", true, false, false},
      {"2.1", "copy", "non-blocking", "main (/src/a.cu:8)", false, true, false}};
  const auto edge = missing_edge(Order::parse(log), rows);
  ASSERT_TRUE(edge);
  EXPECT_TRUE(edge->by_host);
  EXPECT_NE(sentence_of(*edge).find("cudaStreamSynchronize of stream 2"), std::string::npos);
}

TEST(MissingEdge, IsNotThereWhereOnlyBlocksChangedPlaces) {
  auto rows = copy_first;
  std::swap(rows[0], rows[1]);
  rows[0].held = false;
  rows[0].turned = true;
  EXPECT_FALSE(missing_edge(Order::parse(log), rows));
}

TEST(HostViews, AreThePrefixesOfEachLane) {
  // Two copies in one lane, which the host can see, and one in another.
  const Model model(Order::parse(
      "queued\t1.1\tcopy\tnon-blocking\tmain\t1\t1\nseen\t1.1\ntouches\t1.1\twrite\t1\t0\t4\n"
      "queued\t1.2\tcopy\tnon-blocking\tmain\t1\t1\nseen\t1.2\ntouches\t1.2\twrite\t2\t0\t4\n"
      "queued\t2.1\tcopy\tnon-blocking\tmain\t1\t1\nseen\t2.1\ntouches\t2.1\twrite\t3\t0\t4\n"));
  EXPECT_EQ(model.host_views(16),
            (std::vector<std::string>{"replay:1.1-2", "replay:1.2", "replay:2.1",
                                      "replay:1.1-2,2.1", "replay:1.2,2.1"}));
  EXPECT_FALSE(model.host_views(4));
}

}  // namespace
