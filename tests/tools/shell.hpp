// SPDX-License-Identifier: Apache-2.0
// Runs lines of a shell, for tests of the `cuvette` command from outside.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

struct Outcome {
  int status;
  std::string output;
};

// Runs a line of sh; `output` gets both streams.
inline Outcome run_line(const std::string& line) {
  const std::string whole = "{ " + line + "\n} 2>&1";
  FILE* pipe = popen(whole.c_str(), "r");
  Outcome outcome;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe)) outcome.output.append(buffer, count);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return outcome;
}

// The same with the command as $C.
inline Outcome shell(const std::string& line) {
  return run_line("C='" CUVETTE_COMMAND "'; " + line);
}

inline bool has(const Outcome& outcome, const std::string& text) {
  return outcome.output.find(text) != std::string::npos;
}
