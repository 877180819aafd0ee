// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/grid_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace cuvette::exec {
namespace {

using ptx::Counter;

constexpr BlockMemory memory{0x7000'0000, 4096, 0x7100'0000, 8192};

TEST(count_access, TellsWhereGenericAddressesLead) {
  std::mt19937 random(1);
  for (int n = 0; n < 2000; ++n) {
    Counts counts;
    Counter counter{};
    uint64_t addresses[32];
    const auto mask = static_cast<uint32_t>(random());
    uint64_t shared = 0, global = 0, lanes = 0;
    std::set<uint64_t> sectors;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t where = random() % 3;
      const uint64_t offset = random() % 1024 * 4;
      addresses[lane] = offset + (where == 0   ? memory.shared
                                  : where == 1 ? memory.local
                                               : uint64_t{0x1000'0000});
      if (!(mask >> lane & 1)) continue;
      ++lanes;
      shared += where == 0;
      global += where == 2;
      if (where == 2) sectors.insert(addresses[lane] / 32);
    }
    count_access(counter, counts, 0, memory, addresses, mask, 4 | ptx::access_generic);
    EXPECT_EQ(counter.executions, 1u);
    EXPECT_EQ(counter.lanes, lanes);
    EXPECT_EQ(counter.shared_lanes, shared);
    EXPECT_EQ(counter.shared_requests, shared > 0);
    EXPECT_EQ(counter.global_lanes, global);
    EXPECT_EQ(counter.global_requests, global > 0);
    EXPECT_EQ(counter.sectors, sectors.size());
  }
}

TEST(count_access, DoesNotCountWhereNoLaneTakesPart) {
  Counts counts;
  Counter counter{};
  const uint64_t addresses[32] = {};
  count_access(counter, counts, 0, memory, addresses, 0, 4);
  EXPECT_EQ(counter.executions, 0u);
}

TEST(count_access, FindsTheHottestAddress) {
  Counts counts;
  Counter counter{};
  uint64_t addresses[32];
  constexpr uint32_t add = 4 | ptx::access_atomic | ptx::access_write;
  for (uint64_t turn = 0; turn < 10; ++turn) {
    for (uint64_t lane = 0; lane < 32; ++lane)
      addresses[lane] = lane % 2 ? 0x1000 : 0x2000 + 4 * lane + 1024 * turn;
    count_access(counter, counts, 7, memory, addresses, UINT32_MAX, add);
  }
  EXPECT_EQ(counter.most_together, 16u);
  EXPECT_EQ(counter.behind_others, 150u);
  const AddressCounts::Hottest hottest = counts.atomics[7].hottest();
  EXPECT_EQ(hottest.address, 0x1000u);
  EXPECT_EQ(hottest.times, 160u);
  EXPECT_FALSE(hottest.at_least);
  EXPECT_EQ(counts.atomics[7].all(), 320u);
  // Sixteen lanes at one address; the sixteen others lie in four sectors.
  EXPECT_EQ(counts.atomics[7].sector_visits(), 200u);
}

TEST(AddressCounts, AreExactForFewAddresses) {
  std::mt19937 random(2);
  AddressCounts one, two;
  std::map<uint64_t, uint64_t> expected;
  for (int n = 0; n < 20000; ++n) {
    const uint64_t address = 1 + random() % 3000 * (random() % 2 ? 1 : 77);
    ++expected[address];
    (n % 2 ? one : two).add(address);
  }
  one.add(two);
  EXPECT_EQ(one.all(), 20000u);
  const auto most = std::ranges::max_element(
      expected, [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_EQ(one.hottest().times, most->second);
  EXPECT_EQ(one.hottest().address, most->first) << "the lowest of several";
  EXPECT_FALSE(one.hottest().at_least);
}

TEST(AddressCounts, KeepTheMostFrequentOfMany) {
  AddressCounts counts;
  for (uint64_t n = 1; n <= 1'000'000; ++n) counts.add(n % 10 == 0 ? 5 : n << 8);
  const AddressCounts::Hottest hottest = counts.hottest();
  EXPECT_EQ(hottest.address, 5u);
  EXPECT_TRUE(hottest.at_least);
  EXPECT_GT(hottest.times, 90'000u);
  EXPECT_LE(hottest.times, 100'000u);
}

TEST(GridCounts, AddUpWhatThreadsCount) {
  GridCounts grid(3), other(3);
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 1000; ++turn) {
        ++grid.of_this_thread().counters[1].executions;
        ++other.of_this_thread().counters[2].lanes;  // a thread may run several grids in turns
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(grid.sum().counters[1].executions, 4000u);
  EXPECT_EQ(grid.sum().counters[2].lanes, 0u);
  EXPECT_EQ(other.sum().counters[2].lanes, 4000u);
}

TEST(settled, AddsWhatCompiledCodeCountedByItself) {
  Counter counter{};
  counter.executions = 2, counter.lanes = 10;
  counter.global_requests = 2, counter.global_lanes = 10, counter.sectors = 8;
  counter.ideal_sectors = 4, counter.stride = 8, counter.strided = 2;
  counter.whole = 5, counter.whole_units = 23;
  ptx::CountedPlace place;
  place.access = 4;
  place.stride = 4;
  place.ideal = 4;
  const Counter sum = settled(counter, place);
  EXPECT_EQ(sum.executions, 7u);
  EXPECT_EQ(sum.lanes, 170u);
  EXPECT_EQ(sum.global_requests, 7u);
  EXPECT_EQ(sum.sectors, 31u);
  EXPECT_EQ(sum.ideal_sectors, 24u);
  EXPECT_EQ(sum.stride, 4) << "most requests have it";
  EXPECT_EQ(sum.whole, 0u);
  place.access = 4 | ptx::access_shared;
  place.units = 2;
  place.ideal = 1;
  EXPECT_EQ(settled(counter, place).wavefronts, 10u);
  EXPECT_EQ(settled(counter, place).ideal_wavefronts, 5u);
}

}  // namespace
}  // namespace cuvette::exec
