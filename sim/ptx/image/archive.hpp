// SPDX-License-Identifier: Apache-2.0
// Reads libraries of objects, as ar makes them.
//
// Threads: plain functions.
#pragma once

#include <string_view>
#include <vector>

#include "sim/base/byte_view.hpp"

namespace cuvette::image {

constexpr std::string_view archive_magic = "!<arch>\n";

// Returns the contents of the archive's members, except the tables of names; empty if it is
// damaged.
std::vector<ByteView> members_of(ByteView archive);

}  // namespace cuvette::image
