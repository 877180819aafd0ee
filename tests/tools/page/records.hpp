// SPDX-License-Identifier: Apache-2.0
// Records for the tests of the page.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// A copy does not wait for the kernel in another stream that writes what it reads.
Record race_record();
// The same with the event that was missing.
Record repaired_record();
// Windows of imported memory that share some of its bytes.
Record windows_record();
// A buffer of OpenGL that is mapped for each frame.
Record opengl_record();
// A graph in which two steps meet in memory and nothing orders them.
Record graph_record();
// A host that reads before the copy to it has ended.
Record host_race_record();
// A process that was killed while commands were waiting.
Record killed_record();
// Two processes that share a segment.
Record processes_record();
// Memory of a pool that is freed while what uses it waits.
Record pool_record();
// Names that are too long for bars, and an arrow behind one of these.
Record names_record();
// Names as an attacker would choose them.
Record hostile_record();
// So many commands, and as many calls.
Record long_record(size_t commands);
// Streams, edges, waits and graphs drawn at random.
Record random_record(uint32_t seed);

}  // namespace cuvette::tools
