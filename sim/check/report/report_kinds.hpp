// SPDX-License-Identifier: Apache-2.0
// The kinds of reports, the rows of reports.def: for the library, and for the `cuvette` command,
// which uses only data of this room.
//
// Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuvette::check {

enum class ReportId : uint8_t {
#define REPORT(name, identifier, meaning, advice) name,
#include "sim/check/report/reports.def"
#undef REPORT
};

// A row of reports.def.
struct ReportKind {
  const char* identifier;
  const char* meaning;
  const char* advice;
  bool is_hint = false;
};
inline constexpr std::array report_kinds = {
#define REPORT(name, identifier, meaning, advice) ReportKind{identifier, meaning, advice},
#define HINT(name, identifier, meaning, advice) ReportKind{identifier, meaning, advice, true},
#include "sim/check/report/reports.def"
#undef REPORT
};
constexpr const ReportKind& kind(ReportId id) { return report_kinds[static_cast<size_t>(id)]; }

}  // namespace cuvette::check
