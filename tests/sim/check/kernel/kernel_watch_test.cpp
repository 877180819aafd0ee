// SPDX-License-Identifier: Apache-2.0
// What KernelWatch has to keep of accesses so far, one case after the other; RaceModel looks on.
#include "sim/check/kernel/kernel_watch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "watched_launch.hpp"

namespace cuvette::watch::test {
namespace {

using ptx::Ordering;

constexpr uint32_t of_device = static_cast<uint32_t>(ptx::Scope::device) << ptx::access_scope_shift;

// Lanes access words side by side from `word` on.
Step row(uint32_t instruction, uint32_t access, uint32_t block, uint32_t warp, uint32_t mask,
         uint64_t word) {
  Step step{};
  step.block = block;
  step.warp = warp;
  step.mask = mask;
  step.instruction = instruction;
  step.access = access;
  uint64_t address = 4 * word;
  each_lane(mask, [&](uint32_t lane) {
    step.sites[lane] = {access & ptx::access_shared ? 1 + block : 0, address};
    address += ptx::access_bytes(access);
    step.data[lane][0] = static_cast<uint8_t>(lane + instruction);
  });
  return step;
}

using Found = std::set<Instructions>;

TEST(KernelWatch, FindsAWriteBesideARead) {
  Launch launch(1, 64);
  launch.access(row(0, store, 0, 0, all, 5));
  launch.access(row(1, load, 0, 1, all, 8));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{0, 1, false}}));
}

TEST(KernelWatch, FindsNothingBehindABarrier) {
  Launch launch(1, 64);
  launch.access(row(0, store, 0, 0, all, 5));
  launch.meet(0, 0, {all, all}, true);
  launch.access(row(1, load, 0, 1, all, 8));
  launch.compare();
  EXPECT_EQ(launch.found(), Found{});
}

// Many warps read parts of a line; the one that nobody waits for is among them.
TEST(KernelWatch, KeepsEachReaderOfALine) {
  for (uint32_t racy = 1; racy < 8; ++racy) {
    Launch launch(1, 256);
    for (uint32_t warp = 1; warp < 8; ++warp)
      launch.access(row(warp, load, 0, warp, 0xf, size_t{4} * warp));
    std::vector<uint32_t> waiting(8, all);
    waiting[racy] = 0;
    launch.meet(0, 1, waiting, false);
    launch.access(row(0, store, 0, 0, all, 0));
    launch.compare();
    EXPECT_EQ(launch.found(), (Found{{0, racy, false}}));
  }
}

// A reader that comes after two others takes their place, and leaves room for one that is near.
TEST(KernelWatch, KeepsTwoReadersThatNothingOrders) {
  Launch launch(1, 96);
  launch.access(row(5, 1, 0, 0, 1, 20));  // byte by byte from here on
  launch.access(row(0, load, 0, 0, 1, 0));
  launch.access(row(1, load, 0, 1, 1, 0));
  launch.meet(0, 1, {1, all, 0}, false);
  launch.access(row(2, load, 0, 0, 1, 0));
  launch.access(row(3, load, 0, 0, 2, 0));
  launch.meet(0, 1, {1, 0, all}, false);
  launch.access(row(4, store, 0, 2, 1, 0));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{3, 4, false}}));
}

// Rows that begin at one place, of words and of pairs: only the first word is the same thread's.
TEST(KernelWatch, TellsRowsOfOtherSizesApart) {
  for (const uint32_t bytes : {8u, 16u}) {
    Launch launch(1, 32);
    launch.access(row(0, store, 0, 0, all, 0));
    launch.access(row(1, bytes, 0, 0, all, 0));
    launch.compare();
    EXPECT_EQ(launch.found(), (Found{{0, 1, false}}));
  }
}

// A line that three rows have read is cut: of a thread's own reads the last one counts.
TEST(KernelWatch, KeepsTwoReadersOfALineThatIsCut) {
  Launch launch(1, 96);
  launch.access(row(0, load, 0, 0, all, 0));
  launch.access(row(1, load, 0, 1, all, 0));
  launch.access(row(2, 8, 0, 0, all, 0));
  launch.access(row(3, 1, 0, 0, 1, 20));
  launch.meet(0, 1, {all, 0, all}, false);
  launch.access(row(4, store, 0, 2, 1, 0));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{1, 4, false}}));
}

// Of lanes that read the same word together, the first and the last one.
TEST(KernelWatch, KeepsTwoReadersOfAWordThatManyReadTogether) {
  for (const bool in_words : {false, true})
    for (const uint32_t awaited : {1u, 2u}) {
      Launch launch(1, 64);
      if (in_words) launch.access(row(3, load | ptx::access_strong, 0, 0, 1, 20));
      Step together = row(0, load, 0, 0, 3, 0);
      together.sites[1] = together.sites[0];
      launch.access(together);
      if (!in_words) launch.access(row(1, 1, 0, 0, 1, 20));
      launch.meet(0, 1, {awaited, all}, false);
      launch.access(row(2, store, 0, 1, 1, 0));
      launch.compare();
      EXPECT_EQ(launch.found(), (Found{{0, 2, false}}));
    }
}

// Accesses whose scope is the block stand neither for weak ones nor for those of a wider scope.
TEST(KernelWatch, KeepsWhatABlocksOwnAccessesDoNotStandFor) {
  constexpr uint32_t narrow = ptx::access_strong, wide = ptx::access_strong | of_device;
  const auto found = [](uint32_t first, uint32_t second, uint32_t last, uint32_t block) {
    Launch launch(2, 64);
    launch.access(row(0, first, 0, 0, 1, 0));
    launch.access(row(1, second, 0, 0, 1, 0));
    launch.access(row(2, last, block, 1, 1, 0));
    launch.compare();
    return launch.found();
  };
  EXPECT_EQ(found(store, store | narrow, store | narrow, 0), (Found{{0, 2, false}}));
  EXPECT_EQ(found(store | narrow, store | wide, store | wide, 1), (Found{{0, 2, false}}));
  EXPECT_EQ(found(load, load | narrow, store | narrow, 0), (Found{{0, 2, false}}));
  EXPECT_EQ(found(load | narrow, load | wide, store | wide, 1), (Found{{0, 2, false}}));
  EXPECT_EQ(found(store | wide, store | wide, store | wide, 1), Found{});
}

// Two blocks' strong reads say nothing of a plain one, with which a strong write races.
TEST(KernelWatch, KeepsAPlainReadBehindStrongOnes) {
  constexpr uint32_t wide = ptx::access_strong | of_device;
  Launch launch(2, 64);
  launch.access(row(0, load | wide, 0, 0, 1, 0));
  launch.access(row(1, load | wide, 1, 0, 1, 0));
  launch.access(row(2, load, 1, 0, 1, 0));
  launch.access(row(3, store | wide, 0, 0, 1, 0));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{2, 3, false}}));
}

// Of strong writes that nothing orders two are kept, and a warp's reads are compared with both.
TEST(KernelWatch, KeepsTwoStrongWritesThatNothingOrders) {
  constexpr uint32_t wide = ptx::access_strong | of_device;
  Launch launch(1, 64);
  launch.access(row(0, store | wide, 0, 1, 1, 0));
  launch.access(row(1, store | wide, 0, 0, 1, 0));
  launch.orders(0, 0, all, Ordering::warp, uint64_t{all});
  launch.model.order([&](OrderModel& model) { model.sync(launch.threads_of(0, 0, all)); });
  launch.access(row(2, load, 0, 0, all, 0));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{0, 2, false}}));
}

// Most of what kernels do is only noted: lines of a warp's own, and what barriers hand on.
TEST(KernelWatch, NotesLinesThatOneWarpHasAtATime) {
  Launch launch(1, 64);
  launch.access(row(0, store, 0, 0, all, 1024));  // the first one opens the lines around it
  const uint64_t before = launch.note_line();
  launch.access(row(1, load, 0, 0, all, 1056));
  launch.access(row(2, store, 0, 0, all, 1056));
  launch.access(row(3, store | ptx::access_shared, 0, 1, all, 64));
  launch.meet(0, 0, {all, all}, true);
  launch.access(row(4, load, 0, 1, all, 1056));
  launch.access(row(5, load | ptx::access_shared, 0, 0, all, 64));
  EXPECT_EQ(launch.note_line() - before, 5u);
  launch.access(row(6, store, 0, 0, all, 1056));  // while the other warp may read
  EXPECT_EQ(launch.note_line() - before, 5u);
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{4, 6, false}}));
}

// A line that need not be told of any more is one of which there is more to tell once a lane
// writes.
TEST(KernelWatch, HearsOfAQuietLineAgainOnceALaneWrites) {
  for (const uint32_t space : {uint32_t{0}, uint32_t{ptx::access_shared}}) {
    Launch launch(1, 128);
    launch.access(row(0, store | space, 0, 0, all, 64));
    launch.meet(0, 0, {all, all, all, all}, true);
    for (uint32_t warp = 0; warp < 3; ++warp) launch.access(row(1, load | space, 0, warp, all, 64));
    const uint64_t before = launch.quiet();
    launch.access(row(1, load | space, 0, 3, all, 64));
    EXPECT_EQ(launch.quiet(), before + 1);
    launch.access(row(2, store | space, 0, 0, 1, 70));
    launch.access(row(3, load | space, 0, 1, all, 64));
    EXPECT_EQ(launch.quiet(), before + 1);
    launch.compare();
    const bool shared = space != 0;
    EXPECT_EQ(launch.found(), (Found{{1, 2, shared}, {2, 3, shared}}));
  }
}

// A warp reads one part of a line after the other; another warp writes to the first.
TEST(KernelWatch, KeepsWhatPartsOfAWarpHaveRead) {
  for (const uint32_t space : {uint32_t{0}, uint32_t{ptx::access_shared}}) {
    Launch launch(1, 64);
    for (uint32_t part = 0; part < 4; ++part) {
      launch.access(row(part, load | space, 0, 0, 0xffu << (8 * part), 64 + 8 * part));
      launch.orders(0, 0, all, Ordering::warp, uint64_t{all});
      launch.model.order([&](OrderModel& model) { model.sync(launch.threads_of(0, 0, all)); });
    }
    launch.access(row(4, store | space, 0, 1, all, 64));
    launch.compare();
    const bool shared = space != 0;
    EXPECT_EQ(launch.found(),
              (Found{{0, 4, shared}, {1, 4, shared}, {2, 4, shared}, {3, 4, shared}}));
  }
}

// A copy below an atomic operation ends like all others.
TEST(KernelWatch, EndsCopiesThatOthersHaveWrittenOver) {
  constexpr uint32_t shared = ptx::access_shared;
  Launch launch(1, 32);
  launch.access(row(0, store | shared | ptx::access_async, 0, 0, 1, 0));
  launch.orders(0, 0, 1, Ordering::async_groups, uint64_t{0});
  launch.model.commit(0);
  launch.access(row(1, store | shared | ptx::access_strong | of_device, 0, 0, 1, 0));
  launch.orders(0, 0, 1, Ordering::async_wait, uint64_t{0});
  launch.model.wait(0, 0);
  launch.access(row(2, load | shared, 0, 0, 1, 0));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{0, 1, true}}));
}

// What was released at a place is gone once somebody has written there.
TEST(KernelWatch, ForgetsAReleaseBehindAWeakWrite) {
  constexpr uint32_t strong = ptx::access_strong | of_device;
  for (const bool gone : {false, true}) {
    Launch launch(1, 64);
    launch.access(row(0, store, 0, 0, 1, 100));
    launch.access(row(1, store | strong | ptx::access_release, 0, 0, 1, 0));
    if (gone) launch.access(row(2, store, 0, 0, all, 0));
    launch.access(row(3, load | strong | ptx::access_acquire, 0, 1, 1, 0));
    launch.access(row(4, load, 0, 1, 1, 100));
    launch.compare();
    EXPECT_EQ(launch.found(), (gone ? Found{{0, 4, false}, {2, 3, false}} : Found{}));
  }
}

// While the first group is over, the second is under way, and what is in no group yet.
TEST(KernelWatch, WaitsForGroupsOfCopies) {
  constexpr uint32_t copy = store | ptx::access_shared | ptx::access_async;
  Launch launch(1, 32);
  for (uint32_t n = 0; n < 3; ++n) {
    launch.access(row(n, copy, 0, 0, 1, n));
    if (n == 2) break;
    launch.orders(0, 0, 1, Ordering::async_groups, uint64_t{0});
    launch.model.commit(0);
  }
  launch.orders(0, 0, 1, Ordering::async_wait, uint64_t{1});
  launch.model.wait(0, 1);
  for (uint32_t n = 0; n < 3; ++n) launch.access(row(3 + n, load | ptx::access_shared, 0, 0, 1, n));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{1, 4, true}, {2, 5, true}}));
}

}  // namespace
}  // namespace cuvette::watch::test
