// SPDX-License-Identifier: Apache-2.0
// Records that no program made, for tests of the views.
#pragma once

#include <cstdint>
#include <random>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// A program that imports memory, shows it through two windows that overlap, and works on it in two
// streams: with an event, a graph, a mapped buffer of OpenGL, and a race.
Record record_by_hand();

// What a program with a few threads, streams and processes may do: what depends on something comes
// after it, and calls nest.
Record possible_record(std::mt19937& random);

// Anything: indices of nothing, times that contradict each other, names of any bytes.
Record hostile_record(std::mt19937& random);

// Kernels that a host thread launches in two streams, with an event after every eighth.
Record many_launches(uint32_t launches);

}  // namespace cuvette::tools
