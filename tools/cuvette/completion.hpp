// SPDX-License-Identifier: Apache-2.0
// Completion of the command line in shells, made from --help.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/help_page.hpp"

namespace cuvette::tools {

// The first page describes cuvette itself.
std::string bash_completion(const std::vector<HelpPage>& pages);
std::string zsh_completion(const std::vector<HelpPage>& pages);
std::string fish_completion(const std::vector<HelpPage>& pages);

}  // namespace cuvette::tools
