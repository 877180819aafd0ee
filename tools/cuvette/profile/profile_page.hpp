// SPDX-License-Identifier: Apache-2.0
// The counts of kernels as tables of a page (tools/cuvette/page): the kernels, and their lines.
//
// Threads: any; a pure function, but for the files of source that it reads.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/cuvette/page/page_view.hpp"
#include "tools/cuvette/profile/profile_model.hpp"

namespace cuvette::tools {

// `limit`: lines of each kernel; 0: all. There are no tables if no kernel was counted.
std::vector<PageTable> tables_of(const ProfileModel& model, size_t limit);

}  // namespace cuvette::tools
