// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/schedule.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cuvette::exec {

static void PrintTo(const Delay& delay, std::ostream* out) {
  *out << "+" << delay.steps << "*" << delay.level;
}

namespace {

Schedule schedule(std::string_view text) {
  const auto parsed = Schedule::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(*Schedule::parse("eager"));
}

constexpr Delay at_once{}, needed{0, 1};

// The delays of a lane's first `count` pieces of work.
std::vector<Delay> delays(Schedule& of, uint32_t lane, uint64_t count) {
  std::vector<Delay> all;
  for (uint64_t number = 1; number <= count; ++number) all.push_back(of.delay(lane, number));
  return all;
}

TEST(Schedule, IsRefusedIfItIsNoneOfThem) {
  for (const char* text : {"",
                           "eagre",
                           "eager ",
                           " eager",
                           "Eager",
                           "eager:1",
                           "concurrent",
                           "lazy:",
                           "starve",
                           "starve:",
                           "starve:x",
                           "starve:-1",
                           "starve:1:2",
                           "starve:4294967296",
                           "switch",
                           "switch:1",
                           "switch:1:2",
                           "switch:1:2:",
                           "switch:1:2:3:4",
                           "switch:a:b:c",
                           "random",
                           "random:",
                           "random:0x1",
                           "random:18446744073709551616",
                           "random:1,2",
                           "pct",
                           "pct:1",
                           "pct:1:",
                           "pct:1:0",
                           "pct:1:97",
                           "pct:1:2:3",
                           "replay",
                           "replay:1",
                           "replay:1.",
                           "replay:.1",
                           "replay:1.0",
                           "replay:1.2-",
                           "replay:1.2-1",
                           "replay:1.2+",
                           "replay:1.2*",
                           "replay:1.2*0",
                           "replay:1.2,",
                           "replay:,1.2",
                           "replay:1.2,,1.3",
                           "replay:1.2;1.3",
                           "replay:?",
                           "replay:?x",
                           "replay:1.1-1000001",
                           "replay:1.1.",
                           "replay:1.1.0",
                           "replay:1.1.2-1",
                           "replay:1.1-2.1",
                           "replay:1.1.1*0+2",
                           "replay:1.1.1+2*1",
                           "replay:^",
                           "replay:^1",
                           "replay:^1.0",
                           "replay:^1.3-2",
                           "replay:^1.3:",
                           "replay:^1.3:0",
                           "replay:^1.3.1",
                           "turned:1",
                           "shuffled",
                           "shuffled:x",
                           "starve:1/",
                           "starve:1/0",
                           "starve:/1",
                           "switch:1/1:2/:1"})
    EXPECT_FALSE(Schedule::parse(text)) << text;
}

TEST(Schedule, IsTakenWhereItsNumbersAreAtTheirLimits) {
  for (const char* text : {"starve:4294967295", "random:18446744073709551615", "random:0",
                           "pct:0:1", "pct:18446744073709551615:96", "switch:0:0:0", "replay:",
                           "replay:1.1-1000000", "replay:4294967295.18446744073709551615"})
    EXPECT_TRUE(Schedule::parse(text)) << text;
}

TEST(Schedule, EagerHoldsNothingBack) {
  Schedule eager = schedule("eager");
  for (uint32_t lane = 0; lane < 3; ++lane)
    EXPECT_EQ(delays(eager, lane, 3), std::vector<Delay>(3, at_once));
  EXPECT_FALSE(eager.may());
}

TEST(Schedule, LazyHoldsEverythingBack) {
  Schedule lazy = schedule("lazy");
  for (uint32_t lane = 0; lane < 3; ++lane)
    EXPECT_EQ(delays(lazy, lane, 3), std::vector<Delay>(3, needed));
  EXPECT_TRUE(lazy.may());
}

TEST(Schedule, StarveHoldsOneLaneBack) {
  Schedule starve = schedule("starve:1");
  EXPECT_EQ(delays(starve, 0, 3), std::vector<Delay>(3, at_once));
  EXPECT_EQ(delays(starve, 1, 3), std::vector<Delay>(3, needed));
  EXPECT_EQ(delays(starve, 2, 3), std::vector<Delay>(3, at_once));
}

TEST(Schedule, SwitchHoldsTheOtherLaneBackFromANumberOn) {
  Schedule change = schedule("switch:1:2:2");
  EXPECT_EQ(delays(change, 0, 2), std::vector<Delay>(2, at_once));
  EXPECT_EQ(delays(change, 1, 2), std::vector<Delay>(2, needed));
  const Delay longer{0, 2};
  EXPECT_EQ(delays(change, 2, 4), (std::vector<Delay>{at_once, at_once, longer, longer}));
}

// Random decisions depend on the lane and the number: they do not change when they are asked for
// again, or when others submit in between.
TEST(Schedule, RandomDependsOnNothingButTheSeed) {
  Schedule one = schedule("random:5"), other = schedule("random:5");
  const std::vector<Delay> first = delays(one, 1, 50);
  delays(other, 0, 17);
  EXPECT_EQ(delays(other, 1, 50), first);
}

TEST(Schedule, RandomSeedsDiffer) {
  std::set<std::vector<std::pair<uint32_t, uint32_t>>> seen;
  for (int seed = 0; seed < 50; ++seed) {
    Schedule random = schedule("random:" + std::to_string(seed));
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (uint32_t lane = 0; lane < 3; ++lane)
      for (const Delay& delay : delays(random, lane, 20))
        all.emplace_back(delay.steps, delay.level);
    seen.insert(all);
  }
  EXPECT_GE(seen.size(), 49u);
}

// All kinds of delays occur, so that every order is possible.
TEST(Schedule, RandomHoldsBackForStepsAndForLevels) {
  std::set<uint32_t> steps, levels;
  for (int seed = 0; seed < 40; ++seed) {
    Schedule random = schedule("random:" + std::to_string(seed));
    for (const Delay& delay : delays(random, 1, 50)) {
      EXPECT_TRUE(delay.steps == 0 || delay.level == 0);
      steps.insert(delay.steps);
      levels.insert(delay.level);
    }
  }
  EXPECT_EQ(steps.size(), 13u);
  EXPECT_EQ(levels, (std::set<uint32_t>{0, 1, 2, 3}));
}

TEST(Schedule, PctHasOnePriorityForALane) {
  Schedule pct = schedule("pct:3:1");
  std::set<uint32_t> levels;
  for (uint32_t lane = 0; lane < 20; ++lane) {
    const std::vector<Delay> all = delays(pct, lane, 20);
    EXPECT_EQ(all, std::vector<Delay>(20, all.front())) << "lane " << lane;
    EXPECT_EQ(all.front().steps, 0u);
    levels.insert(all.front().level);
  }
  EXPECT_TRUE(levels.contains(0)) << "some are above the program";
  EXPECT_GE(levels.size(), 5u);
}

// At each change point, the lane at work loses its priority for good.
TEST(Schedule, PctChangesAPriorityOnceForEachStepOfItsDepth) {
  bool changed = false;
  for (int seed = 0; seed < 20; ++seed) {
    Schedule pct = schedule("pct:" + std::to_string(seed) + ":4");
    int changes = 0;
    Delay before = pct.delay(1, 1);
    for (uint64_t number = 2; number <= 200; ++number) {
      const Delay now = pct.delay(1, number);
      changes += now != before;
      before = now;
    }
    EXPECT_LE(changes, 3);
    changed |= changes > 0;
    EXPECT_GE(before.level, 1000u) << "below everybody";
  }
  EXPECT_TRUE(changed);
}

TEST(Schedule, MayIsAnsweredAsTheSeedSays) {
  Schedule one = schedule("random:9"), other = schedule("random:9");
  int yes = 0;
  for (int i = 0; i < 200; ++i) {
    const bool answer = one.may();
    EXPECT_EQ(other.may(), answer);
    yes += answer;
  }
  EXPECT_GT(yes, 60);
  EXPECT_LT(yes, 140);
}

TEST(Schedule, ReplayHoldsBackWhatItNames) {
  Schedule replay = schedule("replay:1.3,2.2-4*2,1.5+7,?2");
  EXPECT_EQ(delays(replay, 0, 6), std::vector<Delay>(6, at_once));
  EXPECT_EQ(delays(replay, 1, 6),
            (std::vector<Delay>{at_once, at_once, needed, at_once, {7, 0}, at_once}));
  const Delay second{0, 2};
  EXPECT_EQ(delays(replay, 2, 5), (std::vector<Delay>{at_once, second, second, second, at_once}));
  EXPECT_FALSE(replay.may());
  EXPECT_TRUE(replay.may());
  EXPECT_FALSE(replay.may());
}

TEST(Schedule, SaysInWhichOrderBlocksAndWarpsRun) {
  EXPECT_EQ(schedule("eager").kernel_order(1, 1), 0u);
  EXPECT_EQ(schedule("starve:1").kernel_order(1, 1), 0u);
  EXPECT_EQ(schedule("turned").kernel_order(1, 1), 1u);
  EXPECT_EQ(schedule("lazy").kernel_order(1, 1), 1u);
  EXPECT_EQ(schedule("replay:^1.2-3:5,^2.1").kernel_order(1, 1), 0u);
  EXPECT_EQ(schedule("replay:^1.2-3:5,^2.1").kernel_order(1, 3), 5u);
  EXPECT_EQ(schedule("replay:^1.2-3:5,^2.1").kernel_order(2, 1), 1u);
  std::set<KernelOrder> orders;
  for (uint64_t number = 1; number <= 50; ++number) {
    const KernelOrder order = schedule("shuffled:3").kernel_order(1, number);
    EXPECT_GE(order, 2u);
    EXPECT_EQ(order, schedule("shuffled:3").kernel_order(1, number));
    orders.insert(order);
  }
  EXPECT_GE(orders.size(), 40u);
  Schedule turned = schedule("turned");
  EXPECT_EQ(turned.delay(1, 1), at_once);
}

TEST(Schedule, ReplayOfNothingIsEager) {
  Schedule replay = schedule("replay:");
  EXPECT_EQ(delays(replay, 1, 10), std::vector<Delay>(10, at_once));
  EXPECT_FALSE(replay.may());
}

TEST(Schedule, ReplayTakesTheLastOfTwoThatContradict) {
  Schedule replay = schedule("replay:1.1-3,1.2+4");
  EXPECT_EQ(delays(replay, 1, 3), (std::vector<Delay>{needed, {4, 0}, needed}));
}

// --- The steps of a launch: number 2 of lane 1, of four steps in two branches ---

std::vector<Delay> step_delays(Schedule& of) {
  std::vector<Delay> all;
  for (uint32_t step = 1; step <= 4; ++step)
    all.push_back(of.delay(Step{1, 2, step, 4, step <= 2 ? 1u : 2u, (step + 1) % 2 + 1}));
  return all;
}

TEST(Schedule, HoldsTheStepsOfLaunchesBackAsItsKindSays) {
  const Delay longer{0, 2};
  const std::vector<Delay> none(4, at_once), all(4, needed);
  for (const auto& [text, wanted] : std::vector<std::pair<const char*, std::vector<Delay>>>{
           {"eager", none},
           {"lazy", {{3, 1}, {2, 1}, {1, 1}, {0, 1}}},
           {"starve:1", all},
           {"starve:0", none},
           {"starve:1/1", {needed, needed, at_once, at_once}},
           {"starve:1/2", {at_once, at_once, needed, needed}},
           {"starve:0/1", none},
           {"switch:1/2:1/1:1", {at_once, longer, needed, needed}},
           {"switch:0:1:1", {longer, longer, longer, longer}},
           {"switch:0:1:2", none},
           {"switch:0:1/2:1", {at_once, at_once, at_once, longer}},
           {"replay:1.2", none},
           {"replay:1.2.3", {at_once, at_once, needed, at_once}},
           {"replay:1.2.2-3+7,1.1.1,0.2.4", {at_once, {7, 0}, {7, 0}, at_once}},
           {"replay:1.2.1*2+3", {{3, 2}, at_once, at_once, at_once}}}) {
    Schedule of = schedule(text);
    EXPECT_EQ(step_delays(of), wanted) << text;
  }
}

// Only starve and switch name branches.
TEST(Schedule, BranchesAreNotTheirLane) {
  Schedule starve = schedule("starve:1/1");
  EXPECT_EQ(delays(starve, 1, 3), std::vector<Delay>(3, at_once));
}

TEST(Schedule, SeedsTellTheBranchesOfALaunchApart) {
  std::set<std::vector<std::pair<uint32_t, uint32_t>>> seen;
  for (int seed = 0; seed < 30; ++seed) {
    Schedule random = schedule("random:" + std::to_string(seed)),
             again = schedule("random:" + std::to_string(seed));
    const std::vector<Delay> all = step_delays(random);
    EXPECT_EQ(step_delays(again), all);
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (const Delay& delay : all) pairs.emplace_back(delay.steps, delay.level);
    seen.insert(pairs);
  }
  EXPECT_GE(seen.size(), 20u);
  int apart = 0;
  for (int seed = 0; seed < 30; ++seed) {
    Schedule pct = schedule("pct:" + std::to_string(seed) + ":1");
    const std::vector<Delay> all = step_delays(pct);
    EXPECT_EQ(all[0], all[1]);
    EXPECT_EQ(all[2], all[3]);
    apart += all[0] != all[2];
  }
  EXPECT_GE(apart, 15);
}

TEST(Decisions, ArePrintedAsTheyAreParsed) {
  for (const char* text :
       {"", "1.3", "1.3-9", "1.3+4", "1.3*2", "?7", "1.3-9*2", "0.1-2+12,?1,?2", "1.3.2", "1.3.2-5",
        "1.3.2+4", "^1.3", "^1.3-9:5", "1.3,?1,^1.3,^2.1:7", "1.3*2+4", "1.3.2-5*1+4", "1.3.2*3",
        "4294967295.1,1.18446744073709551615"}) {
    const auto decisions = Decisions::parse(text);
    ASSERT_TRUE(decisions) << text;
    EXPECT_EQ(decisions->print(), text);
  }
}

TEST(Decisions, SayTheSameInOtherWords) {
  for (const auto& [text, printed] :
       {std::pair{"1.3-3", "1.3"}, {"1.3*1", "1.3"}, {"?4,1.2", "1.2,?4"}}) {
    const auto decisions = Decisions::parse(text);
    ASSERT_TRUE(decisions) << text;
    EXPECT_EQ(decisions->print(), printed);
    const auto again = Decisions::parse(printed);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->held, decisions->held);
    EXPECT_EQ(again->yes, decisions->yes);
  }
}

// Whatever decisions can hold survives printing and parsing.
TEST(Decisions, SurvivePrintingAndParsing) {
  uint64_t state = 1;
  const auto random = [&state](uint64_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 200; ++round) {
    Decisions decisions;
    for (uint64_t i = random(6); i > 0; --i) {
      Decision one;
      one.lane = static_cast<uint32_t>(random(10));
      one.first = 1 + random(1000);
      one.last = one.first + random(3) * random(100);
      if (random(3) == 0) {
        one.last = one.first;
        one.step = 1 + static_cast<uint32_t>(random(50));
        one.last_step = one.step + static_cast<uint32_t>(random(3) * random(10));
      }
      if (random(2)) {
        one.delay.steps = static_cast<uint32_t>(random(20));
      } else {
        one.delay.level = 1 + static_cast<uint32_t>(random(2000));
        if (random(3) == 0) one.delay.steps = static_cast<uint32_t>(random(20));
      }
      decisions.held.push_back(one);
    }
    for (uint64_t i = random(3); i > 0; --i) decisions.yes.push_back(random(100));
    for (uint64_t i = random(3); i > 0; --i) {
      const uint64_t first = 1 + random(1000);
      decisions.kernels.push_back({static_cast<uint32_t>(random(10)), first, first + random(5),
                                   1 + static_cast<uint32_t>(random(9))});
    }
    const std::string text = decisions.print();
    const auto again = Decisions::parse(text);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(again->held, decisions.held) << text;
    EXPECT_EQ(again->yes, decisions.yes) << text;
    EXPECT_EQ(again->kernels, decisions.kernels) << text;
    EXPECT_TRUE(Schedule::parse("replay:" + text)) << text;
  }
}

TEST(Decisions, AreRefusedRatherThanGuessed) {
  // Every prefix of a good text is accepted or refused; so is the text with one character changed.
  const std::string good = "1.3-9*2,0.1+12,?7,^1.3-4:5";
  for (size_t length = 0; length < good.size(); ++length) {
    const auto decisions = Decisions::parse(good.substr(0, length));
    if (decisions) {
      EXPECT_TRUE(Decisions::parse(decisions->print()));
    }
  }
  for (size_t i = 0; i < good.size(); ++i)
    for (const char c : std::string("x-+*.,?0 ")) {
      std::string changed = good;
      changed[i] = c;
      if (const auto decisions = Decisions::parse(changed)) {
        EXPECT_TRUE(Decisions::parse(decisions->print())) << changed;
      }
    }
}

}  // namespace
}  // namespace cuvette::exec
