// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/record/record_run.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/temporary_folder.hpp"

namespace cuvette::tools {

namespace fs = std::filesystem;

RecordedRun record_run(RunOptions run, const RecordOptions& options) {
  const TemporaryFolder temporary("cuvette-record-XXXXXX");
  const std::string folder = options.keep.empty() ? temporary.path() : options.keep;
  if (folder.empty()) {
    fprintf(stderr, "cuvette %s: there is no folder for temporary files: TMPDIR, or /tmp\n",
            options.command);
    return {status_own_failure, {}};
  }
  run.command = options.command;
  run.becomes_program = false;
  run.environment.emplace_back("CUVETTE_RECORD", fs::absolute(folder).string());
  if (options.touches) run.environment.emplace_back("CUVETTE_RECORD_TOUCHES", "1");
  RecordedRun recorded;
  recorded.status = tools::run(run);
  recorded.record = read_record(folder);
  return recorded;
}

}  // namespace cuvette::tools
