// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/missed.hpp"

#include <string>
#include <string_view>

#include "sim/base/config.hpp"
#include "sim/base/run_notes.hpp"
#include "sim/check/report/report_text.hpp"
#include "sim/check/report/run_note.hpp"
#include "sim/check/report/suppressions.hpp"
#include "sim/os/output.hpp"

namespace cuvette::tools {
namespace {

struct Words {
  const char* reason;
  const char* sentence;  // after "The program '...', which uses CUDA, "
  const char* advice;
};
constexpr Words words[] = {
    {run_notes::set_user_id,
     "has the rights of another user or group, or capabilities (set-user-ID): the loader ignores "
     "LD_LIBRARY_PATH and LD_PRELOAD for it, so it does not run on Cuvette.",
     "Run a copy of the file without these rights."},
    {run_notes::statically, "is linked statically, so it cannot load Cuvette's driver.",
     "Link it without -static: a driver is always a shared library."},
    {run_notes::environment,
     "was started without the environment of `cuvette run`: LD_LIBRARY_PATH does not name "
     "Cuvette's folder, so it does not run on Cuvette.",
     "Keep LD_LIBRARY_PATH, LD_PRELOAD and the CUVETTE_ variables where the program is started "
     "(env -i, sudo and some test runners drop them), or start it by a `cuvette run` of its own "
     "there."},
    {run_notes::driver, "has loaded another driver, so it does not run on Cuvette.",
     "Remove the rpath, or the folder in LD_LIBRARY_PATH, by which the other driver was found; or "
     "use `cuvette run --preload`."},
};

check::Report report_of(const RunNotes::Missed& missed, size_t processes) {
  check::Report report{check::ReportId::not_on_cuvette,
                       "The program '" + missed.program + "', which uses CUDA, ",
                       {{"program", missed.program}, {"processes", uint64_t{processes}}}};
  if (!missed.library.empty()) report.facts.push_back({"driver", missed.library});
  report.program = missed.program;
  for (const Words& one : words)
    if (missed.reason == one.reason) {
      report.sentence += one.sentence;
      report.advice = one.advice;
    }
  return report;
}

}  // namespace

std::vector<check::ReportSummary> report_missed(const RunNotes& notes, ReportFile& file) {
  std::vector<check::ReportSummary> summaries;
  if (notes.missed().empty()) return summaries;
  const check::Suppressions suppressions(config().suppress);
  const check::Baseline baseline(config().baseline);
  for (const auto& [missed, processes] : notes.missed()) {
    const check::Report report = report_of(missed, processes);
    if (suppressions.match(check::kind(report.id).identifier) || suppressions.match(report) ||
        baseline.has(report))
      continue;
    os::write_to_stderr(report.text());
    file.add(report);
    if (notes.is_inner()) check::note_report(report, file.name());
    summaries.push_back(summary_of(report));
  }
  return summaries;
}

}  // namespace cuvette::tools
