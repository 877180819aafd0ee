// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/meeting_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace cuvette::watch {
namespace {

using Kind = MeetingMistake::Kind;
using ptx::Ordering;

class Scene {
 public:
  explicit Scene(uint32_t threads) : rules_(std::in_place, threads, mistakes_) {}

  void come(Ordering what, uint32_t warp, uint32_t mask, uint64_t operand) {
    std::array<uint64_t, 32> operands;
    operands.fill(operand);
    come(what, warp, mask, operands);
  }
  void come(Ordering what, uint32_t warp, uint32_t mask, const std::array<uint64_t, 32>& operands) {
    rules_->orders({what, operands.data(), mask, warp, ++location_}, context_);
  }
  void barrier(uint32_t warp, uint32_t mask, uint32_t threads = 0, bool arrives = false) {
    come(Ordering::barrier, warp, mask, ptx::barrier_operand(0, threads, true, arrives));
  }
  MeetingRules& rules() { return *rules_; }
  // Ends the block. Returns the kinds of what was found, in order.
  std::vector<Kind> end() {
    rules_.reset();
    std::vector<Kind> kinds;
    for (const MeetingMistake& one : mistakes_.all()) kinds.push_back(one.kind);
    return kinds;
  }
  const std::vector<MeetingMistake>& found() const { return mistakes_.all(); }

 private:
  MeetingMistakes mistakes_;
  std::optional<MeetingRules> rules_;
  uint64_t location_ = 0;
  ptx::BlockContext context_{};
};

using Kinds = std::vector<Kind>;
constexpr uint32_t all = UINT32_MAX;

TEST(MeetingRules, LetWholeWarpsMeet) {
  Scene scene(70);
  scene.barrier(0, all);
  scene.barrier(1, all);
  scene.barrier(2, 0x3f);  // the rest of the block
  scene.rules().meet(0, 0b111, true);
  EXPECT_EQ(scene.end(), Kinds{});
}

TEST(MeetingRules, NameTheThreadThatDoesNotCome) {
  Scene scene(64);
  scene.barrier(1, all & ~(1u << 5));
  ASSERT_EQ(scene.found().size(), 1u);
  EXPECT_EQ(scene.found()[0].thread, 37u);
  EXPECT_EQ(scene.end(), Kinds{Kind::part_of_warp});
}

TEST(MeetingRules, MissWarpsThatHaveEnded) {
  Scene scene(96);
  scene.barrier(0, all);
  scene.barrier(2, all);
  scene.rules().meet(0, 0b101, true);
  ASSERT_EQ(scene.found().size(), 1u);
  EXPECT_EQ(scene.found()[0].thread, 32u);
  EXPECT_EQ(scene.end(), Kinds{Kind::part_of_block});
}

TEST(MeetingRules, LetSomeWarpsMeetAmongThemselves) {
  Scene scene(128);
  scene.barrier(0, all, 64);
  scene.barrier(3, all, 64);
  scene.rules().meet(0, 0b1001, false);
  EXPECT_EQ(scene.end(), Kinds{});
}

TEST(MeetingRules, DoNotMissThoseThatWentOn) {
  Scene scene(64);
  scene.barrier(0, all, 0, true);
  scene.barrier(1, all);
  scene.rules().meet(0, 0b10, true);
  EXPECT_EQ(scene.end(), Kinds{});
}

TEST(MeetingRules, CountThreads) {
  Scene scene(64);
  scene.barrier(0, all, 48);
  scene.barrier(1, all, 96);
  const Kinds expected{Kind::part_of_a_warp, Kind::too_many, Kind::other_count};
  EXPECT_EQ(scene.end(), expected);
}

TEST(MeetingRules, TakeTheBlocksSizeForAll) {
  Scene scene(60);
  scene.barrier(0, all);
  scene.barrier(1, 0x0fffffff, 64);
  EXPECT_EQ(scene.end(), Kinds{});
}

TEST(MeetingRules, WantMembersOnly) {
  Scene scene(32);
  scene.come(Ordering::collective, 0, 0b110, 0b010);
  EXPECT_EQ(scene.end(), Kinds{Kind::no_member});
}

TEST(MeetingRules, TakeAbsentLanesForEndedUntilTheyAreSeen) {
  Scene quiet(32), alive(32);
  quiet.come(Ordering::collective, 0, 0xff, all);
  EXPECT_EQ(quiet.end(), Kinds{});
  alive.come(Ordering::collective, 0, 0xff, all);
  alive.rules().seen(0, 0xff);
  alive.rules().seen(1, all);  // another warp
  EXPECT_TRUE(alive.found().empty());
  alive.rules().seen(0, 0x100);
  EXPECT_EQ(alive.end(), Kinds{Kind::absent_member});
}

TEST(MeetingRules, LetGroupsExchange) {
  Scene scene(32);
  std::array<uint64_t, 32> members;
  for (uint32_t lane = 0; lane < 32; ++lane) members[lane] = lane % 2 ? 0xaaaaaaaa : 0x55555555;
  scene.come(Ordering::collective, 0, all, members);
  scene.rules().seen(0, all);
  EXPECT_EQ(scene.end(), Kinds{});
}

TEST(MeetingRules, FindThatABarrierOfTheWarpIsMissed) {
  Scene scene(32);
  scene.come(Ordering::warp, 0, 0xffff, all);
  scene.rules().seen(0, 0xffff0000);
  EXPECT_TRUE(scene.found().empty()) << "they may be on their way";
  scene.barrier(0, all);
  EXPECT_EQ(scene.end(), Kinds{Kind::absent_member});
}

// --- The values that shuffles take ---

// Each lane takes the value of the lane `distance` further, if that is below `end`.
std::array<uint64_t, 32> down(uint32_t named, uint32_t distance, uint32_t end = 32) {
  std::array<uint64_t, 32> operands;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t source = lane + distance < end ? lane + distance + 1 : 0;
    operands[lane] = named | uint64_t{source} << ptx::source_shift;
  }
  return operands;
}

TEST(MeetingRules, LetMembersTakeValuesOfMembers) {
  Scene scene(32);
  scene.come(Ordering::collective, 0, all, down(all, 1));
  scene.come(Ordering::collective, 0, 0xffff, down(0xffff, 1, 16));
  EXPECT_EQ(scene.end(), Kinds{});
}

TEST(MeetingRules, NameTheReaderOfWhatIsNoMembers) {
  Scene scene(64);
  scene.come(Ordering::collective, 1, 0xffff, down(0xffff, 4));
  ASSERT_EQ(scene.found().size(), 1u);
  EXPECT_EQ(scene.found()[0].thread, 44u);
  EXPECT_EQ(scene.found()[0].source, 48u);
  EXPECT_EQ(scene.end(), Kinds{Kind::foreign_source});
}

TEST(MeetingRules, MissTheValueOfALaneThatHasEnded) {
  Scene ended(32), alive(32), beyond(20);
  ended.come(Ordering::collective, 0, 0xff, down(all, 1));
  EXPECT_TRUE(ended.found().empty()) << "it may be seen yet";
  EXPECT_EQ(ended.end(), Kinds{Kind::absent_source});
  ASSERT_EQ(ended.found().size(), 1u);
  EXPECT_EQ(ended.found()[0].thread, 7u);
  EXPECT_EQ(ended.found()[0].source, 8u);
  alive.come(Ordering::collective, 0, 0xff, down(all, 1));
  alive.rules().seen(0, 0xff00);
  EXPECT_EQ(alive.end(), Kinds{Kind::absent_member});
  beyond.come(Ordering::collective, 0, 0xfffff, down(all, 1));
  EXPECT_EQ(beyond.end(), Kinds{Kind::absent_source});
}

// Whatever lanes there are, and whoever takes whose value.
TEST(MeetingRules, JudgeEachValueThatIsTaken) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Scene scene(32);
    const uint32_t named = static_cast<uint32_t>(random()) | 1;
    const uint32_t there = (named & (random() % 2 ? all : static_cast<uint32_t>(random()))) | 1;
    std::array<uint64_t, 32> operands;
    bool foreign = false, absent = false;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t source = random() % 16 ? 0 : static_cast<uint32_t>(random()) % 32 + 1;
      operands[lane] = named | uint64_t{source} << ptx::source_shift;
      if (source == 0 || !(there >> lane & 1)) continue;
      if (!(named >> (source - 1) & 1))
        foreign = true;
      else if (!(there >> (source - 1) & 1))
        absent = true;
    }
    scene.come(Ordering::collective, 0, there, operands);
    Kinds expected;
    if (foreign) expected.push_back(Kind::foreign_source);
    if (absent) expected.push_back(Kind::absent_source);
    EXPECT_EQ(scene.end(), expected) << seed;
  }
}

// --- Barriers in shared memory ---

constexpr uint64_t place = 0x400;

TEST(MeetingRules, FindABarrierThatBeginsAgainUnderAWait) {
  Scene scene(64);
  scene.come(Ordering::begin, 0, 1, place);
  scene.barrier(0, all);
  scene.barrier(1, all);
  scene.rules().meet(0, 0b11, true);
  scene.come(Ordering::waits, 1, 0b110, place);
  scene.come(Ordering::begin, 0, 1, place);
  EXPECT_TRUE(scene.found().empty()) << "it may wait no more";
  scene.come(Ordering::waits, 1, 0b100, place);
  ASSERT_EQ(scene.found().size(), 1u);
  EXPECT_EQ(scene.found()[0].thread, 34u);
  EXPECT_EQ(scene.found()[0].place, place);
  EXPECT_EQ(scene.found()[0].location + 1, scene.found()[0].waits_at);
  EXPECT_EQ(scene.end(), Kinds{Kind::begun_again});
}

TEST(MeetingRules, FindABarrierThatEndsUnderAWait) {
  Scene scene(64);
  scene.come(Ordering::begin, 0, 1, place);
  scene.come(Ordering::waits, 1, all, place);
  scene.come(Ordering::end, 0, 1, place);
  scene.come(Ordering::begin, 0, 1, place);
  scene.come(Ordering::waits, 1, all, place);
  EXPECT_EQ(scene.end(), Kinds{Kind::ended_early});
}

TEST(MeetingRules, FindAnArrivalThatIsForgotten) {
  Scene scene(32);
  scene.come(Ordering::begin, 0, 1, place);
  scene.come(Ordering::arrive, 0, all, place);
  scene.barrier(0, all);
  scene.come(Ordering::begin, 0, 1, place);
  scene.come(Ordering::waits, 0, all, place);
  EXPECT_EQ(scene.end(), Kinds{Kind::begun_again});
}

// However often, if all have left it.
TEST(MeetingRules, LetABarrierBeginAnew) {
  Scene scene(64);
  for (int turn = 0; turn < 3; ++turn) {
    scene.come(Ordering::begin, 0, 1, place);
    for (uint32_t warp = 0; warp < 2; ++warp) scene.come(Ordering::arrive, warp, all, place);
    scene.come(Ordering::waits, 0, all, place);
    if (turn == 1)  // they give up
      for (uint32_t warp = 0; warp < 2; ++warp) scene.barrier(warp, all);
    else
      for (uint32_t warp = 0; warp < 2; ++warp) scene.come(Ordering::waited, warp, all, place);
    if (turn != 0) scene.come(Ordering::end, 0, 1, place);
  }
  // A block that begins finds none.
  scene.come(Ordering::waits, 1, all, place);
  scene.rules().begin(1);
  scene.come(Ordering::begin, 0, 1, place);
  scene.come(Ordering::waits, 1, all, place);
  EXPECT_EQ(scene.end(), Kinds{});
}

// In whatever parts the members come to a barrier of the warp, and whatever they do in between.
TEST(MeetingRules, LetMembersComeOneByOne) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Scene scene(32);
    for (int turn = 0; turn < 3; ++turn) {
      const uint32_t named = static_cast<uint32_t>(random()) | 1;
      for (uint32_t left = named; left != 0;) {
        uint32_t part = left & static_cast<uint32_t>(random());
        if (part == 0) part = left & (0 - left);
        if (random() % 2) scene.rules().seen(0, left);
        scene.come(Ordering::warp, 0, part, named);
        left &= ~part;
      }
      if (random() % 2) scene.barrier(0, all);
    }
    scene.rules().seen(0, all);
    EXPECT_EQ(scene.end(), Kinds{}) << seed;
  }
}

// One member that never comes, and lives, is found out.
TEST(MeetingRules, FindTheOneThatStaysAway) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Scene scene(32);
    const uint32_t away = uint32_t{1} << random() % 32;
    const uint32_t named = static_cast<uint32_t>(random()) | away | std::rotl(away, 7);
    for (uint32_t left = named & ~away; left != 0;) {
      uint32_t part = left & static_cast<uint32_t>(random());
      if (part == 0) part = left & (0 - left);
      scene.come(Ordering::warp, 0, part, named);
      left &= ~part;
    }
    scene.rules().seen(0, away);
    EXPECT_EQ(scene.end(), Kinds{Kind::absent_member}) << seed;
  }
}

}  // namespace
}  // namespace cuvette::watch
