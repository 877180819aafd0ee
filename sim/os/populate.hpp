// SPDX-License-Identifier: Apache-2.0
// Gives mapped pages their memory before they are written to, all in one call: a fault for each
// costs several times as much.
//
// Threads: any.
#pragma once

#include <cstddef>

namespace cuvette::os {

// `begin` is a page's. Where the system cannot do it (Linux before 5.14), each page gets its memory
// when it is written to.
void populate(void* begin, size_t size);

}  // namespace cuvette::os
