// SPDX-License-Identifier: Apache-2.0
// The wait that a program lacks, from an order in which it fails.
//
// Threads: any; pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cuvette/order.hpp"

namespace cuvette::tools {

struct MissingEdge {
  Order::Row first, second;  // `second` does not wait for `first`
  bool by_host = false;      // the program itself does not wait; `second` means nothing
};

// `eager`: the log of a run in the order of submission, with what kernels touch. `failing`: the
// commands of the failing order. Nothing if no wait would help: the order of blocks, say.
std::optional<MissingEdge> missing_edge(const Order& eager, const std::vector<Order::Row>& failing);

// It in a sentence or two, with the calls that would add it.
std::string sentence_of(const MissingEdge& edge);

}  // namespace cuvette::tools
