// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/place_numbers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

namespace cuvette::watch {
namespace {

TEST(PlaceNumbers, AreOfOnePlaceForGood) {
  const std::vector<ptx::NumberedAccess> given(3, {77, 4});
  const auto numbers = std::make_unique<PlaceNumbers>(given);
  std::map<std::pair<uint64_t, uint32_t>, uint16_t> known;
  std::mt19937_64 random(1);
  for (int step = 0; step < 20'000; ++step) {
    // Many share an entry of the cache, in which places are looked up first.
    const Place place{random() % 4 << (random() % 8 * 8), static_cast<uint32_t>(random() % 3)};
    const uint16_t number = numbers->number_of(place, 0);
    ASSERT_GT(number, given.size());
    ASSERT_EQ(known.try_emplace({place.location, place.access}, number).first->second, number);
    ASSERT_EQ(numbers->place(number), place);
  }
  EXPECT_GT(known.size(), 50u);
}

TEST(PlaceNumbers, AreThoseOfCompiledCodeFirst) {
  const std::vector<ptx::NumberedAccess> given = {{10, 4}, {20, 8}};
  const auto numbers = std::make_unique<PlaceNumbers>(given);
  EXPECT_EQ(numbers->number_of({}, 2), 2u);
  EXPECT_EQ(numbers->place(1), (Place{10, 4}));
  EXPECT_EQ(numbers->place(2), (Place{20, 8}));
  EXPECT_EQ(numbers->place(0), Place());
  EXPECT_EQ(numbers->place(3), Place());
  EXPECT_EQ(numbers->place(UINT16_MAX), Place());
}

TEST(PlaceNumbers, EndWhereMarksHaveNoMore) {
  const auto numbers = std::make_unique<PlaceNumbers>(std::span<const ptx::NumberedAccess>());
  for (uint64_t location = 1; location <= UINT16_MAX; ++location)
    ASSERT_EQ(numbers->number_of({location, 4}, 0), location);
  EXPECT_EQ(numbers->number_of({UINT16_MAX + 1, 4}, 0), 0u);
  EXPECT_EQ(numbers->number_of({UINT16_MAX + 1, 4}, 0), 0u);
  EXPECT_EQ(numbers->number_of({UINT16_MAX, 4}, 0), UINT16_MAX);
}

}  // namespace
}  // namespace cuvette::watch
