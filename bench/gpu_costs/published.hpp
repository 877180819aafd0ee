// SPDX-License-Identifier: Apache-2.0
// From what was measured to the rows of the table: classes without a difference become one, and
// what was measured only to find the classes is left out.
//
// Threads: any; a pure function.
#pragma once

#include <optional>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {

struct Published {
  Row row;
  bool among_others = false;  // by measure_rounds(): of a row that has both, half are such
};
std::optional<Published> published(const Row& measured);

}  // namespace cuvette::bench
