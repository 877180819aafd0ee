// SPDX-License-Identifier: Apache-2.0
// Manual pages, made from --help.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/help_page.hpp"

namespace cuvette::tools {

// Returns the name of a page's file, "cuvette-run.1", and the page for man. `others` are listed
// under "See also".
std::string manual_name(const HelpPage& page);
std::string manual(const HelpPage& page, const std::vector<HelpPage>& others);

}  // namespace cuvette::tools
