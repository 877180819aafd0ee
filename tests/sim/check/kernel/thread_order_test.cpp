// SPDX-License-Identifier: Apache-2.0
// Compares ThreadOrder with a clock of every thread for every thread, which knows nothing of blocks
// or warps.
#include "sim/check/kernel/thread_order.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

namespace cuvette::watch {
namespace {

using Times = std::vector<uint32_t>;  // of each thread's accesses, the last that is known

// Blocks of threads, each with what it knows of all others.
class Table {
 public:
  Table(uint32_t blocks, uint32_t threads) : threads_(threads), all_(blocks * threads) {
    for (Thread& one : all_) one.known.resize(blocks * threads);
    for (size_t i = 0; i < all_.size(); ++i) all_[i].number = i;
  }
  struct Thread {
    size_t number = 0;
    uint32_t accesses = 0;
    Times known, fence, seen_of_block, seen_of_others;
    bool wide = false;
  };
  Thread& of(uint32_t block, uint32_t thread) { return all_[block * threads_ + thread]; }
  static void join(Times& into, const Times& from) {
    if (into.empty()) into = from;
    for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
  }
  // What the thread knows, its own accesses included.
  static Times now(const Thread& one) {
    Times times = one.known;
    times[one.number] = one.accesses;
    return times;
  }
  static void meet(const std::vector<Thread*>& members, const Times& more) {
    Times all = more;
    for (const Thread* one : members) join(all, now(*one));
    for (Thread* one : members) join(one->known, all);
  }

 private:
  const uint32_t threads_;
  std::vector<Thread> all_;
};

// An access, as both sides name it.
struct NumberedMark {
  Mark mark;
  size_t number;    // of the thread
  uint32_t access;  // which of its accesses
};

class RandomOrder : public testing::TestWithParam<std::tuple<unsigned, uint32_t>> {};

TEST_P(RandomOrder, IsWhatATableOfThreadsSays) {
  const auto [seed, threads] = GetParam();
  std::mt19937 random(seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  constexpr uint32_t blocks = 3, places = 4;
  Table table(blocks, threads);
  std::vector<ThreadOrder> orders;
  for (uint32_t b = 0; b < blocks; ++b) orders.emplace_back(threads, b);
  struct Place {
    Released released;
    Times times;
    uint32_t block = 0;
    bool wide = false;
  } at[places];
  std::vector<NumberedMark> accesses;
  size_t ordered = 0, asked = 0;
  for (int step = 0; step < 800; ++step) {
    const uint32_t b = below(blocks), t = below(threads), warp = t / 32;
    ThreadOrder& order = orders[b];
    Table::Thread& thread = table.of(b, t);
    const uint32_t all = order.lanes_of(warp);
    uint32_t mask = all & static_cast<uint32_t>(random());
    if (below(2) == 0 || mask == 0) mask = all;
    const auto lanes = [&](uint32_t of_warp, uint32_t which) {
      std::vector<Table::Thread*> list;
      for (uint32_t lane = 0; lane < 32; ++lane)
        if (which >> lane & 1) list.push_back(&table.of(b, of_warp * 32 + lane));
      return list;
    };
    switch (below(9)) {
      case 0:
      case 1:
        accesses.push_back(
            {{b, order.now(), static_cast<uint16_t>(t), 0}, thread.number, ++thread.accesses});
        if (accesses.size() > 200) accesses.erase(accesses.begin());
        break;
      case 2:
        order.sync_warp(warp, mask);
        Table::meet(lanes(warp, mask), {});
        break;
      case 3: {  // a barrier, of the whole block or of some warps
        const bool whole = below(3) == 0;
        std::vector<ThreadOrder::Waiting> waiting;
        std::vector<Table::Thread*> members;
        for (uint32_t w = 0; w * 32 < threads; ++w) {
          if (!whole && below(2) == 0) continue;
          const uint32_t some = whole || below(2) ? order.lanes_of(w) : order.lanes_of(w) & 0x5a5a;
          if (some == 0) continue;
          waiting.push_back({w, some});
          for (Table::Thread* one : lanes(w, some)) members.push_back(one);
        }
        for (Table::Thread* one : members) {
          if (!one->seen_of_block.empty()) Table::join(one->known, one->seen_of_block);
          if (!one->seen_of_others.empty()) Table::join(one->known, one->seen_of_others);
          one->seen_of_block = one->seen_of_others = {};
        }
        order.meet(below(17), waiting, whole);
        Table::meet(members, {});
        break;
      }
      case 4: {
        const bool wide = below(2);
        order.fence(warp, mask, wide ? ptx::Scope::device : ptx::Scope::block);
        for (Table::Thread* one : lanes(warp, mask)) {
          if (!one->seen_of_block.empty()) Table::join(one->known, one->seen_of_block);
          one->seen_of_block = {};
          if (wide) {
            if (!one->seen_of_others.empty()) Table::join(one->known, one->seen_of_others);
            one->seen_of_others = {};
          }
          one->fence = Table::now(*one);
          one->wide = wide;
        }
        break;
      }
      case 5: {  // a strong write
        Place& place = at[below(places)];
        place = {order.released_by_fence(t), thread.fence, b, thread.wide};
        EXPECT_EQ(static_cast<bool>(place.released), !place.times.empty());
        break;
      }
      case 6: {  // a release
        const bool wide = below(2);
        at[below(places)] = {order.release(t, wide), Table::now(thread), b, wide};
        break;
      }
      default: {  // a strong read, which may acquire
        const Place& place = at[below(places)];
        if (place.times.empty()) break;
        const bool acquires = below(2), wide = below(2), own = place.block == b;
        order.sees(t, place.released, acquires, wide);
        if (!own && !place.wide) break;
        if (acquires) {
          if (own || wide) Table::join(thread.known, place.times);
        } else {
          Table::join(own ? thread.seen_of_block : thread.seen_of_others, place.times);
        }
      }
    }
    for (const NumberedMark& access : accesses) {
      const uint32_t asking = below(threads), of = below(blocks);
      const Table::Thread& one = table.of(of, asking);
      const bool wanted = one.number == access.number || one.known[access.number] >= access.access;
      ordered += wanted;
      ++asked;
      ASSERT_EQ(orders[of].comes_before(access.mark, asking), wanted)
          << step << ": thread " << access.number << " before " << one.number;
    }
  }
  EXPECT_GT(ordered, asked / 50);
  EXPECT_LT(ordered, asked);
}
INSTANTIATE_TEST_SUITE_P(Shapes, RandomOrder,
                         testing::Combine(testing::Range(0u, 6u),
                                          testing::Values(1u, 31u, 33u, 64u, 200u, 1024u)));

TEST(ThreadOrder, ReadsAreOverOnceRegistersAreExchanged) {
  ThreadOrder order(64);
  const Mark read{0, order.now(), 5, 0};
  EXPECT_FALSE(order.read_comes_before(read, 6));
  order.exchange(0, UINT32_MAX);
  EXPECT_TRUE(order.read_comes_before(read, 6));
  EXPECT_FALSE(order.read_comes_before(read, 38));
  EXPECT_FALSE(order.comes_before(read, 6));
}

TEST(ThreadOrder, ReadsAreOverOnceARelaxedFlagIsSeen) {
  ThreadOrder first(32, 0), second(32, 1);
  const Mark read{0, first.now(), 5, 0};
  first.sync_warp(0, UINT32_MAX);
  const auto flag = first.reads_until_now(0);
  second.sees_reads(7, flag);
  EXPECT_TRUE(second.read_comes_before(read, 7));
  EXPECT_FALSE(second.read_comes_before(read, 8));
  EXPECT_FALSE(second.comes_before(read, 7));
}

// Even where all threads of the block wait or arrive.
TEST(ThreadOrder, WhoArrivesAtABarrierDoesNotComeAfterThoseThatWait) {
  ThreadOrder order(64);
  const Mark waits{0, order.now(), 5, 0}, arrives{0, order.now(), 37, 0};
  order.arrive(1, 1, UINT32_MAX);
  const Mark later{0, order.now(), 37, 0};
  order.meet(1, {{0, UINT32_MAX}}, true);
  EXPECT_TRUE(order.comes_before(arrives, 5));
  EXPECT_FALSE(order.comes_before(waits, 37));
  EXPECT_FALSE(order.comes_before(later, 5));
}

TEST(ThreadOrder, NothingComesAfterACopyUnderWay) {
  ThreadOrder order(32);
  const Mark copy{0, order.now(), 5 | Mark::async, 0};
  order.meet(0, {{0, UINT32_MAX}}, true);
  EXPECT_FALSE(order.comes_before(copy, 5));
}

}  // namespace
}  // namespace cuvette::watch
