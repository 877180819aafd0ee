// SPDX-License-Identifier: Apache-2.0
// Runs programs with recording, and reads what they leave.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/record_check.hpp"
#include "tools/cuvette/record/read.hpp"

class RecordTest : public testing::Test {
 protected:
  RecordTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "record-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~RecordTest() override { std::filesystem::remove_all(folder_); }

  // Runs a program as a line of the shell, with recording and `variables`.
  cuvette::tools::Record record(const std::string& program, const std::string& variables = {}) {
    const std::string line = variables + " CUVETTE_RECORD=" + folder_ +
                             " " CUVETTE_COMMAND " run --quiet -- " + program + " > " + folder_ +
                             "/out 2>&1";
    const int status = system(line.c_str());
    EXPECT_EQ(status, 0) << line;
    cuvette::tools::Record record = cuvette::tools::read_record(folder_);
    EXPECT_EQ(wrong_with(record), "");
    EXPECT_EQ(record.unreadable, 0u);
    for (const cuvette::tools::Record::Process& process : record.processes)
      EXPECT_EQ(process.dropped, 0u);
    return record;
  }

  void empty_folder() {
    for (const auto& file : std::filesystem::directory_iterator(folder_))
      std::filesystem::remove(file);
  }

  std::string folder_;
};

inline std::vector<const cuvette::tools::Record::Call*> calls_of(
    const cuvette::tools::Record& record, const std::string& function) {
  std::vector<const cuvette::tools::Record::Call*> found;
  for (const cuvette::tools::Record::Call& call : record.calls)
    if (call.function == function) found.push_back(&call);
  return found;
}
