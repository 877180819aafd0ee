// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/api/driver/interop/gl_watch/misuse.hpp"
#include "tests/api/no_leak_check.hpp"

int main(int argc, char** argv) {
  NEED(argc == 3);
  const bool wrong = strcmp(argv[2], "wrong") == 0;
  for (const auto* cases : {&draw_cases, &shader_cases, &image_cases, &buffer_cases, &other_cases})
    for (const Case& one : *cases) {
      if (strcmp(one.name, argv[1]) != 0) continue;
      EglContext gl(EglContext::Api::compatibility);
      gl.make_current();
      const Cuda cuda;
      one.run(wrong);
      return 0;
    }
  fprintf(stderr, "There is no case '%s'.\n", argv[1]);
  return 1;
}
