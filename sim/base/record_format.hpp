// SPDX-License-Identifier: Apache-2.0
// The files in which processes record what they do: docs/record.md describes them.
//
// A file is blocks of records of 64 bytes; the header is alone in the first block. A block is
// filled from its begin by one thread at a time; a record whose kind is `none` has not been
// written, and neither has anything after it in its block. The kind is stored last, so that a
// process that is killed leaves whole records. `ended` and what is said to come with it are filled
// in later; 0 in `ended` is an end that has not come. So is `began` of a command.
//
// Times are ticks; Clock records say how they become nanoseconds. A text is named by its number,
// 0 is the empty one. A call is named by the place of its record in the file, counted in records;
// 0 is none, as the header is there. A command is named by its stream and its number there.
//
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette::record_format {

inline constexpr char magic[8] = {'c', 'u', 'v', 'e', 't', 't', 'e', '\n'};
inline constexpr uint32_t version = 2;
inline constexpr size_t record_bytes = 64;
inline constexpr size_t block_bytes = size_t{16} << 10;

enum class Kind : uint16_t {
  none,
  owner,
  clock,
  text,
  process,
  end,
  thread,
  device,
  stream,
  call,
  command,
  step,
  edge,
  wait,
  wait_all,
  segment,
  memory,
  touch,
  resource,
  mapped,
  report,
  fact,
  about,
};
inline constexpr auto last_kind = Kind::about;

struct Header {
  char magic[8] = {};
  uint32_t version = 0;
  uint32_t record_bytes = 0, block_bytes = 0;
  uint32_t process = 0;
  uint64_t used = 0;     // bytes of the file that blocks were taken of
  uint64_t dropped = 0;  // records that found no room
  uint64_t unused[3] = {};
};

// The records that follow in this block are this thread's.
struct Owner {
  Kind kind = Kind::owner;
  uint16_t unused = 0;
  uint32_t thread = 0;
  uint64_t more[7] = {};
};

// Two clocks at one moment. Between two of these, time passes evenly.
struct Clock {
  Kind kind = Kind::clock;
  uint16_t unused[3] = {};
  uint64_t ticks = 0;
  uint64_t monotonic_ns = 0;
  uint64_t unix_ns = 0;
  uint64_t more[4] = {};
};

// The rest of the text is in the 64 bytes that follow, and so on.
struct Text {
  Kind kind = Kind::text;
  uint16_t unused = 0;
  uint32_t number = 0;
  uint32_t bytes = 0;
  char begin[52] = {};
};
inline constexpr size_t most_text = 4096;

struct Process {
  Kind kind = Kind::process;
  uint16_t unused = 0;
  uint32_t program = 0, command_line = 0;  // texts
  uint32_t unused_too = 0;
  uint64_t began = 0;
  uint64_t more[5] = {};
};

// The process ends in the usual way.
struct End {
  Kind kind = Kind::end;
  uint16_t unused[3] = {};
  uint64_t time = 0;
  uint64_t more[6] = {};
};

struct Thread {
  Kind kind = Kind::thread;
  uint16_t unused = 0;
  uint32_t number = 0;  // from 0, in this file
  uint32_t id = 0;      // the system's
  uint32_t name = 0;    // text
  uint64_t more[6] = {};
};

struct Device {
  Kind kind = Kind::device;
  uint16_t unused = 0;
  uint32_t ordinal = 0;
  uint32_t name = 0;  // text
  uint32_t unused_too = 0;
  uint64_t more[6] = {};
};

struct Stream {
  Kind kind = Kind::stream;
  uint16_t unused = 0;
  uint32_t number = 0;
  uint32_t device = 0;  // ordinal
  int32_t priority = 0;
  uint32_t way = 0;  // text: legacy, per-thread, blocking, non-blocking
  uint32_t unused_too = 0;
  uint64_t context = 0;
  uint64_t began = 0, ended = 0;
  uint64_t more[2] = {};
};

// A call of one thread contains those that begin before it ends.
struct Call {
  Kind kind = Kind::call;
  uint16_t unused = 0;
  uint32_t function = 0, site = 0;  // texts
  int32_t result = 0;               // with `ended`
  uint64_t began = 0, ended = 0;
  uint64_t bytes = 0;
  uint32_t count = 0;
  uint32_t classes = 0;  // a bit for each CallClass
  uint64_t more[2] = {};
};

// Properties of a call that its cost depends on. Their words are in docs/record.md.
enum class CallClass : uint8_t {
  pageable,
  pinned,
  device,
  managed,
  array,
  imported,
  opengl,
  vulkan,
  async,
  pending,
  idle,
  to_host,
  from_host,
  in_device,
  interprocess,
  timing,
  captured,
};
inline constexpr const char* call_class_words[] = {
    "pageable",  "pinned",    "device",       "managed", "array",   "imported",
    "opengl",    "vulkan",    "async",        "pending", "idle",    "to-host",
    "from-host", "in-device", "interprocess", "timing",  "captured"};

struct Command {
  Kind kind = Kind::command;
  uint16_t threads = 0;  // of a block
  uint32_t stream = 0;
  uint64_t number = 0;
  uint64_t submitted = 0;
  uint64_t blocks = 0;
  uint32_t what = 0, name = 0, site = 0;  // texts
  uint32_t call = 0;                      // the outermost that submitted it
  uint64_t began = 0, ended = 0;          // filled in later
};

// A step of the graph that a command launched has begun.
struct Step {
  Kind kind = Kind::step;
  uint16_t unused = 0;
  uint32_t stream = 0;
  uint64_t number = 0;
  uint32_t step = 0;                      // from 1
  uint32_t what = 0, name = 0, site = 0;  // texts
  uint64_t blocks = 0;
  uint32_t threads = 0;
  uint32_t place = 0;  // among the steps of the graph itself, from 1; 0: it is in a body
  uint64_t began = 0, ended = 0;
};

enum class EdgeWhy : uint16_t { event, legacy_stream, semaphore, graph, other };
inline constexpr auto last_why = EdgeWhy::other;

// A command, or a step of one, begins after the end of another.
struct Edge {
  Kind kind = Kind::edge;
  EdgeWhy why = EdgeWhy::other;
  uint32_t from_stream = 0, to_stream = 0;
  uint32_t from_step = 0, to_step = 0;  // 0: the command
  uint32_t unused = 0;
  uint64_t from_number = 0, to_number = 0;
  uint64_t more[3] = {};
};

// A host thread knows that a command, and all before it in its stream, are completed.
struct Wait {
  Kind kind = Kind::wait;
  uint16_t unused = 0;
  uint32_t stream = 0;
  uint64_t number = 0;
  uint32_t call = 0;  // the outermost
  uint32_t unused_too = 0;
  uint64_t time = 0;
  uint64_t more[4] = {};
};

// The same for all that streams of a context had when it began.
struct WaitAll {
  Kind kind = Kind::wait_all;
  uint16_t blocking_only = 0;  // 1: the legacy stream, and those that wait for it
  uint32_t call = 0;
  uint64_t context = 0;
  uint64_t began = 0, ended = 0;
  uint64_t more[4] = {};
};

struct Segment {
  Kind kind = Kind::segment;
  uint16_t unused = 0;
  uint32_t number = 0;            // from 1
  uint32_t name = 0, origin = 0;  // texts
  uint64_t system = 0, file = 0;  // the same for all processes that share the bytes; 0: unknown
  uint64_t size = 0;
  uint64_t began = 0, ended = 0;
  uint64_t more = 0;
};

enum class MemoryKind : uint8_t {
  device,
  array,
  external,
  external_array,
  mapping,
  shared,
  graphics,
  pool,
  imported,
  reserve,
  variable,
  pinned,
  registered,
  managed,
};
inline constexpr const char* memory_kind_words[] = {
    "device", "array",    "external", "external array", "mapping", "shared",     "graphics",
    "pool",   "imported", "reserve",  "variable",       "pinned",  "registered", "managed"};

inline constexpr uint8_t no_device = 255;
struct Memory {
  Kind kind = Kind::memory;
  MemoryKind what = MemoryKind::device;
  uint8_t device = no_device;   // ordinal
  uint32_t name = 0, site = 0;  // texts
  uint32_t segment = 0;         // number; 0: none
  uint64_t key = 0;             // names the allocation in this process
  uint64_t address = 0, size = 0;
  uint64_t offset = 0;  // in the segment
  uint64_t began = 0, ended = 0;
};

struct Touch {
  Kind kind = Kind::touch;
  uint16_t writes = 0;
  uint32_t stream = 0;
  uint64_t number = 0;
  uint32_t step = 0;
  uint32_t unused = 0;
  uint64_t address = 0, size = 0;
  uint64_t memory = 0;  // key; 0: unknown
  uint64_t more[2] = {};
};

enum class ResourceKind : uint16_t { graphics, external_memory, external_semaphore, event };
inline constexpr auto last_resource_kind = ResourceKind::event;

struct Resource {
  Kind kind = Kind::resource;
  ResourceKind what = ResourceKind::graphics;
  uint32_t name = 0, site = 0;  // texts
  uint32_t unused = 0;
  uint64_t key = 0;  // names it in this process
  uint64_t began = 0, ended = 0;
  uint64_t more[3] = {};
};

struct Mapped {
  Kind kind = Kind::mapped;
  uint16_t unused[3] = {};
  uint64_t resource = 0;  // key
  uint64_t began = 0, ended = 0;
  uint64_t more[4] = {};
};

struct Report {
  Kind kind = Kind::report;
  uint16_t unused = 0;
  uint32_t number = 0;                                                        // from 1
  uint32_t identifier = 0, severity = 0, sentence = 0, advice = 0, site = 0;  // texts
  uint32_t call = 0;
  uint64_t time = 0;
  uint64_t memory = 0;  // key
  uint64_t address = 0, size = 0;
};

struct Fact {
  Kind kind = Kind::fact;
  uint16_t unused = 0;
  uint32_t report = 0;
  uint32_t key = 0, value = 0;  // texts
  uint32_t place = 0;           // among the facts of the report, from 0
  uint32_t unused_too = 0;
  uint64_t more[5] = {};
};

// A report is about a command, or about a call.
struct About {
  Kind kind = Kind::about;
  uint16_t unused = 0;
  uint32_t report = 0;
  uint32_t call = 0;  // 0: a command
  uint32_t stream = 0;
  uint64_t number = 0;
  uint32_t step_place = 0;  // of a step: Step::place
  uint32_t place = 0;       // among the commands of the report, from 0
  uint64_t more[4] = {};
};

#define CUVETTE_RECORD_SIZE(Name) \
  static_assert(sizeof(Name) == record_bytes && alignof(Name) <= record_bytes)
CUVETTE_RECORD_SIZE(Header);
CUVETTE_RECORD_SIZE(Owner);
CUVETTE_RECORD_SIZE(Clock);
CUVETTE_RECORD_SIZE(Text);
CUVETTE_RECORD_SIZE(Process);
CUVETTE_RECORD_SIZE(End);
CUVETTE_RECORD_SIZE(Thread);
CUVETTE_RECORD_SIZE(Device);
CUVETTE_RECORD_SIZE(Stream);
CUVETTE_RECORD_SIZE(Call);
CUVETTE_RECORD_SIZE(Command);
CUVETTE_RECORD_SIZE(Step);
CUVETTE_RECORD_SIZE(Edge);
CUVETTE_RECORD_SIZE(Wait);
CUVETTE_RECORD_SIZE(WaitAll);
CUVETTE_RECORD_SIZE(Segment);
CUVETTE_RECORD_SIZE(Memory);
CUVETTE_RECORD_SIZE(Touch);
CUVETTE_RECORD_SIZE(Resource);
CUVETTE_RECORD_SIZE(Mapped);
CUVETTE_RECORD_SIZE(Report);
CUVETTE_RECORD_SIZE(Fact);
CUVETTE_RECORD_SIZE(About);
#undef CUVETTE_RECORD_SIZE

}  // namespace cuvette::record_format
