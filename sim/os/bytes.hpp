// SPDX-License-Identifier: Apache-2.0
// Copying and filling bytes with the C library's own routines, found past any interposed ones.
//
// A program built with ThreadSanitizer or AddressSanitizer interposes memcpy and memset; calls from
// here on behalf of a simulated device would then count as accesses by the host thread that happens
// to run them.
//
// Threads: find_bytes_routines() once, before the others; the others from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette::os {

void find_bytes_routines();

void copy_bytes(void* to, const void* from, size_t size);  // ranges may overlap
// Copies past the caches: for parts of a copy so large that it would only push other data out of
// them. The ranges must not overlap.
void copy_bytes_past_caches(void* to, const void* from, size_t size);
// Fills `count` elements of `element` bytes (1, 2 or 4) with `value`.
void fill_elements(void* to, uint32_t value, size_t element, size_t count);

// Read or write one word of 4 or 8 bytes, at a multiple of its size, in one access. A reader also
// sees what the writer wrote before (acquire and release), unless `release` is false.
uint64_t load_word(const void* from, size_t size);
void store_word(void* to, uint64_t value, size_t size, bool release);

}  // namespace cuvette::os
