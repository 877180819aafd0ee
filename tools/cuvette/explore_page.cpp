// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_page.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/cuvette/page/page.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/source_lines.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Returns the record of a run that ends as `is_expected` says. A program with several threads may
// need more than one try.
template <typename IsExpected>
std::optional<Record> record_of_run(Runs& runs, const std::string& schedule,
                                    const IsExpected& is_expected) {
  constexpr int most_tries = 5;
  const std::string folder = runs.folder() + "/record";
  for (int i = 0; i < most_tries && !runs.is_stopped(); ++i) {
    // What kernels touch belongs to the picture.
    const RunResult result =
        runs.run(schedule, {{"CUVETTE_RECORD", folder}, {"CUVETTE_RECORD_TOUCHES", "1"}});
    const bool fits = !result.stopped && is_expected(result);
    std::optional<Record> record;
    if (fits) record = read_record(folder);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    if (fits) return record;
  }
  return std::nullopt;
}

// The commands that the failing order holds back or turns round, as a table below its picture.
PageTable decisions_of(const Answer& answer) {
  const Order& order = answer.failure.order;
  PageTable table{"Decisions",
                  "It fails by " + answer.failure.describe() + ". To repeat it: " + answer.repeat,
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

void complain_of_page(const std::string& file) {
  say(file + " cannot be written: " + strerror(errno));
}

}  // namespace

bool can_write_page(const std::string& file) {
  std::error_code failure;
  const bool is_new = !fs::exists(file, failure);
  const bool can = std::ofstream(file, std::ios::binary | std::ios::app).is_open();
  if (!can) complain_of_page(file);
  if (can && is_new) fs::remove(file, failure);
  return can;
}

bool write_page(const std::string& file, const Answer& answer, Runs& runs) {
  const auto no_page = [&](const std::string& why) {
    say(file + " was not written: " + why);
    return true;
  };
  if (answer.schedule.empty()) return no_page("no order was found to fail");
  if (answer.verdict == Verdict::not_reproducible) return no_page("the failure does not repeat");

  const std::string schedule = answer.shown.empty() ? answer.schedule : answer.shown;
  const auto failing = record_of_run(runs, schedule, [&](const RunResult& run) {
    return run.failed() && run.timed_out == answer.failure.timed_out;
  });
  if (runs.is_stopped()) return no_page("exploring was stopped");
  if (!failing) return no_page("the program did not fail when it was recorded");
  if (failing->processes.empty()) return no_page("the program did not use a device");
  std::vector<PageView> views = {{&*failing, "This order fails: " + schedule, {}}};
  if (PageTable table = decisions_of(answer); !table.rows.empty())
    views.front().tables.push_back(std::move(table));

  std::optional<Record> passing;
  if (schedule != "eager")
    passing = record_of_run(runs, "eager", [](const RunResult& run) { return !run.failed(); });
  if (passing)
    views.push_back({&*passing, "This order passes: eager, the order of submission", {}});

  const std::string& path = failing->processes.front().program;
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string page = page_of(
      views, name + (passing ? ": an order that fails, and one that passes" : ": it fails"));
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(page.data(), static_cast<std::streamsize>(page.size()));
  if (!out.flush()) {
    complain_of_page(file);
    return false;
  }
  say(file + (passing ? " shows the order that fails beside one that passes"
                      : " shows the order that fails; there is none that passes beside it"));
  fprintf(stderr, "  to look at it, open it in a browser; it needs no network\n");
  return true;
}

}  // namespace cuvette::tools
