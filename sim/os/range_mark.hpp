// SPDX-License-Identifier: Apache-2.0
// Marks on bytes of a shared file, for the other processes that have it: what they say is true as
// long as the process that has set one keeps it. A mark ends with its process, however that ends.
//
// A mark is a lock far behind the end of every file, so it is in nobody's way. It belongs to what
// open() has made: a descriptor that another process has got from this one by duplication has the
// same, and does not see it.
//
// Threads: any.
#pragma once

#include <cstdint>

namespace cuvette::os {

// Sets and ends the mark of these bytes. Where a mark cannot be set, there is none.
void set_range_mark(int fd, uint64_t offset, uint64_t size);
void clear_range_mark(int fd, uint64_t offset, uint64_t size);

// Whether the file's bytes have a mark that was set by another opening of it than `fd`'s.
bool has_range_mark(int fd, uint64_t offset, uint64_t size);

}  // namespace cuvette::os
