// SPDX-License-Identifier: Apache-2.0
#include "sim/base/recycled.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace cuvette {
namespace {

struct Thing : Recycled<Thing> {
  explicit Thing(uint64_t number) : number(number), also(~number) {}
  uint64_t number, also;
};

TEST(Recycled, GivesNoPieceToTwo) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Thing*> things;
    for (uint64_t i = 0; i < 10'000; ++i) things.push_back(new Thing(i));
    EXPECT_EQ(std::set<Thing*>(things.begin(), things.end()).size(), things.size());
    for (uint64_t i = 0; i < things.size(); ++i) {
      ASSERT_EQ(things[i]->number, i);
      ASSERT_EQ(things[i]->also, ~i);
      delete things[i];
    }
  }
}

TEST(Recycled, PassesPiecesBetweenThreads) {
  constexpr uint64_t rounds = 5'000;
  constexpr size_t places = 64;
  std::atomic<Thing*> handed[places] = {};
  std::atomic<uint64_t> wrong{0}, taken{0};
  std::atomic<bool> ending{false};
  const auto take = [&] {
    do {
      std::this_thread::yield();
      for (auto& place : handed)
        if (Thing* const thing = place.exchange(nullptr, std::memory_order_acquire)) {
          wrong += thing->also != ~thing->number;
          delete thing;
          ++taken;
        }
    } while (!ending.load(std::memory_order_acquire));
  };
  const auto make = [&](uint64_t from) {
    for (uint64_t i = from; i < from + rounds; ++i) {
      auto* const thing = new Thing(i);
      Thing* none = nullptr;
      while (!handed[i % places].compare_exchange_weak(none, thing, std::memory_order_release)) {
        none = nullptr;
        std::this_thread::yield();
      }
    }
  };
  {
    std::jthread one_taker(take), other_taker(take);
    { std::jthread one_maker(make, 0), other_maker(make, 1'000'000); }
    while (taken.load() < 2 * rounds) std::this_thread::yield();
    ending.store(true, std::memory_order_release);
  }
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(taken.load(), 2 * rounds);
}

}  // namespace
}  // namespace cuvette
