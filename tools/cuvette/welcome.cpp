// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/welcome.hpp"

#include <cstdio>

#include "tools/cuvette/terminal.hpp"

namespace cuvette::tools {

void print_welcome() {
  constexpr struct {
    const char *command, *purpose;
  } lines[] = {
      {"cuvette doctor", "is everything in its place here?"},
      {"cuvette run ./program", "run a program on a simulated H200"},
      {"cuvette run --check=all ./program", "and have its mistakes reported"},
      {"cuvette explore ./program", "look for a legal order in which it fails"},
      {"cuvette c++ app.cu -o app", "compile CUDA C++ without NVIDIA's toolkit"},
      {"cuvette help", "everything else"},
  };
  printf("Cuvette %s is a CUDA device made of software: programs for NVIDIA's GPUs run on it.\n\n",
         CUVETTE_VERSION);
  for (const auto& [command, purpose] : lines) {
    const std::string padding(36 - std::char_traits<char>::length(command), ' ');
    printf("  %s%s%s\n", coloured(stdout, Colour::bold, command).c_str(), padding.c_str(), purpose);
  }
  printf("\nFor a program that finds no device, begin with: cuvette doctor -- ./program\n");
}

}  // namespace cuvette::tools
