// SPDX-License-Identifier: Apache-2.0
// Puts reports into the record of this process (sim/record).
//
// Threads: any.
#pragma once

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

void record_report(const Report& report);

}  // namespace cuvette::check
