// SPDX-License-Identifier: Apache-2.0
// Texts that come from a program, made fit to be shown: a name may contain anything.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuvette::tools {

// Returns the text as UTF-8 that every viewer takes: bytes that are no UTF-8 become U+FFFD, control
// characters become their pictures (a NUL U+2400, a line's end U+240A), and a text of more than
// `most` bytes is cut at a character and ends with an ellipsis.
std::string readable(std::string_view text, size_t most);

// Replaces numbers that look like addresses, 0x and at least six digits, with "0x...": another run
// has others.
std::string without_addresses(std::string_view text);

}  // namespace cuvette::tools
