// SPDX-License-Identifier: Apache-2.0
// Reads libraries of objects, as ar makes them.
//
// Threads: plain functions.
#pragma once

#include <string_view>
#include <vector>

#include "sim/ptx/image/bytes.hpp"

namespace cuvette::image {

constexpr std::string_view archive_magic = "!<arch>\n";

// Returns the contents of the archive's members, except the tables of names; empty if it is
// damaged.
std::vector<Bytes> members_of(Bytes archive);

}  // namespace cuvette::image
