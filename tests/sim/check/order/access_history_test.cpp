// SPDX-License-Identifier: Apache-2.0
// Compares the history of accesses with one that keeps everything for each byte.
#include "sim/check/order/access_history.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace cuvette::check {
namespace {

using memory::Region;

Ref<memory::Allocation> allocation_of(size_t size, uint64_t buffer_id) {
  auto allocation = make_ref<memory::Allocation>();
  allocation->address = 0x10000;
  allocation->size = size;
  allocation->buffer_id = buffer_id;
  return allocation;
}

constexpr size_t chains = 4;
using Knowledge = std::array<uint64_t, chains>;

// The last write of a byte and all reads since then; nothing is ever forgotten.
struct Byte {
  Ref<const Access> write;
  std::vector<Ref<const Access>> reads;
};

std::vector<uint64_t> bytes_of(const Region& region) {
  std::vector<uint64_t> bytes;
  for (size_t z = 0; z < region.depth; ++z)
    for (size_t y = 0; y < region.height; ++y)
      for (size_t x = 0; x < region.width; ++x)
        bytes.push_back(region.address + z * region.slice + y * region.pitch + x);
  return bytes;
}

class RandomAccesses : public testing::TestWithParam<unsigned> {};

TEST_P(RandomAccesses, ConflictInTheBytesThatThePlainModelSays) {
  std::mt19937 random(GetParam());
  const auto below = [&](size_t end) { return random() % end; };
  constexpr size_t size = 192;
  const auto allocation = allocation_of(size, 1);
  std::vector<Byte> bytes(size);
  AccessHistory history;
  // Four chains of work that now and then learn what another one knows.
  std::array<Knowledge, chains> known{};
  std::array<uint64_t, chains> positions{};
  size_t found = 0;
  for (int step = 0; step < 2000; ++step) {
    const size_t chain = below(chains);
    if (below(3) == 0) {
      const size_t from = below(chains);
      for (size_t i = 0; i < chains; ++i)
        known[chain][i] = std::max(known[chain][i], known[from][i]);
    }
    auto access = make_ref<Access>();
    access->point.stream = chain;
    access->point.position = known[chain][chain] = ++positions[chain];
    const auto ordered = [&](const Access& earlier) {
      return known[chain][earlier.point.stream] >= earlier.point.position;
    };
    // Contiguous bytes, rows with gaps, or slices of rows.
    Region region = Region::linear(0, 1 + below(40));
    if (below(3) == 0) {
      region.width = 1 + below(6);
      region.pitch = region.width + below(3);
      region.height = 1 + below(4);
      region.slice = region.pitch * region.height + below(3);
      region.depth = 1 + below(3);
    }
    region.address = allocation->address + below(size - region.extent() + 1);
    const bool writes = below(2) == 0;

    std::vector<Conflict> conflicts;
    history.add(
        allocation, region, writes, access,
        [&](const Access& known) { return ordered(known) ? Order::before : Order::unordered; },
        conflicts);
    std::set<uint64_t> reported;
    for (const Conflict& conflict : conflicts) {
      EXPECT_FALSE(ordered(*conflict.earlier));
      EXPECT_TRUE(writes || conflict.earlier_writes);
      for (uint64_t i = 0; i < conflict.size; ++i) reported.insert(conflict.address + i);
    }
    std::set<uint64_t> wanted;
    for (const uint64_t address : bytes_of(region)) {
      Byte& byte = bytes[address - allocation->address];
      bool conflict = byte.write && !ordered(*byte.write);
      if (writes)
        for (const auto& read : byte.reads) conflict = conflict || !ordered(*read);
      if (conflict) wanted.insert(address);
      if (writes) {
        byte = {access, {}};
      } else {
        byte.reads.push_back(access);
      }
    }
    ASSERT_EQ(reported, wanted) << step;
    found += !wanted.empty();
  }
  EXPECT_GT(found, 100u);
  EXPECT_LT(found, 1900u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomAccesses, testing::Range(0u, 10u));

TEST(AccessHistory, MemoryAtTheSameAddressLaterIsOther) {
  AccessHistory history;
  const auto nothing = [](const Access&) { return Order::unordered; };
  const Region region = Region::linear(0x10000, 16);
  std::vector<Conflict> conflicts;
  history.add(allocation_of(64, 1), region, true, make_ref<Access>(), nothing, conflicts);
  history.add(allocation_of(64, 2), region, true, make_ref<Access>(), nothing, conflicts);
  EXPECT_TRUE(conflicts.empty());
  history.forget(*allocation_of(64, 1));
  history.add(allocation_of(64, 1), region, true, make_ref<Access>(), nothing, conflicts);
  EXPECT_TRUE(conflicts.empty());
  history.add(allocation_of(64, 1), region, false, make_ref<Access>(), nothing, conflicts);
  EXPECT_EQ(conflicts.size(), 1u);
}

TEST(AccessHistory, ForgetsMemoryThatHasEnded) {
  AccessHistory history;
  const auto nothing = [](const Access&) { return Order::unordered; };
  std::vector<Conflict> conflicts;
  for (uint64_t id = 1; id <= 10'000; ++id) {
    const auto allocation = allocation_of(64, id);
    history.add(allocation, Region::linear(0x10000, 16), true, make_ref<Access>(), nothing,
                conflicts);
    allocation->ended = true;
  }
  EXPECT_LE(history.memories(), 64u);
}

}  // namespace
}  // namespace cuvette::check
