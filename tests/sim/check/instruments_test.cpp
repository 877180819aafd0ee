// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/instruments.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sim/check/api/leaks.hpp"
#include "sim/check/check.hpp"
#include "sim/check/command/kernel_mistakes.hpp"
#include "sim/check/order/order_observer.hpp"
#include "sim/check/order/race.hpp"
#include "tests/sim/check/report/report_files.hpp"

namespace cuvette::check {
namespace {

struct Row {
  std::string word, sentence;
};

const Row rows[] = {
#define CHECK(word, needs, sentence, ...) {#word, sentence},
#include "sim/base/checks.def"
#undef CHECK
};

std::string sentence_of_the_knob() {
  for (const Knob& knob : knobs())
    if (std::string(knob.variable) == "CUVETTE_CHECK") return knob.sentence;
  return "";
}

TEST(checks, AreInTheDocumentation) {
  const std::string reports = contents(std::filesystem::path(CUVETTE_DOCS) / "reports.md");
  const std::string knobs = contents(std::filesystem::path(CUVETTE_DOCS) / "knobs.md");
  const size_t knob = knobs.find("| `CUVETTE_CHECK` |");
  ASSERT_NE(knob, std::string::npos);
  const std::string row_of_the_knob = knobs.substr(knob, knobs.find('\n', knob) - knob);
  for (const Row& row : rows) {
    EXPECT_NE(reports.find("| `" + row.word + "` | " + row.sentence + " |\n"), std::string::npos)
        << "| `" << row.word << "` | " << row.sentence << " |";
    EXPECT_NE(row_of_the_knob.find("`" + row.word + "`"), std::string::npos) << row.word;
    EXPECT_NE(sentence_of_the_knob().find("`" + row.word + "` " + row.sentence), std::string::npos);
  }
}

// Runs `body` in a process with this environment; it returns whether all is right.
void expect_with(const char* checks, const char* aliases, bool (*body)()) {
  // In a program that is started anew: an earlier test of this one may have read the environment.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("CUVETTE_CHECK", checks, 1);
        setenv("CUVETTE_ALIASES", aliases, 1);
        _exit(body() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "")
      << checks;
}

TEST(needs, AreThoseOfTheRows) {
  expect_with("", "coherent", [] { return needs() == Needs(); });
  expect_with("footprints", "coherent", [] {
    return needs().tracks() && needs().has(Needs::stacks) && !needs().has(Needs::accesses);
  });
  expect_with("footprints,sync", "coherent", [] {
    return needs().has(Needs::footprints) && needs().has(Needs::accesses) && !needs().tracks();
  });
  expect_with("memory", "coherent", [] { return needs().gap() > 0 && !needs().tracks(); });
  expect_with("api", "coherent", [] { return needs() == Needs(Needs::stacks); });
  expect_with("", "adversary", [] { return needs() == Needs(Needs::accesses); });
  expect_with("all", "coherent", [] {
    using enum Needs::Kind;
    Needs every;
    for (const auto kind :
         {footprints, accesses, taint, meetings, aliases, bounds, host_threads, owners, stacks})
      every |= Needs(kind);
    return needs() == every;
  });
}

TEST(instrument, IsMadeIfACheckWantsIt) {
  expect_with("host", "coherent", [] {
    return instrument<RaceObserver>() && instrument<RaceObserver>() == instrument<RaceObserver>() &&
           !instrument<Leaks>() && !instrument<KernelMistakeObserver>();
  });
  expect_with("sync,api", "coherent", [] {
    return !instrument<RaceObserver>() && Leaks::get() && Leaks::get() == instrument<Leaks>() &&
           instrument<KernelMistakeObserver>();
  });
  // Whoever asks what comes before what brings the order along.
  expect_with("api", "coherent", [] { return instrument<OrderObserver>() != nullptr; });
  expect_with("sync", "coherent", [] { return !instrument<OrderObserver>(); });
}

}  // namespace
}  // namespace cuvette::check
