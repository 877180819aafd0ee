// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/range_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

namespace cuvette::memory {
namespace {

Ref<Allocation> allocation(DevicePtr address, size_t size) {
  auto made = make_ref<Allocation>();
  made->address = address;
  made->size = size;
  return made;
}

TEST(RangeIndex, FindsByAnyByteInside) {
  RangeIndex index;
  EXPECT_FALSE(index.find(0));
  const auto a = allocation(1000, 10), b = allocation(2000, 1);
  EXPECT_TRUE(index.insert(a));
  EXPECT_TRUE(index.insert(b));
  EXPECT_EQ(index.find(1000), a);
  EXPECT_EQ(index.find(1009), a);
  EXPECT_EQ(index.find(2000), b);
  for (const DevicePtr outside : {0, 999, 1010, 1999, 2001}) EXPECT_FALSE(index.find(outside));
  EXPECT_FALSE(index.find(UINT64_MAX));
}

TEST(RangeIndex, RefusesOverlaps) {
  RangeIndex index;
  EXPECT_TRUE(index.insert(allocation(1000, 10)));
  EXPECT_FALSE(index.insert(allocation(1000, 10)));
  EXPECT_FALSE(index.insert(allocation(990, 11)));
  EXPECT_FALSE(index.insert(allocation(990, 100)));
  EXPECT_FALSE(index.insert(allocation(1009, 1)));
  EXPECT_TRUE(index.insert(allocation(990, 10)));
  EXPECT_TRUE(index.insert(allocation(1010, 10)));
  EXPECT_TRUE(index.any(1019, 2000));
  EXPECT_FALSE(index.any(1020, 2000));
}

TEST(RangeIndex, ErasesTheVeryOneOnly) {
  RangeIndex index;
  const auto a = allocation(1000, 10), twin = allocation(1000, 10);
  index.insert(a);
  EXPECT_FALSE(index.erase(*twin));
  EXPECT_TRUE(index.erase(*a));
  EXPECT_FALSE(index.erase(*a));
  EXPECT_TRUE(a->unique());
}

TEST(RangeIndex, RandomUseAgreesWithAMap) {
  RangeIndex index;
  std::map<DevicePtr, Ref<Allocation>> model;
  std::mt19937 random(1);
  for (int round = 0; round < 30000; ++round) {
    const DevicePtr address = random() % 5000 * 10;
    if (random() % 3 != 0) {
      const auto made = allocation(address, random() % 10 + 1);
      ASSERT_EQ(index.insert(made), model.emplace(address, made).second);
    } else if (const auto known = model.find(address); known != model.end()) {
      ASSERT_TRUE(index.erase(*known->second));
      model.erase(known);
    }
    const DevicePtr probe = random() % 50000;
    const auto expected = model.find(probe / 10 * 10);
    const bool inside = expected != model.end() && expected->second->contains(probe, 1);
    ASSERT_EQ(index.find(probe).get(), inside ? expected->second.get() : nullptr);
  }
  const auto all = index.all();
  ASSERT_EQ(all.size(), model.size());
  EXPECT_TRUE(std::equal(all.begin(), all.end(), model.begin(),
                         [](const auto& a, const auto& b) { return a == b.second; }));
}

TEST(RangeIndex, RisingAddressesStayFindable) {
  RangeIndex index;
  for (DevicePtr i = 0; i < 10000; ++i) ASSERT_TRUE(index.insert(allocation(i * 512, 512)));
  for (DevicePtr i = 0; i < 10000; ++i) ASSERT_EQ(index.find(i * 512 + 5)->address, i * 512);
}

TEST(RangeIndex, ThreadsMayLookWhileOthersChange) {
  RangeIndex index;
  const auto stays = allocation(500, 100);
  index.insert(stays);
  std::thread changes([&] {
    for (DevicePtr i = 0; i < 2000; ++i) {
      const auto made = allocation(1000 + i % 300 * 10, 10);
      if (index.insert(made) && i % 2 == 0) index.erase(*made);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(index.find(550), stays);
    (void)index.find(1000 + static_cast<DevicePtr>(i));
  }
  changes.join();
}

}  // namespace
}  // namespace cuvette::memory
