// SPDX-License-Identifier: Apache-2.0
// Random kernels whose threads wait for each other in every way that the generator knows: it varies
// how they poll, how they release others, who spins, whether they sleep, and the kind of loop. Each
// kernel ends on a device on which every thread makes progress, with results known beforehand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct RandomShape {
  std::string text;  // PTX of a kernel `spin` whose parameter is the address of `words` zeros
  unsigned blocks = 1, threads = 32;
  unsigned words = 0;
  std::vector<uint32_t> results;  // the first words afterwards
  std::string description;
};

RandomShape random_shape(uint32_t seed);
