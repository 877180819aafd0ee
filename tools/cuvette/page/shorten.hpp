// SPDX-License-Identifier: Apache-2.0
// shorten(): leaves out of a record what a page has no room for.
//
// Threads: any; a pure function.
#pragma once

#include <cstddef>
#include <optional>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// Returns nothing if the record has at most `limit` events: commands, calls, edges, waits and
// touches. Otherwise returns a record with those nearest to its reports in time, or the last ones
// if it has none; the commands and calls that reports are about are always kept.
std::optional<Record> shortened(const Record& record, size_t limit);

}  // namespace cuvette::tools
