// SPDX-License-Identifier: Apache-2.0
// Kernels, drawn at random, in which threads wait for each other in every way that the generator
// knows: how they ask, how they let go, who spins, whether they sleep, in which loops. Each ends on
// a device where every thread goes on, and leaves numbers that are known before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct RandomShape {
  std::string text;  // PTX of a kernel `spin` that takes the address of `words` zeros
  unsigned blocks = 1, threads = 32;
  unsigned words = 0;
  std::vector<uint32_t> results;  // what the first words are then
  std::string description;
};

RandomShape random_shape(uint32_t seed);
