// SPDX-License-Identifier: Apache-2.0
// page_data(): the facts that a page shows, as its script reads them.
//
// Threads: any; a pure function.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cuvette/page/page_view.hpp"

namespace cuvette::tools {

// Returns the length of a text in four bytes, the lowest first; the text, which is JSON; and the
// numbers of the tables that it describes. Of a view with more than `limit` events, those near the
// reports (shorten.hpp).
std::string page_data(const std::vector<PageView>& views, const std::string& title, size_t limit);

}  // namespace cuvette::tools
