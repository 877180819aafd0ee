// SPDX-License-Identifier: Apache-2.0
// The page's own sources, which the build puts into the command (embed.cmake).
//
// Threads: any; constants.
#pragma once

#include <string_view>

namespace cuvette::tools::page_sources {

extern const std::string_view html, style, script;
// SHA-256 of style and script, in hexadecimal digits.
extern const std::string_view style_hash, script_hash;

}  // namespace cuvette::tools::page_sources
