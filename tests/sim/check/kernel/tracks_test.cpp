// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/tracks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>

namespace cuvette::watch {
namespace {

using ptx::NumberedAccess;

constexpr uint32_t wide = static_cast<uint32_t>(ptx::Scope::device) << ptx::access_scope_shift;
constexpr uint32_t strong = ptx::access_strong | wide;
// An address that no memory has: tracks are about numbers only.
constexpr uint64_t window = uint64_t{5} << 40, window_bytes = uint64_t{64} << 20;

NumberedAccess access(uint64_t location, uint32_t how) { return {location, how}; }

TEST(Tracks, SayWhichBytesWereTouchedHowAndByWhat) {
  const NumberedAccess all[] = {access(10, 4), access(20, 4 | ptx::access_write),
                                access(30, 4 | ptx::access_write | ptx::access_atomic | strong),
                                access(40, 1)};
  Tracks tracks(window, window_bytes, all);
  ASSERT_NE(tracks.bytes(), 0u);
  tracks.leave(window + 64, 128, 4, 1);
  tracks.leave(window + 192, 64, 4 | ptx::access_write, 2);
  tracks.leave(window + 200, 4, 4, 1);
  tracks.leave(window + 256, 4, 4 | ptx::access_write | ptx::access_atomic | strong, 3);
  tracks.leave(window + 261, 1, 1, 4);
  tracks.end();
  ASSERT_EQ(tracks.touched().size(), 6u);
  const auto is = [&](size_t n, uint64_t begin, uint64_t end, bool reads, bool writes, bool atomic,
                      uint64_t location) {
    const Touched& touched = tracks.touched()[n];
    EXPECT_EQ(touched.begin, window + begin);
    EXPECT_EQ(touched.end, window + end);
    EXPECT_EQ(touched.reads, reads);
    EXPECT_EQ(touched.writes, writes);
    EXPECT_EQ(touched.atomic, atomic);
    EXPECT_EQ(touched.by.place.location, location);
    EXPECT_EQ(touched.by.thread, Accessor::some_thread);
  };
  is(0, 64, 192, true, false, false, 10);
  is(1, 192, 200, false, true, false, 20);
  is(2, 200, 204, true, true, false, 20);
  is(3, 204, 256, false, true, false, 20);
  is(4, 256, 260, true, true, true, 30);
  is(5, 261, 262, true, false, false, 40);
  EXPECT_EQ(tracks.toucher(window + 201).place.location, 20u);
  EXPECT_EQ(tracks.toucher(window + 260).place.location, 0u);
  EXPECT_EQ(tracks.toucher(window + 261).place.location, 40u);
}

TEST(Tracks, StrongAndWeakAccessesOfOneByteAreWeak) {
  const NumberedAccess all[] = {access(1, 4 | strong), access(2, 2)};
  Tracks tracks(window, window_bytes, all);
  tracks.leave(window, 4, 4 | strong, 1);
  tracks.leave(window, 2, 2, 2);
  tracks.end();
  ASSERT_EQ(tracks.touched().size(), 2u);
  EXPECT_FALSE(tracks.touched()[0].atomic);
  EXPECT_EQ(tracks.touched()[0].end, window + 2);
  EXPECT_TRUE(tracks.touched()[1].atomic);
}

TEST(Tracks, ThatWereLookedAtAreGone) {
  for (int turn = 0; turn < 3; ++turn) {
    const NumberedAccess all[] = {access(1, 4), access(2, 1 | ptx::access_write)};
    Tracks tracks(window, window_bytes, all);
    if (turn != 1) {
      // Rows that begin in one stretch, and in one region, and end in the next.
      tracks.leave(window + (uint64_t{1} << ptx::TrackPlane::region_shift) - 64, 128, 4, 1);
      tracks.leave(window + (uint64_t{1} << ptx::TrackPlane::stretch_shift) - 1, 2,
                   1 | ptx::access_write, 2);
    }
    tracks.end();
    ASSERT_EQ(tracks.touched().size(), turn == 1 ? 0u : 2u) << turn;
  }
}

TEST(Tracks, WithoutAWindowAreKeptInPages) {
  const NumberedAccess all[] = {access(7, 16)};
  Tracks tracks(0, 0, all);
  EXPECT_EQ(tracks.bytes(), 0u);
  tracks.leave(4096 - 8, 16, 16, 1);
  tracks.end();
  ASSERT_EQ(tracks.touched().size(), 1u);
  EXPECT_EQ(tracks.touched()[0].begin, 4088u);
  EXPECT_EQ(tracks.touched()[0].end, 4104u);
}

TEST(Tracks, OfTheMachineHaveNumbersOfTheirOwn) {
  const NumberedAccess all[] = {access(1, 4)};
  Tracks tracks(window, window_bytes, all);
  EXPECT_EQ(tracks.number_of(1, 4), 1);
  EXPECT_EQ(tracks.number_of(9, 8 | ptx::access_write), 2);
  EXPECT_EQ(tracks.number_of(9, 8 | ptx::access_write), 2);
  tracks.leave(window, 8, 8 | ptx::access_write, 2);
  // There are no more than a byte can tell apart.
  for (uint64_t n = 10; n < 600; ++n) tracks.number_of(n, 4);
  EXPECT_EQ(tracks.number_of(700, 4), ptx::most_tracked);
  tracks.leave(window + 8, 2, 2, ptx::most_tracked);
  tracks.end();
  ASSERT_EQ(tracks.touched().size(), 2u);
  EXPECT_EQ(tracks.touched()[0].by.place.location, 9u);
  EXPECT_EQ(tracks.touched()[1].by.place.location, 0u);
}

TEST(Tracks, ManyPartsOfDifferentInstructionsAreOne) {
  const NumberedAccess all[] = {access(1, 4), access(2, 4)};
  Tracks tracks(window, window_bytes, all);
  for (uint64_t n = 0; n < 10'000; ++n) tracks.leave(window + 4 * n, 4, 4, 1 + n % 2);
  tracks.end();
  EXPECT_LT(tracks.touched().size(), 1000u);
  EXPECT_EQ(tracks.touched().front().begin, window);
  EXPECT_EQ(tracks.touched().back().end, window + 40'000);
  for (size_t n = 1; n < tracks.touched().size(); ++n)
    ASSERT_EQ(tracks.touched()[n - 1].end, tracks.touched()[n].begin);
}

// Random accesses, also outside of the window and across its ends, against an account of bytes.
TEST(Tracks, AreThoseOfAPlainAccount) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](uint64_t n) { return random() % n; };
    // Half of all windows do not begin or end with a region.
    const uint64_t begin = window + (seed % 2 ? below(1000) * 2048 : 0);
    const uint64_t bytes = window_bytes - (seed % 2 ? below(1000) * 2048 : 0);
    std::vector<NumberedAccess> all;
    for (int n = 0; n < 12; ++n) {
      uint32_t how = uint32_t{1} << below(5);
      if (below(2)) how |= ptx::access_write;
      if (below(3) == 0) how |= strong;
      if (below(6) == 0) how |= ptx::access_strong;  // in the block
      all.push_back(access(100 + static_cast<uint64_t>(n), how));
    }
    struct Byte {
      bool writes = false, weak = false;
      std::set<uint64_t> by, writers;
    };
    std::map<uint64_t, Byte> account;
    Tracks tracks(begin, bytes, all);
    const uint64_t places[] = {begin,
                               begin + below(bytes),
                               begin + bytes - 4096,
                               begin - 100'000,
                               begin + bytes + (uint64_t{40} << 20),
                               (begin >> 24 << 24) + (uint64_t{1} << 24)};
    for (uint64_t n = below(60); n > 0; --n) {
      const size_t number = below(all.size());
      const uint32_t how = all[number].access, each = ptx::access_bytes(how);
      const uint64_t at = (places[below(std::size(places))] + below(4096) - 2048) / each * each;
      const uint64_t size = each * (1 + below(below(2) ? 2 : 100));
      tracks.leave(at, size, how, static_cast<uint8_t>(number + 1));
      for (uint64_t b = at; b < at + size; ++b) {
        Byte& byte = account[b];
        const bool writes = how & ptx::access_write;
        byte.writes |= writes;
        byte.weak |= !ptx::tracks_strong(ptx::track_plane(how));
        (writes ? byte.writers : byte.by).insert(100 + number);
      }
    }
    tracks.end();
    auto next = account.begin();
    uint64_t behind = 0;
    for (const Touched& touched : tracks.touched()) {
      ASSERT_LE(behind, touched.begin);
      ASSERT_LT(touched.begin, touched.end);
      behind = touched.end;
      for (uint64_t b = touched.begin; b < touched.end; ++b, ++next) {
        ASSERT_NE(next, account.end());
        ASSERT_EQ(next->first, b);
        ASSERT_EQ(next->second.writes, touched.writes);
        ASSERT_EQ(!next->second.weak, touched.atomic);
        const auto& who = touched.writes ? next->second.writers : next->second.by;
        ASSERT_TRUE(who.contains(tracks.toucher(b).place.location));
      }
    }
    ASSERT_EQ(next, account.end());
  }
}

TEST(Tracks, OfThreadsAtOnceAreAllThere) {
  const NumberedAccess all[] = {access(1, 4 | ptx::access_write)};
  Tracks tracks(window, window_bytes, all);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&tracks, t] {
      for (uint64_t n = 0; n < 2000; ++n) {
        tracks.leave(window + 4 * (4 * n + t), 4, 4 | ptx::access_write, 1);
        tracks.leave(4096 + 4 * (4 * n + t), 4, 4 | ptx::access_write, 1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  tracks.end();
  ASSERT_EQ(tracks.touched().size(), 2u);
  EXPECT_EQ(tracks.touched()[0].end - tracks.touched()[0].begin, 32'000u);
  EXPECT_EQ(tracks.touched()[1].end - tracks.touched()[1].begin, 32'000u);
}

}  // namespace
}  // namespace cuvette::watch
