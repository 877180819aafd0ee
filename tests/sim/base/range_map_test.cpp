// SPDX-License-Identifier: Apache-2.0
#include "sim/base/range_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace cuvette {
namespace {

// One value for each cell, byte by byte; cell i has the numbers from edges[i] up to edges[i + 1].
class Model {
 public:
  explicit Model(std::vector<uint64_t> edges)
      : edges_(std::move(edges)), values_(cells()), borders_(edges_.size(), false) {}

  size_t cells() const { return edges_.size() - 1; }
  uint64_t edge(size_t at) const { return edges_[at]; }

  bool cut(size_t at) {
    const bool cuts = is_inside(at);
    borders_[at] = true;
    return cuts;
  }
  void isolate(size_t begin, size_t end) {
    cut(begin);
    cut(end);
  }
  void erase(size_t begin, size_t end) {
    isolate(begin, end);
    for (size_t i = begin; i < end; ++i) values_[i] = std::nullopt;
  }
  void assign(size_t begin, size_t end, int value) {
    isolate(begin, end);
    for (size_t i = begin; i < end; ++i) values_[i] = value;
    for (size_t i = begin + 1; i < end; ++i) borders_[i] = false;
  }
  void add(size_t begin, size_t end, int value) {
    isolate(begin, end);
    for (size_t i = begin; i < end; ++i)
      if (values_[i]) *values_[i] += value;
  }
  void fill(size_t begin, size_t end, int value) {
    isolate(begin, end);
    std::vector<size_t> gaps;
    for (size_t i = begin; i < end; ++i)
      if (!values_[i]) gaps.push_back(i);
    for (const size_t i : gaps) {
      borders_[i] = i == begin || values_[i - 1] != std::nullopt;
      borders_[i + 1] = true;
    }
    // A gap is one range.
    for (size_t n = 1; n < gaps.size(); ++n)
      if (gaps[n] == gaps[n - 1] + 1) borders_[gaps[n]] = false;
    for (const size_t i : gaps) values_[i] = value;
  }
  void join(size_t begin, size_t end) {
    isolate(begin, end);
    for (size_t i = begin + 1; i < end; ++i)
      if (values_[i] && values_[i] == values_[i - 1]) borders_[i] = false;
  }
  void join_around(size_t at) {
    if (!values_[at]) return;
    const auto [begin, end] = range_of(at);
    for (const size_t border : {begin, end})
      if (border > 0 && border < cells() && values_[border] == values_[border - 1])
        borders_[border] = false;
  }
  // The cells of the range that has the cell.
  std::pair<size_t, size_t> range_of(size_t at) const {
    size_t begin = at, end = at + 1;
    while (is_inside(begin)) --begin;
    while (end < cells() && is_inside(end)) ++end;
    return {begin, end};
  }
  std::optional<int> value(size_t at) const { return values_[at]; }

  // Every range of these cells, across whose borders none reaches, as text.
  std::string text(size_t begin, size_t end_of_all) const {
    std::string all;
    for (size_t i = begin; i < end_of_all;) {
      const size_t end = values_[i] ? range_of(i).second : i + 1;
      if (values_[i]) all += entry(edges_[i], edges_[end], *values_[i]);
      i = end;
    }
    return all;
  }
  std::string text() const { return text(0, cells()); }
  static std::string entry(uint64_t begin, uint64_t end, int value) {
    return std::to_string(begin) + "-" + std::to_string(end) + ": " + std::to_string(value) + "\n";
  }

 private:
  // Whether a range reaches across the edge.
  bool is_inside(size_t at) const {
    return at > 0 && at < cells() && values_[at] && values_[at - 1] && !borders_[at] &&
           values_[at] == values_[at - 1];
  }

  const std::vector<uint64_t> edges_;
  std::vector<std::optional<int>> values_;
  std::vector<bool> borders_;  // between cell i - 1 and cell i
};

using Ranges = RangeMap<int>;

std::string text(const Ranges& ranges) {
  std::string all;
  for (const auto& [begin, range] : ranges) {
    EXPECT_LT(begin, range.end());
    all += Model::entry(begin, range.end(), range.value);
  }
  return all;
}

void compare_lookups(const Model& model, Ranges& ranges, size_t begin, size_t end) {
  for (size_t i = 0; i < model.cells(); ++i)
    for (const uint64_t at : {model.edge(i), model.edge(i + 1) - 1}) {
      const auto found = ranges.find(at);
      ASSERT_EQ(found != ranges.end(), model.value(i).has_value()) << at;
      if (found == ranges.end()) continue;
      EXPECT_EQ(found->second.value, *model.value(i));
      EXPECT_EQ(found->first, model.edge(model.range_of(i).first));
      EXPECT_EQ(found->second.end(), model.edge(model.range_of(i).second));
    }
  EXPECT_EQ(ranges.find(model.edge(model.cells())), ranges.end());
  std::string there, expected;
  for (const auto& [from, range] :
       std::as_const(ranges).touching(model.edge(begin), model.edge(end)))
    there += Model::entry(from, range.end(), range.value);
  for (size_t i = begin; i < end;) {
    if (!model.value(i)) {
      ++i;
      continue;
    }
    const auto [first, last] = model.range_of(i);
    expected += Model::entry(model.edge(first), model.edge(last), *model.value(i));
    i = last;
  }
  EXPECT_EQ(there, expected);
}

// Does the same to both, and compares them after each step.
void run(const std::vector<uint64_t>& edges, uint32_t seed, int steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto draw = [&](size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  };
  Model model(edges);
  Ranges ranges;
  const auto same = [](int a, int b) { return a == b; };
  for (int step = 0; step < steps; ++step) {
    size_t begin = draw(model.cells() + 1), end = draw(model.cells() + 1);
    if (draw(16) == 0) begin = 0, end = model.cells();  // everything
    if (draw(16) == 0) end = begin;                     // nothing
    if (begin > end) std::swap(begin, end);
    const uint64_t from = model.edge(begin), to = model.edge(end);
    const int value = static_cast<int>(draw(3));
    switch (draw(9)) {
      case 0: {
        const auto cut = ranges.cut(from);
        ASSERT_EQ(cut != ranges.end(), model.cut(begin));
        if (cut == ranges.end()) break;
        ASSERT_EQ(cut->first, from);
        break;
      }
      case 1:
        ranges.erase(from, to);
        model.erase(begin, end);
        break;
      case 2:
      case 3:
        if (begin == end) break;
        ASSERT_EQ(ranges.assign(from, to, value)->first, from);
        model.assign(begin, end, value);
        break;
      case 4:
        for (auto& [at, range] : ranges.isolate(from, to)) range.value += value;
        model.add(begin, end, value);
        break;
      case 5: {
        std::string there;
        const auto visit = [&](uint64_t at, const Ranges::Range& range) {
          there += Model::entry(at, range.end(), range.value);
        };
        const auto part = ranges.fill(
            ranges.isolate(from, to), [&] { return value; }, visit);
        model.isolate(begin, end);
        ASSERT_EQ(there, model.text(begin, end));
        model.fill(begin, end, value);
        uint64_t at = from;
        for (const auto& [next, range] : part) {
          ASSERT_EQ(next, at);
          at = range.end();
        }
        ASSERT_EQ(at, to);
        break;
      }
      case 6:
      case 7:
        ranges.join(ranges.isolate(from, to), same);
        model.join(begin, end);
        break;
      case 8:
        if (begin == model.cells()) break;
        if (const auto range = ranges.find(from); range != ranges.end())
          ranges.join_around(range, same);
        model.join_around(begin);
        break;
    }
    ASSERT_EQ(text(ranges), model.text()) << "step " << step;
    compare_lookups(model, ranges, begin, end);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RangeMap, IsWhatAnArrayOfBytesSays) {
  std::vector<uint64_t> bytes(25);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = i;
  for (uint32_t seed = 0; seed < 40; ++seed) run(bytes, seed, 250);
}

TEST(RangeMap, ReachesOverAllNumbers) {
  constexpr uint64_t word = uint64_t{1} << 32, half = uint64_t{1} << 63, all = UINT64_MAX;
  const std::vector<uint64_t> edges = {0,        1,    2,        word - 1, word,    word + 1,
                                       half - 1, half, half + 1, all - 2,  all - 1, all};
  for (uint32_t seed = 0; seed < 40; ++seed) run(edges, seed, 250);
}

TEST(RangeMap, CopiesAValueWhereItCuts) {
  RangeMap<std::vector<int>> ranges;
  ranges.assign(0, UINT64_MAX, {1, 2});
  for (auto& [at, range] : ranges.isolate(10, 20)) range.value.push_back(3);
  EXPECT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges.find(9)->second.value, (std::vector{1, 2}));
  EXPECT_EQ(ranges.find(10)->second.value, (std::vector{1, 2, 3}));
  EXPECT_EQ(ranges.find(20)->second.value, (std::vector{1, 2}));
}

}  // namespace
}  // namespace cuvette
