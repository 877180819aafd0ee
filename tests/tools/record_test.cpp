// SPDX-License-Identifier: Apache-2.0
// What a run records, end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/tools/shell.hpp"
#include "tools/cuvette/record/read.hpp"

namespace {

namespace fs = std::filesystem;
using cuvette::tools::read_record;
using cuvette::tools::Record;

class RecordTest : public testing::Test {
 protected:
  RecordTest() {
    std::string pattern = (fs::temp_directory_path() / "record-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~RecordTest() override { fs::remove_all(folder_); }

  // Runs a command of the shell with recording; returns what was recorded.
  Record record(const std::string& program) {
    const std::string command =
        "CUVETTE_RECORD=" + folder_ + " " CUVETTE_COMMAND " run --quiet -- " + program;
    status_ = system((command + " > " + folder_ + "/out 2>&1").c_str());
    return read_record(folder_);
  }

  std::string folder_;
  int status_ = 0;
};

const Record::Call* call_of(const Record& record, const std::string& function) {
  const auto found = std::ranges::find(record.calls, function, &Record::Call::function);
  return found == record.calls.end() ? nullptr : &*found;
}

TEST_F(RecordTest, CallsAndCommands) {
  const Record record = this->record(EXPLORED_PROGRAM " right");
  ASSERT_EQ(record.processes.size(), 1u);
  EXPECT_EQ(record.processes[0].program, EXPLORED_PROGRAM);
  EXPECT_NE(record.processes[0].ended, Record::open);
  EXPECT_EQ(record.processes[0].dropped, 0u);
  EXPECT_EQ(record.unreadable, 0u);
  ASSERT_EQ(record.devices.size(), 1u);
  const Record::Call* const copy = call_of(record, "cuMemcpyDtoHAsync_v2");
  ASSERT_TRUE(copy);
  EXPECT_NE(copy->call_site.find("explored.cpp:"), std::string::npos) << copy->call_site;
  EXPECT_LE(copy->began, copy->ended);
  const auto command = std::ranges::find(record.commands, "copy", &Record::Command::kind);
  ASSERT_NE(command, record.commands.end());
  EXPECT_EQ(&record.calls.at(command->call), copy);
  EXPECT_LE(copy->began, command->submitted);
  EXPECT_LE(command->submitted, command->began);
  EXPECT_LE(command->began, command->ended);
}

}  // namespace
