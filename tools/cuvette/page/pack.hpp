// SPDX-License-Identifier: Apache-2.0
// Bytes in a text of letters, as an HTML page can hold them.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::tools {

// Returns the bytes compressed as by gzip. Throws std::runtime_error if zlib fails.
std::string gzipped(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace cuvette::tools
