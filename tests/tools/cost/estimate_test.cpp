// SPDX-License-Identifier: Apache-2.0
// What calls of records made by hand would take.
#include <gtest/gtest.h>

#include <random>

#include "tests/tools/cost/records.hpp"
#include "tools/cuvette/cost/calls.hpp"
#include "tools/cuvette/cost/estimate.hpp"

namespace cuvette::tools {
namespace {

std::vector<double> medians(const Record& record) {
  std::vector<double> result;
  for (const EstimatedCall& each : estimate(record, small_table()).calls)
    result.push_back(each.there.median);
  return result;
}

TEST(CostCalls, HaveNamesWithoutVersions) {
  EXPECT_EQ(plain_function("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(plain_function("cuMemcpyHtoDAsync_v2_ptsz"), "cuMemcpyHtoDAsync");
  EXPECT_EQ(plain_function("cuLaunchKernel_ptsz"), "cuLaunchKernel");
  EXPECT_EQ(plain_function("cuCtxCreate_v4"), "cuCtxCreate");
  EXPECT_EQ(plain_function("cuda_vector"), "cuda_vector");
  EXPECT_EQ(plain_function(""), "");
}

TEST(CostEstimate, AddsUpWhatTheTableSays) {
  HandRecord hand;
  hand.submit("cuLaunchKernel");
  hand.call("cuMemAlloc_v2", "", 1 << 20);
  EXPECT_EQ(medians(hand.record), (std::vector<double>{3000, 40000}));
}

TEST(CostEstimate, NeverCountsAFunctionWithoutRowAsNothingInSilence) {
  HandRecord hand;
  hand.call("cuUnknown_v3");
  hand.call("cuUnknown_v3");
  const Estimates estimates = estimate(hand.record, small_table());
  ASSERT_EQ(estimates.without_row.size(), 1u);
  EXPECT_EQ(estimates.without_row.at("cuUnknown").calls, 2u);
  EXPECT_EQ(estimates.without_row.at("cuUnknown").here, 200);
  EXPECT_FALSE(estimates.calls.at(0).has_row);
}

TEST(CostEstimate, OfACallOfTheRuntimeIsTheDriversAndItsOwn) {
  HandRecord hand;
  hand.nested("cudaMalloc", {"cuCtxGetCurrent", "cuMemAlloc_v2"});
  hand.record.calls[2].bytes = 4096;
  hand.nested("cudaLaunchKernel", {"cuLaunchKernel"});
  const Estimates estimates = estimate(hand.record, small_table());
  ASSERT_EQ(estimates.calls.size(), 2u);
  EXPECT_EQ(estimates.calls[0].there.median, 30050);
  EXPECT_FALSE(estimates.calls[0].has_row);  // cuCtxGetCurrent has none
  EXPECT_EQ(estimates.without_row.size(), 1u);
  EXPECT_EQ(estimates.calls[1].there.median, 3000);
  EXPECT_TRUE(estimates.calls[1].has_row);
  EXPECT_EQ(estimates.without_own_part, 1u);
}

TEST(CostEstimate, OfARuntimeCallWithoutAnythingInItIsMissing) {
  HandRecord hand;
  hand.call("cudaSomething");
  const Estimates estimates = estimate(hand.record, small_table());
  EXPECT_EQ(estimates.without_row.at("cudaSomething").calls, 1u);
}

TEST(CostEstimate, OfAWaitDependsOnWhatIsQueuedThereNotHere) {
  HandRecord hand;
  hand.wait("cuStreamSynchronize");                                  // nothing to wait for
  hand.submit("cuMemcpyHtoDAsync_v2", "", 1000004, "pinned async");  // 100 us of work
  hand.wait("cuStreamSynchronize");
  hand.wait("cuStreamSynchronize");  // again: it is over
  // The work takes 105 - 5 us from the end of its submission; the host is 10 ns later.
  EXPECT_EQ(medians(hand.record), (std::vector<double>{300, 1000, 5000 + 100000 - 10, 300}));
}

TEST(CostEstimate, OfASmallWaitAfterAKernelIsWhatWasMeasured) {
  HandRecord hand;
  hand.submit("cuMemcpyHtoDAsync_v2", "", 4, "pinned async");
  hand.submit("cuMemcpyHtoDAsync_v2", "", 500004, "pinned async");
  hand.wait("cuStreamSynchronize");
  EXPECT_EQ(medians(hand.record).back(), 5000 + 50000 - 10);
}

TEST(CostEstimate, OfAWaitForAGraphCountsItsLaunchOnce) {
  HandRecord hand;
  hand.submit("cuMemcpyHtoDAsync_v2", "", 1000004, "pinned async");
  Record::Command step = hand.record.commands.back();
  step.launch = 0;
  for (step.step = 1; step.step < 10; ++step.step) hand.record.commands.push_back(step);
  hand.wait("cuStreamSynchronize");
  hand.record.host_waits.back().command = 0;
  const Estimates estimates = estimate(hand.record, small_table());
  EXPECT_EQ(estimates.calls.back().there.median, 5000 + 100000 - 10);
  EXPECT_FALSE(estimates.calls.back().is_vague);
}

TEST(CostEstimate, TakesSizeAndKindFromMemoryIfTheCallDoesNotSay) {
  HandRecord hand;
  const uint32_t import = hand.call("cuExternalMemoryGetMappedBuffer");
  const uint32_t free = hand.call("cuMemFree_v2");
  Record::Memory window;
  window.kind = "external";
  window.size = 4096;
  window.began = hand.record.calls[import].began + 50;
  window.ended = hand.record.calls[free].began + 50;
  hand.record.memories.push_back(window);
  EXPECT_EQ(medians(hand.record).back(), 15000);
}

TEST(CostEstimate, OfSmallAllocationsKnowsTheDriversBlocks) {
  HandRecord hand;
  hand.call("cuMemAlloc_v2", "", 4096);
  hand.call("cuMemAlloc_v2", "", 4096);
  hand.call("cuMemFree_v2", "", 4096);
  hand.call("cuMemFree_v2", "", 4096);
  EXPECT_EQ(medians(hand.record), (std::vector<double>{30000, 1000, 1000, 20000}));
}

TEST(CostEstimate, OfAFirstCallIsMore) {
  HandRecord hand;
  hand.call("cuStreamCreate");
  hand.call("cuStreamCreate");
  hand.call("cuStreamCreateWithPriority");
  EXPECT_EQ(medians(hand.record), (std::vector<double>{20200, 1200, 1200}));
}

TEST(CostEstimate, OfACopyAfterOneToTheHostFindsAnIdleStream) {
  HandRecord hand;
  hand.submit("cuMemcpyHtoD_v2", "", 4, "pageable from-host");
  hand.submit("cuMemcpyHtoD_v2", "", 4, "pageable from-host");
  hand.submit("cuMemcpyDtoH_v2", "", 4, "pageable to-host");
  hand.submit("cuMemcpyHtoD_v2", "", 4, "pageable from-host");
  EXPECT_EQ(medians(hand.record), (std::vector<double>{1500, 5200, 8000, 1500}));
}

TEST(CostEstimate, OfAWaitBehindACallThatHasWaitedIsShort) {
  HandRecord hand;
  hand.submit("cuMemcpyDtoHAsync_v2", "", 4, "pageable async to-host");
  hand.wait("cuStreamSynchronize");
  // The work is over 4600 ns before the call that submits it: 400 are left, less 10 of the host's.
  EXPECT_EQ(medians(hand.record).back(), 390);
}

TEST(CostEstimate, OfAWaitThatFoundNothingHereIsForWhatIsQueuedThere) {
  for (const char* function : {"cuStreamSynchronize", "cuCtxSynchronize"}) {
    HandRecord hand;
    hand.submit("cuLaunchKernel");
    hand.call(function);
    EXPECT_EQ(medians(hand.record).back(), 4990) << function;
    hand.call(function);
    EXPECT_LT(medians(hand.record).back(), 400) << "it is over";
  }
}

TEST(CostEstimate, OfAnExportDependsOnGraphicsInTheProcess) {
  HandRecord hand;
  hand.call("cuMemExportToShareableHandle");
  EXPECT_EQ(medians(hand.record).front(), 540000);
  hand.call("cuGraphicsMapResources", "", 0, 1, "opengl");
  EXPECT_EQ(medians(hand.record).front(), 21000);
}

TEST(BusyTimes, AreLeftOutOfTheTimeBetweenCalls) {
  Record record;
  for (const auto& [began, ended] : {std::pair{100, 200}, {150, 250}, {400, 500}}) {
    Record::Command command;
    command.began = static_cast<uint64_t>(began);
    command.ended = static_cast<uint64_t>(ended);
    record.commands.push_back(command);
  }
  record.commands.emplace_back();  // it never began
  const BusyTimes busy(record);
  EXPECT_EQ(busy.idle_between(0, 50), 50);
  EXPECT_EQ(busy.idle_between(50, 120), 50);
  EXPECT_EQ(busy.idle_between(120, 240), 0);
  EXPECT_EQ(busy.idle_between(240, 410), 150);
  EXPECT_EQ(busy.idle_between(0, 1000), 750);
  EXPECT_EQ(busy.idle_between(600, 550), 0);
}

// Records as a damaged file may give them: indices beyond the ends, times out of order.
TEST(CostEstimate, TakesAnyRecord) {
  std::mt19937_64 random(11);
  const char* functions[] = {"cuMemAlloc_v2",
                             "cudaMalloc",
                             "cuStreamSynchronize",
                             "cuMemFree_v2",
                             "cuLaunchKernel",
                             "cuUnknown",
                             "cudaFree",
                             "",
                             "cuGraphicsMapResources",
                             "cuMemFreeAsync",
                             "cuMemAllocAsync"};
  for (int round = 0; round < 200; ++round) {
    Record record;
    const auto any = [&] { return static_cast<uint32_t>(random() % 30); };
    record.threads.resize(random() % 3);
    for (auto& thread : record.threads) thread.process = any();
    record.processes.resize(random() % 3);
    for (int i = 0; i < 40; ++i) {
      Record::Call call;
      call.thread = any() % 4;
      call.function = functions[random() % std::size(functions)];
      call.began = random() >> (random() % 64);
      call.ended = random() % 5 ? random() >> (random() % 64) : Record::open;
      call.bytes = random() >> (random() % 64);
      call.count = static_cast<uint32_t>(random());
      record.calls.push_back(call);
      Record::Command command;
      command.call = random() % 4 ? any() : Record::none;
      command.stream = any();
      record.commands.push_back(command);
      record.edges.push_back({any(), any(), Record::Edge::Why::other});
      record.host_waits.push_back({any(), any()});
      Record::Memory memory;
      memory.process = any() % 3;
      memory.began = random() >> (random() % 64);
      memory.ended = random() >> (random() % 64);
      record.memories.push_back(memory);
    }
    const Estimates estimates = estimate(record, small_table());
    for (const EstimatedCall& each : estimates.calls) {
      ASSERT_GE(each.there.p10, 0);
      ASSERT_LE(each.there.p10, each.there.p90);
      ASSERT_LT(each.there.median, 1e20);
    }
  }
}

}  // namespace
}  // namespace cuvette::tools
