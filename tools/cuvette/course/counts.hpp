// SPDX-License-Identifier: Apache-2.0
// The counts that an exercise can bound or ask for: of what kernels access, from `cuvette profile`,
// and of what the program calls, from a record.
//
// Threads: any.
#pragma once

#include <optional>
#include <string>

#include "tools/cuvette/profile/profile_model.hpp"
#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

bool is_count(const std::string& name);
// Whether it comes from a record.
bool is_count_of_record(const std::string& name);
// Their names as words of a sentence.
std::string all_counts();

// Returns the count over the kernels with `kernel` in their names (empty: all); nothing if none of
// them ran, or none did what is counted.
std::optional<double> count_in(const ProfileModel& model, const std::string& name,
                               const std::string& kernel);
double count_in(const Record& record, const std::string& name);

}  // namespace cuvette::tools
