// SPDX-License-Identifier: Apache-2.0
// The page: one HTML file that shows what a Record holds, in any browser, without a network.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/page/page_view.hpp"
#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// Returns the text of a page that shows one run.
std::string page_of(const Record& record, const std::string& title);
// Returns the text of a page that shows several runs beside each other.
std::string page_of(const std::vector<PageView>& views, const std::string& title);

}  // namespace cuvette::tools
