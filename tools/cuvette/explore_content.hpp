// SPDX-License-Identifier: Apache-2.0
// OtherContent: what the host gets in one order and not in another, of a program that passes in all
// of them and was not asked to be compared.
//
// Threads: any, one at a time.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/explore_runs.hpp"

namespace cuvette::tools {

class OtherContent {
 public:
  // `eager`: a run in the order of submission, with which the others are compared.
  explicit OtherContent(const RunResult& eager);

  // Keeps in which copies, or in the output, a run differs. A copy that takes place in one of the
  // two only does not count: programs that poll have more of them in some orders.
  void look(const std::string& schedule, const RunResult& result);
  bool any() const { return !found_.empty(); }

  // Returns the first schedule that differs, and a sentence for each difference. Differences that
  // `again`, another run in the order of submission, shows as well are left out.
  using Differences = std::pair<std::string, std::vector<std::string>>;
  std::optional<Differences> without_those_of(const RunResult& again) const;
  // Returns the first, even if its cause is chance.
  Differences first() const { return {found_.front().schedule, sentences(found_.front())}; }

 private:
  static constexpr size_t most_kept = 64;
  struct Found {
    std::string schedule;
    std::set<std::string> copies;  // names of digests
    std::string output;            // the difference in it; empty: none
  };
  Found differences(const std::string& schedule, const RunResult& result) const;
  std::vector<std::string> sentences(const Found& found) const;

  const Order order_;
  const std::string output_;
  std::vector<Found> found_;
};

}  // namespace cuvette::tools
