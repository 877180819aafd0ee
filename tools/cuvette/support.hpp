// SPDX-License-Identifier: Apache-2.0
// `cuvette support`: which functions of the driver API, the runtime API and the management
// library work, and how far.
//
// Threads: for a process with one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/driver/support_table.hpp"

namespace cuvette::tools {

enum class SupportFormat { text, markdown, json };

struct SupportOptions {
  SupportFormat format = SupportFormat::text;
  std::optional<driver::Support> only;
  std::vector<std::string> names;  // only functions with one of these in their name, in any case
};

// Prints the functions that are asked for. Returns the exit status: 1 if there are none.
int support(const SupportOptions& options);

}  // namespace cuvette::tools
