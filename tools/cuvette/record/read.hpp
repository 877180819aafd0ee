// SPDX-License-Identifier: Apache-2.0
// Reads what the processes of a run have recorded (docs/record.md).
//
// Threads: for a process with one thread.
#pragma once

#include <string>

#include "tools/cuvette/record/raw_file.hpp"
#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// Reads all records of a folder; other files are left alone. A folder that cannot be read has none.
// What is damaged is left out, and counted.
Record read_record(const std::string& folder);

// The same for files that have been read.
Record record_of(const std::vector<RawFile>& files);

}  // namespace cuvette::tools
