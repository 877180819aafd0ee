// SPDX-License-Identifier: Apache-2.0
// The file of a page. `command` is the command of cuvette that speaks.
//
// Threads: any.
#pragma once

#include <string>

namespace cuvette::tools {

// Returns whether the file can be written, and otherwise says why not. It is left as it is.
bool can_write_page(const char* command, const std::string& file);

// Writes a page; returns false, and says why, if that fails.
bool write_page_file(const char* command, const std::string& file, const std::string& page);

}  // namespace cuvette::tools
