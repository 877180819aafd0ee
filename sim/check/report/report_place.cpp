// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_place.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace cuvette::check {
namespace {

constexpr std::string_view separators = " \t\r\n()<>\"'";

// Returns what a word such as "kernel.cu:130" or "main.cpp:12:7" names.
std::optional<SourcePlace> place_in(std::string_view word) {
  for (size_t colon = word.find(':'); colon != std::string_view::npos;
       colon = word.find(':', colon + 1)) {
    uint64_t line = 0;
    const char* const begin = word.data() + colon + 1;
    const char* const end = word.data() + word.size();
    const auto [stop, failure] = std::from_chars(begin, end, line);
    const bool ends = stop == end || *stop == ':' || *stop == ',';
    if (colon > 0 && failure == std::errc{} && line > 0 && ends)
      return SourcePlace{std::string(word.substr(0, colon)), line};
  }
  return std::nullopt;
}

int rank_of(std::string_view key) {
  if (key == "source") return 0;
  if (key.starts_with("earlier")) return 3;
  for (const char* const origin : {"allocated at", "freed at", "mapped at", "registered at"})
    if (key == origin) return 4;
  // For memory that is never freed, the place to mend is the allocation.
  if (key == "ended at") return 5;
  return key == "submitted at" ? 1 : 2;
}

}  // namespace

std::optional<SourcePlace> first_place(std::string_view text) {
  // The name of a file may have blanks, so a text that is nothing but a place is taken as a whole.
  if (text.find_first_of("()\n") == std::string_view::npos)
    if (auto place = place_in(text)) return place;
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const size_t end = std::min(text.find_first_of(separators), text.size());
    if (auto place = place_in(text.substr(0, end))) return place;
    text.remove_prefix(end);
  }
  return std::nullopt;
}

std::vector<FactPlace> places_of(const Report& report) {
  std::vector<FactPlace> places;
  for (const Fact& fact : report.facts) {
    const std::string_view key = fact.key;
    if (!key.ends_with("source") && !key.ends_with(" at")) continue;
    const auto* const text = std::get_if<std::string>(&fact.value);
    if (!text) continue;
    if (auto place = first_place(*text)) places.push_back({fact.key, *std::move(place)});
  }
  std::ranges::stable_sort(places, {}, [](const FactPlace& one) { return rank_of(one.key); });
  return places;
}

}  // namespace cuvette::check
