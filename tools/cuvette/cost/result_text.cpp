// SPDX-License-Identifier: Apache-2.0
// The answer for people.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "tools/cuvette/cost/calls.hpp"
#include "tools/cuvette/cost/result.hpp"
#include "tools/cuvette/cost/time_text.hpp"

namespace cuvette::tools {
namespace {

std::string right(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// "1,234,567".
std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string share_text(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
  return text;
}

std::string range_text(const Estimate& estimate) {
  return time_text(estimate.p10) + " to " + time_text(estimate.p90);
}

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

std::string device_text(const CostResult& result) {
  return result.gpu + (result.driver.empty() ? "" : ", driver " + result.driver);
}

std::string marks(const CostLine& line) {
  std::string text;
  if (line.there.extrapolated) text += " e";
  if (line.is_vague) text += " ?";
  if (line.with_row < line.calls) text += " -";
  return text;
}

std::string hoists_text(const CostResult& result, size_t limit) {
  if (result.hoists.empty()) return "";
  std::string text = "\nCould be fewer calls:\n";
  const size_t shown = limit ? std::min(limit, result.hoists.size()) : result.hoists.size();
  for (size_t i = 0; i < shown; ++i)
    text += right(time_text(result.hoists[i].now - result.hoists[i].then), 10) + " less  " +
            result.hoists[i].sentence + "\n";
  if (shown < result.hoists.size())
    text += "  ... and " + std::to_string(result.hoists.size() - shown) + " more\n";
  return text;
}

std::string lines_text(const CostResult& result, size_t limit) {
  std::string text = "\n" + right("there", 10) + right("range", 24) + right("share", 9) +
                     right("calls", 9) + right("here", 10) + "  function\n";
  const size_t shown = limit ? std::min(limit, result.lines.size()) : result.lines.size();
  for (size_t i = 0; i < shown; ++i) {
    const CostLine& line = result.lines[i];
    const bool has_estimate = line.with_row > 0;
    text += right(has_estimate ? time_text(line.there.median) : "no row", 10) +
            right(has_estimate ? range_text(line.there) : "", 24) +
            right(has_estimate ? share_text(line.there.median, result.there.median) : "", 9) +
            right(grouped(line.calls), 9) + right(time_text(line.here), 10) + "  " + line.function +
            (line.call_site.empty() ? "" : "  " + line.call_site) + marks(line) + "\n";
  }
  if (shown < result.lines.size())
    text += "  ... and " + std::to_string(result.lines.size() - shown) +
            " more lines; --limit=0 shows all\n";
  return text;
}

// What the marks mean, those that are there.
std::string legend(const CostResult& result) {
  bool extrapolated = false, vague = false, partly = false;
  for (const CostLine& line : result.lines) {
    extrapolated |= line.there.extrapolated;
    vague |= line.is_vague;
    partly |= line.with_row < line.calls;
  }
  std::string text;
  if (extrapolated) text += "e: extrapolated, beyond the last size that was measured.\n";
  if (vague)
    text +=
        "?: a size, or a kind of memory, that the cost depends on is unknown; the range has all.\n";
  if (partly) text += "-: not all of these calls have a row in the table.\n";
  return text;
}

std::string missing_text(const CostResult& result) {
  std::string text;
  if (!result.without_row.empty()) {
    uint64_t calls = 0;
    for (const CostWithoutRow& each : result.without_row) calls += each.calls;
    text += grouped(calls) + " call" + plural(calls) + " of " +
            std::to_string(result.without_row.size()) + " function" +
            plural(result.without_row.size()) +
            (calls == 1 ? " has no row in the table, and counts as nothing: "
                        : " have no row in the table, and count as nothing: ");
    constexpr size_t most = 8;
    for (size_t i = 0; i < result.without_row.size() && i < most; ++i)
      text += (i ? ", " : "") + result.without_row[i].function + " (" +
              grouped(result.without_row[i].calls) + ")";
    text += result.without_row.size() > most ? ", ...\n" : ".\n";
  } else {
    text += "All calls have a row in the table.\n";
  }
  if (result.without_own_part)
    text +=
        grouped(result.without_own_part) + " call" + plural(result.without_own_part) +
        " of the runtime: only the driver's part is counted; the runtime's own was not measured.\n";
  if (result.dropped)
    text += grouped(result.dropped) + " record" + plural(result.dropped) +
            " were lost, so that calls may be missing.\n";
  return text;
}

}  // namespace

std::string cost_as_text(const CostResult& result, size_t limit) {
  std::string text = "cuvette cost: " + grouped(result.calls) + " calls took " +
                     time_text(result.here) + " here; on " + device_text(result) + ": " +
                     time_text(result.there.median) + " (" + range_text(result.there) + ").\n";
  text += hoists_text(result, limit);
  text += lines_text(result, limit);
  text += "\n" + legend(result) + missing_text(result);
  text +=
      "Kernels' time on the device is not estimated: waits for them count what the driver adds.\n";
  return text;
}

std::string compared_as_text(const CostResult& before, const CostResult& after, size_t limit) {
  struct Change {
    std::string function, call_site;
    double before = 0, after = 0;
    uint64_t calls_before = 0, calls_after = 0;
  };
  std::vector<Change> changes;
  std::map<std::pair<std::string, std::string>, size_t> places;  // in `changes`
  const auto change_of = [&](const CostLine& line) -> Change& {
    const auto [at, is_new] = places.try_emplace({line.function, line.call_site}, changes.size());
    if (is_new) changes.push_back({line.function, line.call_site});
    return changes[at->second];
  };
  for (const CostLine& line : before.lines) {
    change_of(line).before = line.there.median;
    change_of(line).calls_before = line.calls;
  }
  for (const CostLine& line : after.lines) {
    change_of(line).after = line.there.median;
    change_of(line).calls_after = line.calls;
  }
  std::erase_if(changes, [](const Change& each) {
    return each.before == each.after && each.calls_before == each.calls_after;
  });
  std::stable_sort(changes.begin(), changes.end(), [](const Change& one, const Change& other) {
    return std::abs(one.after - one.before) > std::abs(other.after - other.before);
  });
  std::string text = "cuvette cost: " + time_text(before.there.median) + " before, " +
                     time_text(after.there.median) + " after, on " + device_text(after) + ".\n";
  if (device_text(before) != device_text(after))
    text += "The first was estimated for " + device_text(before) + ".\n";
  if (changes.empty()) return text + "No function at any place changed.\n";
  text += "\n" + right("change", 11) + right("before", 10) + right("after", 10) +
          right("calls", 17) + "  function\n";
  const size_t shown = limit ? std::min(limit, changes.size()) : changes.size();
  for (size_t i = 0; i < shown; ++i) {
    const Change& each = changes[i];
    const double more = each.after - each.before;
    text += right((more > 0 ? "+" : "") + time_text(more), 11) + right(time_text(each.before), 10) +
            right(time_text(each.after), 10) +
            right(grouped(each.calls_before) + " > " + grouped(each.calls_after), 17) + "  " +
            each.function + (each.call_site.empty() ? "" : "  " + each.call_site) + "\n";
  }
  if (shown < changes.size())
    text += "  ... and " + std::to_string(changes.size() - shown) + " more\n";
  return text;
}

std::string calls_as_csv(const Record& record, const CostTable& table) {
  std::string text = "function,call site,here ns,p10 ns,median ns,p90 ns,has row\n";
  for (const EstimatedCall& each : estimate(record, table).calls) {
    const Record::Call& call = record.calls[each.call];
    std::string site = call.call_site;
    for (size_t quote = 0; (quote = site.find('"', quote)) != std::string::npos; quote += 2)
      site.insert(quote, 1, '"');
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, "%.0f,%.0f,%.0f,%.0f,%d\n", time_here(call),
                  each.there.p10, each.there.median, each.there.p90, each.has_row ? 1 : 0);
    text += plain_function(call.function) + ",\"" + site + "\"," + numbers;
  }
  return text;
}

}  // namespace cuvette::tools
