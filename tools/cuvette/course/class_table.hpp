// SPDX-License-Identifier: Apache-2.0
// The grades of a class as a table: text, CSV, JSON.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

struct ClassRow {
  std::string student;  // the name of the file or folder
  std::string verdict;  // passed, failed, stopped (at a limit), not gradable
  std::string check;    // that failed
  std::string report;   // the identifier
  std::string message;  // the sentence of the exercise, or why it was stopped
  double seconds = 0;
};

std::string class_text(const std::vector<ClassRow>& rows);
std::string class_csv(const std::vector<ClassRow>& rows);
std::string class_json(const std::string& exercise, const std::vector<ClassRow>& rows);

}  // namespace cuvette::tools
