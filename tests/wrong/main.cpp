// SPDX-License-Identifier: Apache-2.0
// `graphics_programs NAME wrong|repaired` runs one of the programs and prints the result of its
// decisive call.
#include <cstring>

#include "tests/wrong/misuse.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Twin twin = strcmp(argv[2], "wrong") == 0 ? Twin::wrong : Twin::repaired;
#define MISUSE(name, ...)                           \
  if (strcmp(argv[1], #name) == 0) {                \
    const char* answer = "an error without a name"; \
    cuGetErrorName(name(twin), &answer);            \
    puts(answer);                                   \
    return 0;                                       \
  }
#include "tests/wrong/misuses.def"
#undef MISUSE
  return 2;
}
