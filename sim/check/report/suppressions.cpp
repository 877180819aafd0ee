// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/suppressions.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/check/report/report_identity.hpp"
#include "sim/check/report/report_names.hpp"
#include "sim/check/report/report_places.hpp"

namespace cuvette::check {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr const char* blank = " \t\r\n";
  const size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

// A comment begins at a '#' that follows a blank or begins the line: the name of a lambda has a
// '#', too.
std::string_view without_comment(std::string_view line) {
  for (size_t at = 0; (at = line.find('#', at)) != std::string_view::npos; ++at)
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

// Whether a pattern without a place is that identifier.
bool is_kind(std::string_view identifier, std::string_view pattern) {
  if (pattern == identifier) return true;
  return pattern.ends_with('*') && identifier.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

// --- Suppressions --------------------------------------------------------------------------------

Suppressions::Suppressions(const std::string& knob) {
  if (knob.empty()) return;
  std::error_code failure;
  if (std::filesystem::is_regular_file(knob, failure)) {
    std::ifstream file(knob);
    for (std::string line; std::getline(file, line);) add(without_comment(line));
    return;
  }
  if (names_missing_file(knob)) {
    missing_file_ = knob;
    return;
  }
  std::istringstream names(knob);
  for (std::string name; std::getline(names, name, ',');) add(name);
}

void Suppressions::add(std::string_view pattern) {
  pattern = trimmed(pattern);
  if (!pattern.empty()) patterns_.emplace_back(pattern);
}

bool Suppressions::match(std::string_view identifier) const {
  for (const std::string_view pattern : patterns_)
    if (pattern.find(':') == std::string_view::npos && is_kind(identifier, pattern)) return true;
  return false;
}

bool Suppressions::match(const Report& report) const {
  for (const std::string_view pattern : patterns_) {
    const auto [wanted, place] = split_pattern(pattern);
    if (!place.empty() && is_kind(kind(report.id).identifier, trimmed(wanted)) &&
        names_place(report, trimmed(place)))
      return true;
  }
  return false;
}

std::string Suppressions::complaint() const {
  if (!missing_file_.empty()) return "'" + missing_file_ + "', which does not exist";
  for (const std::string& pattern : patterns_)
    if (const std::string wrong = pattern_complaint(pattern); !wrong.empty()) return wrong;
  return "";
}

// --- Baseline ------------------------------------------------------------------------------------

Baseline::Baseline(const std::string& file) {
  if (file.empty()) return;
  std::ifstream in(file);
  std::string line;
  if (!in || !std::filesystem::is_regular_file(file)) {
    complaint_ = "'" + file + "', which cannot be read";
    return;
  }
  if (!std::getline(in, line) || !line.starts_with(baseline_head)) {
    complaint_ = "'" + file + "', which is no file that `cuvette run --write-baseline` has made";
    return;
  }
  while (std::getline(in, line)) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    fingerprints_.emplace_back(text.substr(0, text.find_first_of(" \t")));
  }
  std::ranges::sort(fingerprints_);
}

bool Baseline::has(const Report& report) const {
  if (fingerprints_.empty()) return false;
  const std::string fingerprint = fingerprint_of(report);
  const std::string code = fingerprint.substr(0, fingerprint.find('-'));
  for (auto one = std::ranges::lower_bound(fingerprints_, code);
       one != fingerprints_.end() && one->starts_with(code); ++one)
    if (same_mistake(*one, fingerprint)) return true;
  return false;
}

}  // namespace cuvette::check
