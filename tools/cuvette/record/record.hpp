// SPDX-License-Identifier: Apache-2.0
// Record: what the processes of one run did to their devices, and in what order. The views
// (trace, page, cost) are made of it and know nothing of the files that it is read from.
//
// Times are nanoseconds of the machine's monotonic clock. An index is a position in the vector that
// its comment names; `none` where there is nothing to name.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {

struct Record {
  static constexpr uint32_t none = ~0u;
  static constexpr uint64_t open = ~0ull;  // an end that did not come: the process died before, or
                                           // the thing lived to the process's end

  struct Process {
    uint32_t id = 0;           // the system's
    std::string program;       // the path of its file
    std::string command_line;  // as the program was started
    uint64_t began = 0;
    uint64_t ended = open;       // open: killed, or it ended without telling (_exit)
    uint64_t began_unix_ns = 0;  // `began` on the clock of the calendar
    uint64_t dropped = 0;        // records that found no room
  };
  struct Thread {
    uint32_t process = 0;  // processes
    uint32_t id = 0;       // the system's
    std::string name;
  };
  struct Device {
    uint32_t process = 0;
    uint32_t ordinal = 0;
    std::string name;
  };
  struct Stream {
    uint32_t device = 0;   // devices
    uint64_t id = 0;       // counted from 0 in the order of creation in its process
    uint64_t context = 0;  // the number of its context, unique in its process
    std::string kind;      // legacy, per-thread, blocking, non-blocking
    int priority = 0;
    uint64_t began = 0, ended = open;
  };
  // A call of the API. Calls of one thread nest: a call of the runtime contains the driver's.
  struct Call {
    uint32_t thread = 0;    // threads
    std::string function;   // cuMemAlloc_v2, cudaMalloc
    std::string call_site;  // main (shared.cpp:40); empty if unknown
    uint64_t began = 0, ended = open;
    int32_t result = 0;  // CUresult; means nothing while `ended` is open
    // What its cost depends on: bytes that it copies, allocates or maps, resources that it maps at
    // once, nodes of a graph; 0 if nothing counts or it is unknown.
    uint64_t bytes = 0;
    uint32_t count = 0;
    // Classes of its arguments, words of docs/record.md separated by blanks: "pinned",
    // "pageable", "imported", "device", "host", "async", "pending" (work was pending in what it
    // waits for), ...
    std::string classes;
  };
  // Work of a device: a stream's command, or a step of a graph that a command launched.
  struct Command {
    uint32_t stream = 0;     // streams
    uint64_t number = 0;     // in its stream, from 1
    uint32_t launch = none;  // commands: the launch of the graph that it is a step of
    uint32_t step = 0;       // in its launch, from 1
    std::string kind;        // copy, fill, kernel, event record, event wait, graph, ...
    std::string name;        // a kernel's, as its source spells it; an event's, "event 3"; or empty
    std::string call_site;
    uint32_t call = none;  // calls: the outermost that submitted it
    uint64_t submitted = 0;
    uint64_t began = open, ended = open;
    uint64_t blocks = 0, threads = 0;  // of a kernel: its grid's and a block's
  };
  // `to` does not begin before `from` has ended. Two commands of one stream have no edge: their
  // numbers order them.
  struct Edge {
    enum class Why : uint8_t { event, legacy_stream, semaphore, graph, other };
    uint32_t from = 0, to = 0;  // commands
    Why why = Why::other;
  };
  // A host thread learnt that a command has ended, and may rely on it from the end of `call` on.
  struct HostWait {
    uint32_t command = 0;  // commands: it, and all before it in its stream
    uint32_t call = 0;     // calls: the outermost
  };
  // Memory that windows show: a segment of shared memory, or another API's object.
  struct Segment {
    uint32_t process = 0;
    uint64_t identity = 0;  // equal in all processes that share the bytes; 0: unknown
    std::string name;       // "segment 1", "OpenGL buffer 3"
    std::string origin;     // "imported", "exported", "device", "OpenGL", "Vulkan", ...
    uint64_t size = 0;
    uint64_t began = 0, ended = open;
  };
  // An allocation, or a window into a segment: addresses through which bytes are reached.
  struct Memory {
    uint32_t process = 0;
    uint32_t device = none;  // devices; none: the host's
    std::string kind;        // device, pool, pinned, managed, external, mapping, graphics, ...
    std::string name;        // a variable's; "OpenGL buffer 3"; or empty
    uint64_t address = 0, size = 0;
    uint32_t segment = none;  // segments
    uint64_t offset = 0;      // where it begins in its segment
    uint64_t began = 0, ended = open;
    std::string call_site;  // of the call that made it
  };
  // Bytes that a command reads or writes.
  struct Touch {
    uint32_t command = 0;
    uint32_t memory = none;  // memories; none: unknown memory
    uint64_t address = 0, size = 0;
    bool writes = false;
  };
  // Something of another API, or one that several share, over its life.
  struct Resource {
    enum class Kind : uint8_t { graphics, external_memory, external_semaphore, event };
    uint32_t process = 0;
    Kind kind = Kind::graphics;
    std::string name;                  // "OpenGL buffer 3", "external memory 1"
    uint64_t began = 0, ended = open;  // registered, imported or created, until it was given back
    std::string call_site;
    // When it was mapped and unmapped; `open` if it still is.
    std::vector<std::pair<uint64_t, uint64_t>> mapped;
  };
  struct Report {
    uint32_t process = 0;
    uint64_t time = 0;
    std::string identifier;  // unordered-access
    std::string severity;    // error, warning, hint
    std::string message;     // its sentence
    std::string call_site;
    std::vector<std::pair<std::string, std::string>> facts;
    std::vector<uint32_t> commands;  // commands that it is about, in the order of the report
    std::vector<uint32_t> calls;     // calls that it is about
    uint32_t memory = none;          // memories
    uint64_t address = 0, size = 0;  // the bytes that it is about; size 0: none
    std::string advice;              // the sentence that says what to do; empty if there is none
  };

  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<Stream> streams;
  std::vector<Call> calls;        // by `began`
  std::vector<Command> commands;  // by `submitted`
  std::vector<Edge> edges;
  std::vector<HostWait> host_waits;
  std::vector<Segment> segments;
  std::vector<Memory> memories;
  std::vector<Touch> touches;
  std::vector<Resource> resources;
  std::vector<Report> reports;
  uint64_t unreadable = 0;  // records that made no sense, and were left out
};

}  // namespace cuvette::tools
