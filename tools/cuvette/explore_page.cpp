// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_page.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/cuvette/page/page.hpp"
#include "tools/cuvette/page/page_file.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/source_lines.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Returns the record of a run that ends as `is_expected` says, with `more` in its environment. A
// program with several threads may need more than one try.
template <typename IsExpected>
std::optional<Record> record_of_run(Runs& runs, const std::string& schedule,
                                    const IsExpected& is_expected, int most_tries,
                                    const Runs::Environment& more) {
  const std::string folder = runs.folder() + "/record";
  for (int i = 0; i < most_tries && !runs.is_stopped(); ++i) {
    // What kernels touch belongs to the picture.
    Runs::Environment environment = {{"CUVETTE_RECORD", folder}, {"CUVETTE_RECORD_TOUCHES", "1"}};
    environment.insert(environment.end(), more.begin(), more.end());
    const RunResult result = runs.run(schedule, environment);
    const bool fits = !result.stopped && is_expected(result);
    std::optional<Record> record;
    if (fits) record = read_record(folder);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    if (fits) return record;
  }
  return std::nullopt;
}

// The same, with the check that shows which commands nothing orders, if the run ends in the same
// way with it. What that reports is no failure of the run.
template <typename IsExpected>
std::optional<Record> record_with_races(Runs& runs, const std::string& schedule,
                                        const IsExpected& is_expected) {
  const std::string checks = "races," + runs.value_of("CUVETTE_CHECK");
  if (auto record = record_of_run(runs, schedule, is_expected, 2, {{"CUVETTE_CHECK", checks}}))
    return record;
  return record_of_run(runs, schedule, is_expected, 5, {});
}

// Whether a run fails as the one of the answer does.
bool fails_like(const RunResult& run, const RunResult& failure) {
  if (failure.timed_out || run.timed_out) return failure.timed_out && run.timed_out;
  if (failure.wait_status != 0) return run.wait_status == failure.wait_status;
  if (failure.output_matches) return run.output_matches;
  if (!failure.reports.empty())
    return std::ranges::any_of(run.reports, [&](const RunResult::Report& report) {
      return report.identifier == failure.reports.front().identifier;
    });
  return !run.differences.empty();
}

bool passes_without_reports(const RunResult& run) {
  return run.wait_status == 0 && !run.timed_out && !run.output_matches && run.differences.empty();
}

// The end of what the program printed, without what Cuvette said of its checks.
std::string last_lines(const std::string& output) {
  constexpr size_t most = 20;
  size_t begin = output.size();
  while (begin > 0 && output[begin - 1] == '\n') --begin;
  const std::string text = output.substr(0, begin);
  for (size_t lines = 0; begin > 0 && lines < most; ++lines) {
    const size_t before = text.rfind('\n', begin - 1);
    begin = before == std::string::npos ? 0 : before;
  }
  return text.substr(begin == 0 ? 0 : begin + 1);
}

PageOutcome failure_of(const Answer& answer) {
  const RunResult& failure = answer.failure;
  PageOutcome outcome{true, "The program fails: " + failure.describe() + ".", {}, {}, {}};
  constexpr size_t most = 10;
  for (const std::string& difference : failure.differences)
    if (outcome.facts.size() < most) outcome.facts.push_back(with_source_lines(difference));
  for (const RunResult::Report& report : failure.reports)
    if (outcome.facts.size() < most) outcome.facts.push_back(report.sentence);
  outcome.output = last_lines(failure.output);
  outcome.repeat = answer.repeat;
  return outcome;
}

// The commands that the failing order holds back or turns round, as a table below its picture.
PageTable decisions_of(const Answer& answer) {
  const Order& order = answer.failure.order;
  PageTable table{"Decisions",
                  "Which commands were held back. To repeat it: " + answer.repeat,
                  {{"Command"}, {"Decision"}, {"What"}, {"Called at"}, {"Stream"}},
                  {}};
  for (const Order::Row& row : order.rows(answer.minimised ? answer.held : order.decisions))
    if (row.held || row.turned)
      table.rows.push_back({row.name, row.held ? "held back" : "blocks and warps in another order",
                            row.kind, with_source_lines(row.call_site), row.stream});
  return table;
}

void say(const std::string& sentence) {
  fprintf(stderr, "cuvette explore: %s\n", sentence.c_str());
}

}  // namespace

bool write_page(const std::string& file, const Answer& answer, Runs& runs) {
  const auto no_page = [&](const std::string& why) {
    say(file + " was not written: " + why);
    return true;
  };
  if (answer.schedule.empty()) return no_page("no order was found to fail");
  if (answer.verdict == Verdict::not_reproducible) return no_page("the failure does not repeat");

  const std::string schedule = answer.shown.empty() ? answer.schedule : answer.shown;
  const auto failing = record_with_races(
      runs, schedule, [&](const RunResult& run) { return fails_like(run, answer.failure); });
  if (runs.is_stopped()) return no_page("exploring was stopped");
  if (!failing) return no_page("the program did not fail when it was recorded");
  if (failing->processes.empty()) return no_page("the program did not use a device");
  std::vector<PageView> views = {
      {&*failing, "This order fails: " + schedule, {}, failure_of(answer)}};
  if (PageTable table = decisions_of(answer); !table.rows.empty())
    views.front().tables.push_back(std::move(table));

  std::optional<Record> passing;
  if (schedule != "eager") passing = record_with_races(runs, "eager", passes_without_reports);
  if (passing)
    views.push_back({&*passing,
                     "This order passes: eager, the order of submission",
                     {},
                     {false, "The program passes.", {}, {}, {}}});

  const std::string& path = failing->processes.front().program;
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string page = page_of(
      views, name + (passing ? ": an order that fails, and one that passes" : ": it fails"));
  if (!write_page_file("explore", file, page)) return false;
  say(file + (passing ? " shows the order that fails beside one that passes"
                      : " shows the order that fails; there is none that passes beside it"));
  fprintf(stderr, "  to look at it, open it in a browser; it needs no network\n");
  return true;
}

}  // namespace cuvette::tools
