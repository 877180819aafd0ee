// SPDX-License-Identifier: Apache-2.0
// What earlier calls of a process make of a later one.
#include "tools/cuvette/cost/process_model.hpp"

#include <gtest/gtest.h>

namespace cuvette::tools {
namespace {

PricedCall after(ProcessModel& process, const std::string& function, uint64_t bytes, uint32_t count,
                 std::set<std::string> words) {
  PricedCall call{function, std::move(words), bytes, count};
  process.add_words(call);
  return call;
}
PricedCall after(ProcessModel& process, const std::string& function) {
  return after(process, function, 0, 0, {});
}

using Words = std::set<std::string>;

TEST(ProcessModel, KnowsAFirstCall) {
  ProcessModel process;
  EXPECT_TRUE(process.is_first("cuMemAlloc"));
  EXPECT_TRUE(process.is_first("cuMemFree"));
  EXPECT_FALSE(process.is_first("cuMemAlloc"));
  EXPECT_TRUE(process.is_first(first_as("cuMemAllocFromPoolAsync")));
  EXPECT_FALSE(process.is_first(first_as("cuMemAllocAsync")));
}

TEST(ProcessModel, CutsSmallPinnedMemoryFromBlocksOfItsOwn) {
  ProcessModel process;
  EXPECT_EQ(after(process, "cuMemAlloc", 4096, 0, {}).words, Words{});
  EXPECT_EQ(after(process, "cuMemAllocHost", 4096, 0, {}).words, Words{});
  EXPECT_EQ(after(process, "cuMemAllocHost", 4096, 0, {}).words, Words{"from-block"});
  EXPECT_EQ(after(process, "cuMemFreeHost", 4096, 0, {}).words, Words{"from-block"});
  EXPECT_EQ(after(process, "cuMemFreeHost", 4096, 0, {}).words, Words{});
}

TEST(ProcessModel, CountsStreamsThatAreMoreThanEver) {
  ProcessModel process;
  EXPECT_EQ(after(process, "cuStreamCreate").words, Words{});
  const PricedCall second = after(process, "cuStreamCreate");
  EXPECT_EQ(second.words, Words{"new"});
  EXPECT_EQ(second.count, 2u);
  after(process, "cuStreamDestroy");
  EXPECT_EQ(after(process, "cuStreamCreate").words, Words{}) << "the driver has kept its channel";
  EXPECT_EQ(after(process, "cuStreamCreate").count, 3u);
}

TEST(ProcessModel, UploadsAGraphOnce) {
  ProcessModel process;
  after(process, "cuGraphInstantiate", 0, 30, {});
  after(process, "cuGraphInstantiate", 0, 7, {});
  EXPECT_EQ(after(process, "cuGraphLaunch", 0, 30, {}).words, Words{"not-uploaded"});
  EXPECT_EQ(after(process, "cuGraphLaunch", 0, 30, {}).words, Words{});
  after(process, "cuGraphUpload", 0, 7, {});
  EXPECT_EQ(after(process, "cuGraphLaunch", 0, 7, {}).words, Words{});
}

TEST(ProcessModel, SaysThatTheProcessUsesGraphics) {
  ProcessModel process;
  EXPECT_EQ(after(process, "cuMemExportToShareableHandle").words, Words{});
  process.uses_graphics();
  EXPECT_EQ(after(process, "cuMemExportToShareableHandle").words, Words{"graphics"});
}

TEST(ProcessModel, KnowsResourcesBesideOthers) {
  ProcessModel process;
  EXPECT_EQ(after(process, "cuGraphicsGLRegisterBuffer").words, Words{});
  EXPECT_EQ(after(process, "cuGraphicsGLRegisterBuffer").words, Words{"beside"});
  EXPECT_EQ(after(process, "cuGraphicsUnregisterResource").words, Words{"beside"});
  EXPECT_EQ(after(process, "cuGraphicsUnregisterResource").words, Words{});
}

}  // namespace
}  // namespace cuvette::tools
