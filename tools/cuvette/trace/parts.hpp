// SPDX-License-Identifier: Apache-2.0
// The parts of a trace. Each adds its tracks to one PerfettoTrace; later parts draw arrows to what
// earlier ones have put there.
//
// Threads: for one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/cuvette/trace/checked_record.hpp"
#include "tools/cuvette/trace/host_timeline.hpp"
#include "tools/cuvette/trace/perfetto_trace.hpp"
#include "tools/cuvette/trace/times.hpp"
#include "tools/cuvette/trace/words.hpp"

namespace cuvette::tools {

struct TraceParts {
  const CheckedRecord& record;
  const HostTimeline& timeline;
  const Times& times;
  const TraceWords& words;
  bool is_wall = false;
  PerfettoTrace file;

  std::vector<PerfettoTrace::Track> devices;    // of the record's devices; 0: nothing is shown
  std::vector<PerfettoTrace::Track> streams;    // of its streams; the same
  std::vector<PerfettoTrace::Track> processes;  // of its processes
  std::vector<PerfettoTrace::Track> threads;    // of its threads
  // Where arrows begin or end; no_mark: nothing is shown.
  std::vector<PerfettoTrace::Mark> calls, commands;
  std::vector<PerfettoTrace::Mark> submissions;  // by command
  std::vector<PerfettoTrace::Mark> host_waits;   // by wait
  uint64_t left_out = 0;                         // windows, overlaps and resources
};

// The tracks of devices and streams, without anything on them: they are shown first.
void add_device_tracks(TraceParts& parts);
// Processes with their threads, and the calls of these.
void add_host(TraceParts& parts);
// The commands of the streams, and the arrows between them and to the host's calls.
void add_commands(TraceParts& parts);
// What is in use and what is pending on each device, over time.
void add_counters(TraceParts& parts);
// Segments, their windows, and the bytes that several of these show.
void add_shared_memory(TraceParts& parts);
// Graphics resources, imported memory and semaphores.
void add_resources(TraceParts& parts);
// Reports, with arrows from what they are about.
void add_reports(TraceParts& parts);
// What the file is and what it lacks.
void add_about(TraceParts& parts);

}  // namespace cuvette::tools
