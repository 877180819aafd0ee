// SPDX-License-Identifier: Apache-2.0
// For each program, exactly the pairs in races.def are reported, in whatever order its work ran,
// whether kernels or copies and fills do it, and whether other checks are made as well. Nothing is
// reported for its repaired twin, or without CUVETTE_CHECK=races.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "tests/wrong/outcome.hpp"

namespace {

struct Race {
  const char* name;
  const char* pairs;
  friend void PrintTo(const Race& race, std::ostream* out) { *out << race.name; }
};
const Race races[] = {
#define RACE(name, pairs) {#name, pairs},
#include "tests/wrong/races/races.def"
#undef RACE
};

struct Races : Outcome {
  std::string pairs = {};
  bool names_library = false;  // as if it were a place in the program
};

std::string joined(const std::multiset<std::string>& pairs) {
  std::string all;
  for (const std::string& pair : pairs) all += (all.empty() ? "" : " | ") + pair;
  return all;
}

// In an order of its own: a pair with a kernel is found when the kernel has run.
std::string sorted(const std::string& pairs) {
  std::multiset<std::string> all;
  for (size_t at = 0; at < pairs.size();) {
    const size_t end = std::min(pairs.find(" | ", at), pairs.size());
    all.insert(pairs.substr(at, end - at));
    at = end + 3;
  }
  return joined(all);
}

Races run(const std::string& name, const std::string& twin, const std::string& environment) {
  Races outcome{run_program(RACE_PROGRAMS " " + name + " " + twin, environment)};
  std::map<std::string, std::string> streams;
  std::istringstream named(outcome.output);
  for (std::string word, id, stream; named >> word >> id >> stream;) streams[id] = stream;
  // "stream 5 (0x300000001)" has the number that the program printed; the legacy stream has none.
  const auto stream = [&](const std::string& fact) {
    if (fact.starts_with("the legacy stream")) return std::string("legacy");
    const std::string words = fact.substr(0, fact.find(" ("));
    return streams[words.substr(words.rfind(' ') + 1)];
  };
  std::multiset<std::string> pairs;
  for (const auto& report : outcome.reports) {
    const auto& facts = report["facts"];
    if (report["report"] != "unordered-access") {
      pairs.insert(report["report"].get<std::string>());
      continue;
    }
    const auto one = [&](const std::string& which) {
      // "kernel fill"
      const auto command = facts[which + "command"].get<std::string>();
      return facts[which + "access"].get<std::string>() + " " +
             command.substr(command.starts_with("kernel ") ? 7 : 0) + " " +
             stream(facts[which + "stream"].get<std::string>()) + "/" +
             std::to_string(facts[which + "number"].get<int>());
    };
    for (const char* place : {"submitted at", "earlier submitted at"})
      if (facts[place].get<std::string>().find("libcuda") != std::string::npos)
        outcome.names_library = true;
    pairs.insert(one("earlier ") + ", " + one("") + ": " +
                 std::to_string(facts["bytes"].get<int>()));
  }
  outcome.pairs = joined(pairs);
  return outcome;
}

struct Way {
  const char *name, *environment;
  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};
const Way ways[] = {
    {"concurrent", "CUVETTE_CHECK=all CUVETTE_SCHEDULE=concurrent"},
    {"eager", "CUVETTE_CHECK=races CUVETTE_SCHEDULE=eager"},
    {"lazy", "CUVETTE_CHECK=all CUVETTE_SCHEDULE=lazy"},
    {"concurrent_kernels", "CUVETTE_CHECK=races CUVETTE_SCHEDULE=concurrent RACE_KERNELS=1"},
    {"lazy_kernels", "CUVETTE_CHECK=all CUVETTE_SCHEDULE=lazy RACE_KERNELS=1"},
    {"footprints", "CUVETTE_CHECK=footprints RACE_KERNELS=1"},
    {"footprints_and_more", "CUVETTE_CHECK=footprints,sync RACE_KERNELS=1"},
    {"lazy_footprints", "CUVETTE_CHECK=footprints CUVETTE_SCHEDULE=lazy RACE_KERNELS=1"},
};

class RaceProgram : public testing::TestWithParam<std::tuple<Race, Way>> {
 protected:
  static const Race& race() { return std::get<0>(GetParam()); }
  static Races run_twin(const char* twin) {
    return run(race().name, twin, std::get<1>(GetParam()).environment);
  }
};

TEST_P(RaceProgram, IsFoundOut) {
  const Races outcome = run_twin("wrong");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.pairs, sorted(race().pairs)) << outcome.errors;
  EXPECT_FALSE(outcome.names_library) << outcome.errors;
}

TEST_P(RaceProgram, IsLeftInPeaceOnceRepaired) {
  const Races outcome = run_twin("repaired");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.pairs, "") << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Schedules, RaceProgram,
                         testing::Combine(testing::ValuesIn(races), testing::ValuesIn(ways)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param).name;
                         });

// A stream's number in reports is its lane in the order log.
TEST(Streams, HaveOneNumber) {
  for (const char* const way : {"CUVETTE_SCHEDULE=eager", "CUVETTE_SCHEDULE=lazy RACE_KERNELS=1",
                                "CUVETTE_SCHEDULE=concurrent"})
    for (const char* const program : {"reads_without_a_wait", "trusts_the_legacy_stream"}) {
      const std::string file = testing::TempDir() + "order-" + std::to_string(getpid());
      const Races outcome =
          run(program, "wrong",
              std::string("CUVETTE_CHECK=races ") + way + " CUVETTE_ORDER_LOG='" + file + "'");
      const std::string log = text_of(file);
      std::filesystem::remove(file);
      ASSERT_FALSE(outcome.reports.empty());
      for (const auto& report : outcome.reports)
        for (const std::string which : {"", "earlier "}) {
          const auto& facts = report["facts"];
          const auto stream = facts[which + "stream"].get<std::string>();
          static const std::regex number("stream ([0-9]+)");
          std::smatch found;
          ASSERT_TRUE(std::regex_search(stream, found, number)) << stream;
          const std::string line = "queued\t" + found[1].str() + "." +
                                   std::to_string(facts[which + "number"].get<int>()) + "\t" +
                                   facts[which + "command"].get<std::string>();
          EXPECT_NE(log.find(line), std::string::npos) << line << '\n' << log << way;
        }
    }
}

TEST(UnorderedAccesses, NameTheVariable) {
  const Races outcome = run("overwrites_constant_memory", "wrong", "CUVETTE_CHECK=races");
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  EXPECT_NE(
      outcome.reports[0]["sentence"].get<std::string>().find("bytes of the variable table at"),
      std::string::npos)
      << outcome.errors;
}

TEST(CheckKnob, NothingIsLookedForUnasked) {
  const Races outcome = run(races[0].name, "wrong", "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.pairs, "");
  EXPECT_EQ(outcome.errors, "");
}

// The program ends before its work begins.
TEST(CheckKnob, SaysWhatItDoesNotKnow) {
  const Races outcome = run(races[0].name, "repaired", "CUVETTE_CHECK=races,luck");
  EXPECT_EQ(
      outcome.errors.find("cuvette: CUVETTE_CHECK is 'luck', which is not one of its values: "
                          "It can be 'races', 'footprints', 'host', 'memory', 'init', 'sync', "
                          "'aliases', 'api' or 'all'.\n"),
      0u)
      << outcome.errors;
}

TEST(CheckKnob, ReportsDecideAboutTheExitStatus) {
  const char* const wanted = "CUVETTE_CHECK=races CUVETTE_ERROR_EXITCODE=9";
  EXPECT_EQ(run(races[0].name, "wrong", wanted).status, 9);
  EXPECT_EQ(run(races[0].name, "repaired", wanted).status, 0);
  EXPECT_EQ(run(races[0].name, "wrong", std::string(wanted) + " CUVETTE_SUPPRESS=unordered-access")
                .status,
            0);
}

}  // namespace
