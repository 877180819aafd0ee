// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/record/record_run.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/record/read.hpp"

namespace cuvette::tools {

namespace fs = std::filesystem;

namespace {

// A folder that is gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failure;
    std::string pattern = (fs::temp_directory_path(failure) / "cuvette-record-XXXXXX").string();
    if (!failure && mkdtemp(pattern.data())) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: there is none

 private:
  std::string path_;
};

}  // namespace

RecordedRun record_run(RunOptions run, const RecordOptions& options) {
  const TemporaryFolder temporary;
  const std::string folder = options.keep.empty() ? temporary.path() : options.keep;
  if (folder.empty()) {
    fprintf(stderr, "cuvette %s: there is no folder for temporary files: TMPDIR, or /tmp\n",
            options.command);
    return {status_own_failure, {}};
  }
  run.becomes_program = false;
  run.environment.emplace_back("CUVETTE_RECORD", fs::absolute(folder).string());
  if (options.touches) run.environment.emplace_back("CUVETTE_RECORD_TOUCHES", "1");
  RecordedRun recorded;
  recorded.status = tools::run(run);
  recorded.record = read_record(folder);
  return recorded;
}

}  // namespace cuvette::tools
