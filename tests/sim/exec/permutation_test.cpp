// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/permutation.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace cuvette::exec {
namespace {

TEST(Permutation, HasEachItemOnceAndKeepsToItsWindows) {
  for (const KernelOrder order : {0u, 1u, 2u, 3u, 77u})
    for (const uint64_t count : {1u, 2u, 3u, 8u, 31u, 100u})
      for (const uint64_t window : {1u, 3u, 32u, 1000u}) {
        const Permutation permutation(order, count, window);
        std::set<uint64_t> items;
        for (uint64_t place = 0; place < count; ++place) {
          const uint64_t item = permutation.at(place);
          EXPECT_EQ(item / window, place / window);
          EXPECT_LT(item, count);
          items.insert(item);
        }
        EXPECT_EQ(items.size(), count) << order << " " << window;
      }
}

TEST(Permutation, TurnsRoundOrShuffles) {
  EXPECT_EQ(Permutation(0, 8, 8).at(2), 2u);
  EXPECT_EQ(Permutation(1, 8, 8).at(2), 5u);
  EXPECT_EQ(Permutation(1, 8, 3).at(2), 0u);
  EXPECT_EQ(Permutation(1, 8, 3).at(7), 6u);
  std::set<std::vector<uint64_t>> orders;
  for (KernelOrder order = 0; order < 20; ++order) {
    std::vector<uint64_t> items;
    for (uint64_t place = 0; place < 8; ++place)
      items.push_back(Permutation(order, 8, 8).at(place));
    orders.insert(items);
  }
  EXPECT_GE(orders.size(), 15u);
}

}  // namespace
}  // namespace cuvette::exec
