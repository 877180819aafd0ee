// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/identity.hpp"

#include <gtest/gtest.h>

namespace cuvette::memory {
namespace {

Ref<Allocation> allocation(AllocationKind kind, uint64_t id, const Ref<os::Segment>& segment = {}) {
  auto made = make_ref<Allocation>();
  made->kind = kind;
  made->buffer_id = id;
  made->segment = segment;
  made->address = 0x10000 * id;
  made->offset = 0x2000;
  return made;
}

TEST(Identity, IsTheSegmentsForMappingsAndTheAllocationsForOthers) {
  const Ref<os::Segment> one = os::Segment::create("one", 1 << 16).value();
  const Ref<os::Segment> other = os::Segment::create("one", 1 << 16).value();
  const auto mapped = allocation(AllocationKind::external, 1, one);
  const auto again = allocation(AllocationKind::mapping, 2, one);
  const auto elsewhere = allocation(AllocationKind::external, 3, other);
  const auto plain = allocation(AllocationKind::device, 4);
  // It lies in a segment, too, but as the only one there.
  const auto part = allocation(AllocationKind::pool, 5, one);
  EXPECT_EQ(Identity::of(*mapped), Identity::of(*again));
  EXPECT_NE(Identity::of(*mapped), Identity::of(*elsewhere));
  EXPECT_NE(Identity::of(*mapped), Identity::of(*part));
  EXPECT_NE(Identity::of(*plain), Identity::of(*part));
  EXPECT_NE(Identity::of(*plain), Identity());
  EXPECT_EQ(Identity::base_of(*mapped), 0x10000u - 0x2000u);
  EXPECT_EQ(Identity::base_of(*plain), 0x40000u);
}

TEST(MemoryMap, ForgetsMemoryThatHasEnded) {
  MemoryMap<bool> ended;  // by memory
  const auto has_ended = [](bool value) { return value; };
  for (uint64_t id = 1; id <= 1000; ++id)
    ended.at(Identity::of(*allocation(AllocationKind::device, id)), has_ended) = id % 100 != 0;
  EXPECT_LE(ended.size(), 128u);
  const bool* const kept = ended.find(Identity::of(*allocation(AllocationKind::device, 100)));
  ASSERT_TRUE(kept);
  EXPECT_FALSE(*kept);
  ended.erase(Identity::of(*allocation(AllocationKind::device, 100)));
  EXPECT_FALSE(ended.find(Identity::of(*allocation(AllocationKind::device, 100))));
}

}  // namespace
}  // namespace cuvette::memory
