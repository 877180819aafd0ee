// SPDX-License-Identifier: Apache-2.0
// For tests of reports that go to files: a folder of its own for each test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "sim/check/report/report.hpp"

namespace cuvette::check {

class ReportFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "report-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Admits and writes a report as the checks do; returns the output on stderr.
inline std::string make(Reporter& reporter, const Report& report, const void* place) {
  testing::internal::CaptureStderr();
  if (reporter.admit(report.id, place)) reporter.write(report);
  return testing::internal::GetCapturedStderr();
}

}  // namespace cuvette::check
