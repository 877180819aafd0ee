// SPDX-License-Identifier: Apache-2.0
// The fingerprint of a report identifies its mistake: it is the same from run to run, also after
// lines were added above the place. Baseline files and GitLab's Code Quality recognise reports by
// it.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Returns 16 digits for the kind of the report and the functions and files that it names, without
// their lines; then, if the lines of the source can be read, "-" and 8 digits for their text.
std::string fingerprint_of(const Report& report);

// Whether two fingerprints mean the same mistake. If either lacks the text, the rest decides.
bool same_mistake(std::string_view one, std::string_view other);

}  // namespace cuvette::check
