// SPDX-License-Identifier: Apache-2.0
// Runs a program in a process of its own and returns what it printed and what was reported about
// it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

struct Outcome {
  int status;  // 1000 and the signal if it was killed
  std::vector<nlohmann::json> reports;
  std::string errors, output;
};

inline std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `environment` is what a shell takes before a command: "NAME=value ...".
inline Outcome run_program(const std::string& command, const std::string& environment) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::path(testing::TempDir()) / ("cuvette-wrong-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string errors = folder / "errors", reports = folder / "reports",
                    output = folder / "output";
  const int status = std::system((environment + " CUVETTE_REPORT='" + reports + "' " + command +
                                  " >'" + output + "' 2>'" + errors + "'")
                                     .c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
                  {},
                  text_of(errors),
                  text_of(output)};
  std::ifstream lines(reports);
  for (std::string text; std::getline(lines, text);)
    outcome.reports.push_back(nlohmann::json::parse(text));
  fs::remove_all(folder);
  return outcome;
}
