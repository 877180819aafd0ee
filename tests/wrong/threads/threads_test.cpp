// SPDX-License-Identifier: Apache-2.0
// For each kernel in threads.def, meetings.def, aliases.def and read_only.def, its mistake is
// reported, in whatever order its threads ran and for every vector unit, and in each launch alike.
// Nothing is reported for its repaired twin, or without CUVETTE_CHECK.
#include <gtest/gtest.h>

#include <atomic>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/wrong/outcome.hpp"

namespace {

Outcome run(const std::string& name, const std::string& twin, const std::string& environment) {
  return run_program(THREAD_PROGRAMS " " + name + " " + twin, environment);
}

struct Kernel {
  const char *name, *report, *file;
  friend void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.name; }
};
constexpr Kernel kernels[] = {
#define THREADS(name, blocks, threads) {#name, "thread-race", "threads.cu:"},
#include "tests/wrong/threads/threads.def"
#undef THREADS
#define MEETINGS(name, report) {#name, report, "meetings.cu:"},
#include "tests/wrong/threads/meetings.def"
#undef MEETINGS
#define ALIASES(name) {#name, "alias-access", "aliases.cu:"},
#include "tests/wrong/threads/aliases.def"
#undef ALIASES
#define READS_ONLY(name, changes) {#name, "read-only-written", "read_only.cu:"},
#include "tests/wrong/threads/read_only.def"
#undef READS_ONLY
};

class KernelWatch : public testing::TestWithParam<std::tuple<Kernel, const char*>> {
 protected:
  static const Kernel& kernel() { return std::get<0>(GetParam()); }
  Outcome run_twin(const char* twin) {
    return run(kernel().name, twin, std::string("CUVETTE_CHECK=all ") + std::get<1>(GetParam()));
  }
};

TEST_P(KernelWatch, FindsTheMistake) {
  const Outcome outcome = run_twin("wrong");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_FALSE(outcome.reports.empty());
  // What comes of the mistake may be reported, too.
  bool found = false, named = false;
  for (const auto& report : outcome.reports) {
    const auto& facts = report["facts"];
    EXPECT_EQ(facts["kernel"], std::string(kernel().name) + "_wrong");
    if (report["report"] != kernel().report) continue;
    found = true;
    const auto of_program = [&](const char* key) {
      return facts.contains(key) &&
             facts[key].get<std::string>().find(kernel().file) != std::string::npos;
    };
    named =
        named || of_program("source") || of_program("earlier source") || of_program("written at");
  }
  EXPECT_TRUE(found && named) << outcome.errors;
}

TEST_P(KernelWatch, LeavesTheRepairedTwinInPeace) {
  const Outcome outcome = run_twin("repaired");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Ways, KernelWatch,
                         testing::Combine(testing::ValuesIn(kernels),
                                          testing::Values("CUVETTE_VECTORS=sse",
                                                          "CUVETTE_SCHEDULE=lazy")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (info.index % 2 ? "_lazy" : "_sse");
                         });

// Two lines of one kernel, each of which races with itself; one of them is unrolled.
TEST(ThreadRaces, AreReportedOnceForALine) {
  const Outcome outcome = run("writes_from_all_lanes", "wrong", "CUVETTE_CHECK=races");
  std::set<std::string> lines;
  for (const auto& report : outcome.reports) lines.insert(report["facts"]["source"]);
  EXPECT_EQ(lines.size(), 2u) << outcome.errors;
  EXPECT_EQ(outcome.reports.size(), 2u) << outcome.errors;
}

// A barrier cannot come between a line and itself in another thread.
TEST(ThreadRaces, AdviseWhatFitsBetweenTheAccesses) {
  for (const auto& [name, missing] : {std::pair("counts_without_atomics", "an atomic operation"),
                                      std::pair("reads_a_neighbour", "__syncthreads()"),
                                      std::pair("reduces_in_step", "__syncwarp()")}) {
    const Outcome outcome = run(name, "wrong", "CUVETTE_CHECK=races");
    ASSERT_FALSE(outcome.reports.empty());
    for (const auto& report : outcome.reports)
      EXPECT_EQ(report["facts"]["missing"].get<std::string>().find(missing), 0u) << outcome.errors;
  }
}

// As the source does; whether variables begin at the start of shared memory (where bounds are
// checked) or after the reserved part.
TEST(ThreadRaces, NameVariables) {
  for (const char* const checks : {"races", "races,memory"})
    for (const auto& [name, part, fact] :
         {std::tuple("relies_on_lockstep", "shared memory at tile[31] ", "tile, byte 124 of 128"),
          std::tuple("clears_too_late", "shared memory at count ", "count, byte 0 of 4"),
          std::tuple("uses_dynamic_memory", "shared memory at dynamic[", "dynamic, byte ")}) {
      const Outcome outcome = run(name, "wrong", std::string("CUVETTE_CHECK=") + checks);
      size_t found = 0;
      for (const auto& report : outcome.reports)
        if (report["sentence"].get<std::string>().find(part) != std::string::npos &&
            report["facts"]["variable"].get<std::string>().starts_with(fact))
          ++found;
      EXPECT_GT(found, 0u) << checks << ' ' << outcome.errors;
      EXPECT_EQ(outcome.errors.find("shared memory at 0x"), std::string::npos) << outcome.errors;
    }
}

// The kernel has freed it when the report is written; `memory` keeps what is known of it.
TEST(ThreadRaces, NameWhatAKernelHasAllocated) {
  for (const auto& [check, start] : {std::pair("races", "memory of the kernel heap, freed"),
                                     std::pair("races,memory", "1024 bytes of the kernel heap")}) {
    const Outcome outcome =
        run("shares_what_malloc_gives", "wrong", std::string("CUVETTE_CHECK=") + check);
    ASSERT_FALSE(outcome.reports.empty());
    for (const auto& report : outcome.reports)
      EXPECT_EQ(report["facts"]["allocation"].get<std::string>().find(start), 0u) << outcome.errors;
  }
}

// --- In the same process again, and on a machine with other work ---

// Keeps all cores busy while it lives.
class OtherWork {
 public:
  OtherWork() {
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i)
      threads_.emplace_back([this] {
        while (!done_.load(std::memory_order_relaxed)) {
        }
      });
  }
  ~OtherWork() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

// What is reported about a launch, without what differs from one to the next, or from one process
// to the next: the place of the launch and the fingerprint of it, where windows begin, and what
// malloc gives.
using Reported = std::multiset<std::string>;

Reported reports_of(const Outcome& outcome, const std::string& launch) {
  static const std::regex window("0x[0-9a-f]{4,}([0-9a-f]{4})"), all("0x[0-9a-f]+()");
  Reported reports;
  for (nlohmann::json report : outcome.reports) {
    auto& facts = report["facts"];
    if (facts["launched at"].get<std::string>().find(launch) == std::string::npos) continue;
    for (const char* fact : {"launched at", "number"}) facts.erase(fact);
    for (const char* key : {"process", "fingerprint"}) report.erase(key);
    const bool of_heap = facts.value("allocation", "").find("kernel heap") != std::string::npos;
    reports.insert(std::regex_replace(report.dump(), of_heap ? all : window, "$1"));
  }
  return reports;
}

class SecondLaunch : public testing::TestWithParam<Kernel> {};

TEST_P(SecondLaunch, IsReportedLikeTheFirst) {
  const std::string name = GetParam().name;
  const Outcome outcome = run(name, "wrong twice", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const Reported first = reports_of(outcome, "first_launch");
  EXPECT_FALSE(first.empty()) << outcome.errors;
  EXPECT_EQ(reports_of(outcome, "second_launch"), first);
  EXPECT_EQ(run(name, "repaired twice", "CUVETTE_CHECK=all").errors, "");
}

TEST_P(SecondLaunch, IsReportedAlikeOnALoadedMachine) {
  const std::string name = GetParam().name;
  const Outcome alone = run(name, "wrong twice", "CUVETTE_CHECK=all");
  const OtherWork other_work;
  const Outcome loaded = run(name, "wrong twice", "CUVETTE_CHECK=all");
  EXPECT_EQ(loaded.status, 0) << loaded.errors;
  for (const char* launch : {"first_launch", "second_launch"})
    EXPECT_EQ(reports_of(loaded, launch), reports_of(alone, launch)) << launch;
  EXPECT_EQ(run(name, "repaired twice", "CUVETTE_CHECK=all").errors, "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, SecondLaunch, testing::ValuesIn(kernels),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(CheckKnob, ThreadsAreNotWatchedUnasked) {
  const Outcome outcome = run(kernels[0].name, "wrong", "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

// What the report warns of comes true, and only then.
class Adversary : public testing::TestWithParam<const char*> {};

TEST_P(Adversary, HidesWhatIsWritten) {
  EXPECT_NE(run(GetParam(), "wrong", "CUVETTE_ALIASES=adversary").output, "256\n");
  EXPECT_EQ(run(GetParam(), "wrong", "CUVETTE_ALIASES=coherent").output, "256\n");
  const Outcome repaired = run(GetParam(), "repaired", "CUVETTE_ALIASES=adversary");
  EXPECT_EQ(repaired.output, "256\n");
  EXPECT_EQ(repaired.errors, "");
}

std::vector<const char*> hidden_from() {
  std::vector<const char*> names;
#define ALIASES(name) names.push_back(#name);
#include "tests/wrong/threads/aliases.def"
#undef ALIASES
#define READS_ONLY(name, changes) \
  if (changes) names.push_back(#name);
#include "tests/wrong/threads/read_only.def"
#undef READS_ONLY
  return names;
}
INSTANTIATE_TEST_SUITE_P(Kernels, Adversary, testing::ValuesIn(hidden_from()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
