// SPDX-License-Identifier: Apache-2.0
// Bytes in a text of letters, as an HTML page can hold them.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::tools {

std::string base64(std::string_view bytes);

}  // namespace cuvette::tools
