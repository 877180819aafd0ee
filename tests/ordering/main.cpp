// SPDX-License-Identifier: Apache-2.0
// `ordering_programs NAME wrong|right` runs one of the programs and exits with its status.
#include <unistd.h>

#include <cstring>

#include "tests/ordering/ordering.hpp"

int main(int argc, char** argv) {
  alarm(60);  // ends a program that hangs
  const bool wrong = argc == 3 && strcmp(argv[2], "wrong") == 0;
  if (argc != 3 || (!wrong && strcmp(argv[2], "right") != 0)) return 2;
#define ORDERING(name, ...) \
  if (strcmp(argv[1], #name) == 0) return name(wrong ? Form::wrong : Form::right);
#include "tests/ordering/orderings.def"
#undef ORDERING
  return 2;
}
