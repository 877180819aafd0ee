// SPDX-License-Identifier: Apache-2.0
// The size of the machine's pages.
//
// Threads: any.
#pragma once

#include <cstddef>

namespace cuvette::os {

size_t page_size();

}  // namespace cuvette::os
