// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/github.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include "sim/check/report/report_format.hpp"

namespace cuvette::tools {
namespace {

using check::ReportSummary;

// A mistake, and the number of its reports.
struct Mistake {
  const ReportSummary* report;
  size_t times;
};

// Returns the mistakes, hints last, otherwise as they were found.
std::vector<Mistake> mistakes_in(const std::vector<ReportSummary>& reports) {
  std::vector<Mistake> mistakes;
  std::map<std::string_view, size_t> places;
  for (const ReportSummary& report : reports) {
    const auto [at, is_new] = places.emplace(report.fingerprint, mistakes.size());
    if (is_new) {
      mistakes.push_back({&report, 1});
    } else {
      ++mistakes[at->second].times;
    }
  }
  std::ranges::stable_sort(mistakes, {},
                           [](const Mistake& mistake) { return mistake.report->is_hint; });
  return mistakes;
}

// The text as HTML, which Markdown accepts; in a table, a tag marks the end of a line.
std::string html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '|') {
      result += "&#124;";
    } else if (c == '`' || c == '*' || c == '_' || c == '[' || c == '\\') {
      result += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      result += c;
    }
  }
  return result;
}

std::string cell(std::string_view text) {
  std::string result = html(text);
  std::ranges::replace(result, '\n', ' ');
  std::ranges::replace(result, '\r', ' ');
  return result;
}

}  // namespace

std::string github_commands(const std::vector<ReportSummary>& reports) {
  constexpr size_t most = 10;
  const std::vector<Mistake> mistakes = mistakes_in(reports);
  // The program's last line may lack a newline.
  std::string text = mistakes.empty() ? "" : "\n";
  for (size_t i = 0; i < std::min(most, mistakes.size()); ++i)
    text += check::github_command(*mistakes[i].report);
  if (mistakes.size() > most)
    text += "cuvette run: " + std::to_string(mistakes.size() - most) +
            " more mistakes were reported; the job's summary and the file of reports have all.\n";
  return text;
}

std::string github_summary(const std::vector<ReportSummary>& reports, const std::string& count) {
  // GitHub refuses more than a mebibyte for a step.
  constexpr size_t room = 900 << 10;
  const std::vector<Mistake> mistakes = mistakes_in(reports);
  std::string text = "### Cuvette: " +
                     (mistakes.empty()       ? "no mistake was found"
                      : mistakes.size() == 1 ? "1 mistake"
                                             : std::to_string(mistakes.size()) + " mistakes") +
                     "\n\n" + html(count) + "\n\n";
  if (mistakes.empty()) return text;
  text += "| report | place | test | times | |\n|---|---|---|---|---|\n";
  size_t rows = 0;
  for (const auto& [report, times] : mistakes) {
    if (text.size() > room / 2) break;
    const std::string place =
        report->file.empty() ? "" : report->file + ":" + std::to_string(report->line);
    text += "| " + cell(report->identifier) + " | " + cell(place) + " | " + cell(report->test) +
            " | " + std::to_string(times) + " | " + cell(report->sentence) + " |\n";
    ++rows;
  }
  if (rows < mistakes.size())
    text += "\n" + std::to_string(mistakes.size() - rows) + " more have no room here.\n";
  text += "\n";
  for (size_t i = 0; i < rows; ++i) {
    const std::string details = "<details><summary>" + cell(mistakes[i].report->identifier) + ", " +
                                cell(mistakes[i].report->test) + "</summary>\n<pre>" +
                                html(mistakes[i].report->text) + "</pre>\n</details>\n\n";
    if (text.size() + details.size() > room) break;
    text += details;
  }
  return text;
}

}  // namespace cuvette::tools
