// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/baseline.hpp"

#include <algorithm>
#include <map>

#include "sim/check/report/suppressions.hpp"

namespace cuvette::tools {

std::string baseline_of(const std::vector<check::ReportSummary>& reports) {
  // The rest of the line, after the fingerprint, is for people.
  std::map<std::string, std::string> lines;
  for (const check::ReportSummary& report : reports) {
    if (report.is_hint) continue;
    std::string words = report.identifier;
    if (!report.file.empty()) words += " " + report.file + ":" + std::to_string(report.line);
    words += " (" + report.test + ")";
    for (char& c : words)
      if (static_cast<unsigned char>(c) < ' ') c = '?';
    // Of reports with the same fingerprint, take the first in alphabetical order: which process
    // reported first is chance.
    const auto [at, is_new] = lines.emplace(report.fingerprint, words);
    if (!is_new) at->second = std::min(at->second, words);
  }
  std::string text = std::string(check::baseline_head) +
                     ", by `cuvette run --write-baseline`: `cuvette run --baseline=FILE` lets them "
                     "pass.\n";
  for (const auto& [fingerprint, words] : lines) text += fingerprint + " " + words + "\n";
  return text;
}

}  // namespace cuvette::tools
