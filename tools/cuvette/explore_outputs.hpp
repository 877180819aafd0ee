// SPDX-License-Identifier: Apache-2.0
// Outputs: what a program prints in all its orders, for `cuvette explore --outputs`.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {

class Outputs {
 public:
  // A schedule, and the standard output of its run.
  void add(const std::string& schedule, const std::string& output);
  // Each output once, with the first schedule that gave it.
  const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }
  // Whether a schedule that is none of the enumerated ones has given a new output.
  bool was_surprised() const { return surprised_; }
  // Whether kernels print something else with their blocks and warps in another order.
  bool depends_on_blocks() const { return by_blocks_; }
  // From now on a new output is a surprise: the outputs should be complete.
  void expect_no_more() { complete_ = true; }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
  bool complete_ = false, surprised_ = false, by_blocks_ = false;
};

}  // namespace cuvette::tools
