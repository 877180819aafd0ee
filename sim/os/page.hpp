// SPDX-License-Identifier: Apache-2.0
// The size of the machine's pages, and their rights.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette::os {

size_t page_size();

// mprotect() past the interceptors of sanitizers, as in reservation.cpp; the protection key stays.
// False, with errno, if that failed.
bool protect_pages(uint64_t begin, uint64_t end, int protection);

}  // namespace cuvette::os
