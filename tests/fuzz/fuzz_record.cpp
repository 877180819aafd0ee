// SPDX-License-Identifier: Apache-2.0
// Files of records that no process has written. Nothing may crash, and what is read must hang
// together (record_check.hpp).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/record_file.hpp"
#include "tests/tools/record_check.hpp"
#include "tools/cuvette/record/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string wrong = wrong_with(cuvette::tools::record_of(made::files_of(data, size)));
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
