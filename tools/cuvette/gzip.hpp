// SPDX-License-Identifier: Apache-2.0
// Packs bytes as gzip(1) does.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::tools {

// The same bytes give the same result: no time and no name is stored.
std::string gzip_of(std::string_view bytes);

}  // namespace cuvette::tools
