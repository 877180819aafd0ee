// SPDX-License-Identifier: Apache-2.0
// Groups: the values that belong to each of many keys, which are indices.
//
// Threads: any, as it is not changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace cuvette::tools {

class Groups {
 public:
  // Pairs of a key below `keys`, and a value. The values of a key keep their order.
  Groups(size_t keys, const std::vector<std::pair<uint32_t, uint32_t>>& pairs) : begins_(keys + 1) {
    for (const auto& pair : pairs) ++begins_[pair.first + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    values_.resize(pairs.size());
    std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (const auto& [key, value] : pairs) values_[next[key]++] = value;
  }
  std::span<const uint32_t> of(uint32_t key) const {
    return std::span(values_).subspan(begins_[key], begins_[key + 1] - begins_[key]);
  }

 private:
  std::vector<uint32_t> begins_, values_;
};

}  // namespace cuvette::tools
