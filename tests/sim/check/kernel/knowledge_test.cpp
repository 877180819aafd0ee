// SPDX-License-Identifier: Apache-2.0
// Compares Knowledge with a table of every thread of every block.
#include "sim/check/kernel/knowledge.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace cuvette::watch {
namespace {

constexpr uint32_t blocks = 5, threads = 96;

struct KnowledgeAndTable {
  Knowledge::Pointer knowledge;
  std::array<std::array<uint32_t, threads>, blocks> table{};
};

class RandomKnowledge : public testing::TestWithParam<unsigned> {};

TEST_P(RandomKnowledge, IsWhatATableSays) {
  std::mt19937 random(GetParam());
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  std::vector<KnowledgeAndTable> all(8);
  for (int step = 0; step < 300; ++step) {
    KnowledgeAndTable& one = all[below(8)];
    if (below(2) == 0) {
      const KnowledgeAndTable& other = all[below(8)];
      one.knowledge = Knowledge::join(one.knowledge, other.knowledge);
      // What is known already is no new knowledge.
      EXPECT_EQ(Knowledge::join(one.knowledge, other.knowledge).get(), one.knowledge.get());
      for (uint32_t b = 0; b < blocks; ++b)
        for (uint32_t t = 0; t < threads; ++t)
          one.table[b][t] = std::max(one.table[b][t], other.table[b][t]);
    } else {
      KnowledgeAndTable fresh;
      // The last block's number is as large as numbers become.
      const uint32_t b = below(blocks);
      Knowledge::Part part{b == blocks - 1 ? UINT32_MAX : b, below(20), {}};
      for (uint32_t t = 0; t < threads; ++t) {
        fresh.table[b][t] = part.all;
        if (below(9) != 0) continue;
        const uint32_t time = 1 + below(30);
        part.ones.emplace_back(static_cast<uint16_t>(t), time);
        fresh.table[b][t] = std::max(fresh.table[b][t], time);
      }
      for (uint32_t w = 0; w < threads / 32; ++w) {
        if (below(3) != 0) continue;
        const uint32_t time = 1 + below(30);
        part.ones.emplace_back(static_cast<uint16_t>(Knowledge::first_warp + w), time);
        for (uint32_t t = 32 * w; t < 32 * w + 32; ++t)
          fresh.table[b][t] = std::max(fresh.table[b][t], time);
      }
      fresh.knowledge = Knowledge::of(std::move(part));
      one = fresh;
    }
    if (!one.knowledge) continue;
    for (uint32_t b = 0; b < blocks; ++b)
      for (uint32_t t = 0; t < threads; ++t)
        for (const uint32_t time : {one.table[b][t], one.table[b][t] + 1, uint32_t{1}}) {
          if (time == 0) continue;  // nobody
          const Mark mark{b == blocks - 1 ? UINT32_MAX : b, time, static_cast<uint16_t>(t), 0};
          ASSERT_EQ(one.knowledge->knows(mark), time <= one.table[b][t])
              << step << ": " << b << " " << t << " " << time;
        }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomKnowledge, testing::Range(0u, 10u));

}  // namespace
}  // namespace cuvette::watch
