// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/row_choice.hpp"

#include <algorithm>

namespace cuvette::tools {
namespace {

size_t missing_words(const CostTable::Row& row, const std::set<std::string>& words) {
  return static_cast<size_t>(
      std::count_if(row.classes.begin(), row.classes.end(),
                    [&](const std::string& word) { return !words.contains(word); }));
}

// Where a call is among the points of a row; 0 if it is unknown.
double position(const CostTable::Row& row, const PricedCall& call) {
  if (row.unit == "call") return row.points.front().at;
  return row.unit == "byte" ? static_cast<double>(call.bytes) : static_cast<double>(call.count);
}

void widen(Estimate& range, const CostTable::Row& row) {
  for (const CostPoint& point : row.points) {
    range.p10 = std::min(range.p10, point.p10);
    range.p90 = std::max(range.p90, point.p90);
  }
}

}  // namespace

RowChoice::RowChoice(const CostTable& table) : table_(table) {
  for (const CostTable::Row& row : table_.rows) rows_[{row.measures, row.function}].push_back(&row);
}

RowChoice::Answer RowChoice::find(const PricedCall& call, CostTable::Measures measures) const {
  const auto found = rows_.find({measures, call.function});
  if (found == rows_.end()) return {};
  const std::vector<const CostTable::Row*>& rows = found->second;
  const CostTable::Row* best = rows.front();
  const auto dearness = [&](const CostTable::Row& row) {
    return estimate_at(row.points, position(row, call)).median;
  };
  const auto is_better = [&](const CostTable::Row& one, const CostTable::Row& other) {
    const size_t lacks = missing_words(one, call.words), others = missing_words(other, call.words);
    if (lacks != others) return lacks < others;
    return lacks == 0 ? one.classes.size() > other.classes.size() : dearness(one) > dearness(other);
  };
  for (const CostTable::Row* row : rows)
    if (is_better(*row, *best)) best = row;
  Answer answer;
  answer.has_row = true;
  const double at = position(*best, call);
  answer.time = estimate_at(best->points, at);
  if (const size_t lacks = missing_words(*best, call.words)) {
    answer.is_vague = true;
    for (const CostTable::Row* row : rows) {  // the rows that it may as well be
      if (missing_words(*row, call.words) != lacks) continue;
      const Estimate other = estimate_at(row->points, position(*row, call));
      answer.time.p10 = std::min(answer.time.p10, other.p10);
      answer.time.p90 = std::max(answer.time.p90, other.p90);
    }
  }
  const bool has_size = best->unit == "call" || at != 0 || best->points.size() == 1;
  if (!has_size && measures == CostTable::Measures::host) {
    answer.is_vague = true;
    widen(answer.time, *best);
  }
  return answer;
}

}  // namespace cuvette::tools
