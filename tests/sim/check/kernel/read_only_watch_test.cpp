// SPDX-License-Identifier: Apache-2.0
// Memory that is read as read-only and written by the same launch, in any order and by whomever;
// and the adversary that hides what was written.
#include "sim/check/kernel/read_only_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "watched_launch.hpp"

namespace cuvette::watch::test {
namespace {

constexpr uint32_t read_only = ptx::access_read_only;

// Lanes side by side, all at one place, or anywhere in some lines.
Step drawn(std::mt19937& random) {
  static constexpr uint32_t sizes[] = {1, 2, 4, 4, 4, 8, 16};
  Step step{};
  const uint32_t size = random() % std::size(sizes), bytes = sizes[size];
  const bool writes = random() % 4 == 0;
  step.block = random() % 2;
  step.warp = random() % 2;
  step.mask = random() % 3 ? all : static_cast<uint32_t>(random());
  step.access = bytes | (writes ? ptx::access_write : read_only);
  step.instruction = 2 * size + writes;
  step.has_values = writes;
  const uint32_t form = random() % 4;
  // Few lines, so that many are read often; and the end of a page.
  const uint64_t begin =
      4096 - 512 + (random() % 2 ? 128 * (random() % 8) : bytes * (random() % 64));
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint64_t place = form == 0 ? random() % (1024 / bytes) : form == 1 ? 0 : lane;
    step.sites[lane] = {0, begin / bytes * bytes + place * bytes};
  }
  return step;
}

// Fewer by default; CUVETTE_TEST_SEEDS says how many.
unsigned launches() {
  const char* const wanted = getenv("CUVETTE_TEST_SEEDS");
  return wanted ? static_cast<unsigned>(atoi(wanted)) : 150;
}

TEST(ReadOnlyWatch, FindsWhatIsReadAndWritten) {
  unsigned mistaken = 0;
  for (unsigned seed = 0; seed < launches(); ++seed) {
    std::mt19937 random(seed);
    Launch launch(2, 64);
    std::set<uint64_t> read, written;
    const unsigned steps = 4 + random() % 60;
    for (unsigned n = 0; n < steps; ++n) {
      if (random() % 8 == 0) launch.meet(random() % 2, 0, {all, all}, true);
      const Step step = drawn(random);
      if (step.mask == 0) continue;
      // Many a launch writes elsewhere.
      if (step.access & ptx::access_write && seed % 2) continue;
      each_lane(step.mask, [&](uint32_t lane) {
        for (uint32_t byte = 0; byte < ptx::access_bytes(step.access); ++byte)
          (step.access & ptx::access_write ? written : read)
              .insert(step.sites[lane].address + byte);
      });
      launch.access(step);
    }
    std::vector<uint64_t> both;
    std::ranges::set_intersection(read, written, std::back_inserter(both));
    const std::vector<uint64_t> found = launch.written_read_only();
    EXPECT_EQ(found.empty(), both.empty()) << seed;
    for (const uint64_t address : found)
      EXPECT_TRUE(std::ranges::binary_search(both, address)) << seed << ": " << address;
    mistaken += !both.empty();
  }
  EXPECT_GT(mistaken, launches() / 8);
}

}  // namespace
}  // namespace cuvette::watch::test
