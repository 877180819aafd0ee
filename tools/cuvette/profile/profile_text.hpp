// SPDX-License-Identifier: Apache-2.0
// The counts of kernels in words: for a terminal, and a kernel or a line at a time.
//
// Threads: any. They read the files of source that the model names.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/cuvette/profile/profile_model.hpp"

namespace cuvette::tools {

// `limit`: lines of each kernel; 0: all. `stream`: where the text goes, which may have colours.
std::string as_text(const ProfileModel& model, size_t limit, FILE* stream);

// What as_text() says of a kernel, and of each of its first `limit` lines (0: all).
struct KernelWords {
  struct Line {
    std::string source;  // the text of that line of the program; empty: it is not at hand
    std::string words;
  };
  std::string words;
  std::vector<Line> lines;
};
std::vector<KernelWords> words_of(const ProfileModel& model, size_t limit);

}  // namespace cuvette::tools
