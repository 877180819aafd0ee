// SPDX-License-Identifier: Apache-2.0
// Sectors, wavefronts and addresses of random accesses, against counters that follow the
// definitions word by word.
#include "sim/ptx/abi/access_counts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace cuvette::ptx {
namespace {

struct Access {
  uint64_t addresses[32];
  uint32_t mask, bytes;
  bool active(uint32_t lane) const { return mask >> lane & 1; }
};

class Accesses {
 public:
  explicit Accesses(uint32_t seed) : random_(seed) {}

  Access next() {
    Access access{};
    access.bytes = 1u << below(5);
    switch (below(4)) {
      case 0:
        access.mask = UINT32_MAX;
        break;
      case 1:
        access.mask = static_cast<uint32_t>(random_());
        break;
      case 2:
        access.mask = static_cast<uint32_t>(random_()) & static_cast<uint32_t>(random_());
        break;
      default:
        access.mask = (1u << below(32)) - 1;
    }
    const uint64_t base = uint64_t{below(64)} * access.bytes, stride = below(70);
    const uint32_t what = below(7), range = 1 + below(200);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint64_t element = 0;
      switch (what) {
        case 0:
          element = lane * stride;
          break;
        case 1:
          element = below(range);
          break;
        case 2:
          element = lane / 2 * stride;
          break;
        case 3:
          element = (lane & ~2u) * stride;
          break;
        case 4:
          element = (31 - lane) * stride;
          break;
        case 5:
          element = lane < 16 ? lane : lane + stride;
          break;
        default:
          element = lane % 4 * stride + below(2);
      }
      // Lanes that take no part may have any address.
      access.addresses[lane] =
          access.active(lane) ? base + element * access.bytes : uint64_t{random_()} << 32;
    }
    return access;
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::mt19937 random_;
};

uint32_t sectors_by_definition(const Access& access) {
  std::set<uint64_t> sectors;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t byte = 0; access.active(lane) && byte < access.bytes; ++byte)
      sectors.insert((access.addresses[lane] + byte) / 32);
  return static_cast<uint32_t>(sectors.size());
}

// The largest number of different words, or of lanes, in a bank, for lanes [begin, end).
uint32_t group_by_definition(const Access& access, uint32_t begin, uint32_t end, bool lanes) {
  std::map<uint64_t, std::set<uint64_t>> by_bank;
  for (uint32_t lane = begin; lane < end; ++lane)
    for (uint32_t byte = 0; access.active(lane) && byte < access.bytes; ++byte) {
      const uint64_t word = (access.addresses[lane] + byte) / 4;
      by_bank[word % 32].insert(lanes ? lane : word);
    }
  size_t most = 0;
  for (const auto& [bank, all] : by_bank) most = std::max(most, all.size());
  return static_cast<uint32_t>(most);
}

bool pairs_share(const Access& access, uint32_t begin, uint32_t end, uint32_t bit) {
  for (uint32_t lane = begin; lane < end; ++lane)
    if (access.active(lane) && access.active(lane ^ bit) &&
        access.addresses[lane] != access.addresses[lane ^ bit])
      return false;
  return true;
}

uint32_t wavefronts_by_definition(const Access& access, SharedUse use) {
  const uint32_t length = access.bytes <= 4 ? 32 : 128 / access.bytes;
  const bool lanes = use == SharedUse::atomic;
  uint32_t result = 0;
  if (length == 32) return group_by_definition(access, 0, 32, lanes);
  for (uint32_t at = 0; at < 32; at += 2 * length) {
    const uint32_t end = at + 2 * length;
    if (use == SharedUse::load &&
        (pairs_share(access, at, end, 1) || pairs_share(access, at, end, 2)))
      result += group_by_definition(access, at, end, lanes);
    else
      result += group_by_definition(access, at, at + length, lanes) +
                group_by_definition(access, at + length, end, lanes);
  }
  return result;
}

TEST(AccessCounts, AreThoseOfTheDefinitions) {
  Accesses accesses(1);
  for (int n = 0; n < 20000; ++n) {
    const Access access = accesses.next();
    ASSERT_EQ(sectors_of(access.addresses, access.mask), sectors_by_definition(access)) << n;
    for (const SharedUse use : {SharedUse::load, SharedUse::store, SharedUse::atomic})
      ASSERT_EQ(wavefronts_of(access.addresses, access.mask, access.bytes, use),
                wavefronts_by_definition(access, use))
          << n << ", use " << static_cast<int>(use);

    std::map<uint64_t, uint32_t> lanes;
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (access.active(lane)) ++lanes[access.addresses[lane]];
    const Addresses different = different_addresses(access.addresses, access.mask);
    std::map<uint64_t, uint32_t> found;
    for (uint32_t i = 0; i < different.count; ++i) found[different.address[i]] = different.lanes[i];
    ASSERT_EQ(found, lanes) << n;

    std::set<int64_t> distances;
    uint32_t active = 0, before = 0;
    bool divides = true;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!access.active(lane)) continue;
      if (active++ > 0) {
        const auto distance =
            static_cast<int64_t>(access.addresses[lane] - access.addresses[before]);
        divides = divides && distance % (lane - before) == 0;
        distances.insert(distance / static_cast<int64_t>(lane - before));
      }
      before = lane;
    }
    int64_t stride = 0;
    const bool is_line = active > 1 && divides && distances.size() == 1;
    ASSERT_EQ(stride_of(access.addresses, access.mask, stride), is_line) << n;
    if (is_line) {
      ASSERT_EQ(stride, *distances.begin()) << n;
    }
  }
}

TEST(AccessCounts, KnowTheBest) {
  EXPECT_EQ(ideal_sectors(32, 4), 4u);
  EXPECT_EQ(ideal_sectors(32, 16), 16u);
  EXPECT_EQ(ideal_sectors(5, 4), 1u);
  EXPECT_EQ(ideal_sectors(9, 4), 2u);
  EXPECT_EQ(ideal_sectors(1, 1), 1u);
  EXPECT_EQ(ideal_wavefronts(UINT32_MAX, 4), 1u);
  EXPECT_EQ(ideal_wavefronts(UINT32_MAX, 8), 2u);
  EXPECT_EQ(ideal_wavefronts(UINT32_MAX, 16), 4u);
  EXPECT_EQ(ideal_wavefronts(0xff, 16), 1u);
  EXPECT_EQ(ideal_wavefronts(0x10001, 8), 2u);
}

// As an H200 was measured to do.
TEST(AccessCounts, JoinGroupsThatShareAddresses) {
  const auto of = [](auto place, uint32_t bytes, SharedUse use) {
    uint64_t offsets[32];
    for (uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = uint64_t{place(lane)} * bytes;
    return wavefronts_of(offsets, UINT32_MAX, bytes, use);
  };
  const auto one = [](uint32_t) { return 7u; };
  const auto pairs = [](uint32_t lane) { return lane / 2; };
  const auto halves = [](uint32_t lane) { return lane % 16; };
  const auto alternating = [](uint32_t lane) { return lane % 2 ? 40u : 8u; };
  constexpr auto load = SharedUse::load, store = SharedUse::store, atomic = SharedUse::atomic;
  EXPECT_EQ(of(one, 8, load), 1u);
  EXPECT_EQ(of(one, 8, store), 2u);
  EXPECT_EQ(of(one, 16, load), 2u);
  EXPECT_EQ(of(one, 16, store), 4u);
  EXPECT_EQ(of(pairs, 8, load), 1u);
  EXPECT_EQ(of(pairs, 16, load), 2u);
  EXPECT_EQ(of(halves, 8, load), 2u);
  EXPECT_EQ(of(halves, 16, load), 4u);
  EXPECT_EQ(of(alternating, 8, load), 2u);
  EXPECT_EQ(of(alternating, 8, store), 4u);
  EXPECT_EQ(of(alternating, 16, load), 4u);
  EXPECT_EQ(of(alternating, 4, load), 2u);
  EXPECT_EQ(of(one, 4, atomic), 32u);
  EXPECT_EQ(of(pairs, 4, atomic), 2u);
  EXPECT_EQ(of(halves, 4, atomic), 2u);
  EXPECT_EQ(of(alternating, 4, atomic), 32u);
}

struct Measured {
  const char* places;
  const char* answers;
};
constexpr Measured measured[] = {
#define MEASURED(places, answers) {places, answers},
#include "tests/sim/ptx/abi/h200_accesses.def"
#undef MEASURED
};

// "load16" or the like.
uint32_t answer_of(const std::string& kind, const uint64_t* addresses, uint32_t mask,
                   uint32_t bytes) {
  if (kind == "sectors") return sector_visits(different_addresses(addresses, mask));
  const SharedUse use = kind == "load"    ? SharedUse::load
                        : kind == "store" ? SharedUse::store
                                          : SharedUse::atomic;
  return wavefronts_of(addresses, mask, bytes, use);
}

TEST(AccessCounts, AreWhatAnH200Counts) {
  size_t compared = 0;
  for (const Measured& one : measured) {
    std::istringstream answers(one.answers);
    std::string what;
    for (uint32_t expected = 0; answers >> what >> expected; ++compared) {
      const size_t digits = what.find_first_of("0123456789");
      const auto bytes = static_cast<uint32_t>(std::stoul(what.substr(digits)));
      std::istringstream places(one.places);
      uint64_t addresses[32] = {};
      uint32_t mask = 0;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        int64_t place = 0;
        ASSERT_TRUE(places >> place) << one.places;
        if (place < 0) continue;
        mask |= 1u << lane;
        addresses[lane] = static_cast<uint64_t>(place) * bytes;
      }
      EXPECT_EQ(answer_of(what.substr(0, digits), addresses, mask, bytes), expected)
          << what << " of " << one.places;
    }
  }
  EXPECT_EQ(compared, 505u);
}

}  // namespace
}  // namespace cuvette::ptx
