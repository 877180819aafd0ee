// SPDX-License-Identifier: Apache-2.0
// A file of ours on a descriptor's number that the program has given away: as long as it is there,
// the program has not closed the number.
//
// Threads: any.
#pragma once

#include "sim/os/segment.hpp"

namespace cuvette::os {

// Opens an empty file on `number`, unless something is open there. Returns the file's identity;
// inode 0 if there is none.
Segment::Identity place_file_on(int number);

}  // namespace cuvette::os
