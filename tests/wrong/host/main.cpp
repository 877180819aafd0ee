// SPDX-License-Identifier: Apache-2.0
// `host_programs NAME wrong|repaired` runs one of the programs in host.def.
#include <cstring>

#include "tests/wrong/host/host.hpp"

int main(int argc, char** argv) {
  if (argc == 3) {
    const Twin twin = strcmp(argv[2], "wrong") == 0 ? Twin::wrong : Twin::repaired;
#define HOST(name, report) \
  if (strcmp(argv[1], #name) == 0) return name(twin), 0;
#include "tests/wrong/host/host.def"
#undef HOST
  }
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
