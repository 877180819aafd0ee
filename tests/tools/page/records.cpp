// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/page/records.hpp"

#include <algorithm>
#include <string>

#include "tests/tools/page/record_maker.hpp"

namespace cuvette::tools {
namespace {

constexpr uint64_t KiB = 1024;
constexpr uint64_t MiB = 1024 * KiB;
constexpr uint64_t base = 0x7e2c40000000;
using Why = Record::Edge::Why;

Record::Report unordered(const RecordMaker& maker, uint32_t earlier, uint32_t later,
                         uint32_t memory, uint64_t offset, uint64_t size, std::string message) {
  Record::Report report;
  report.time = maker.now();
  report.identifier = "unordered-access";
  report.severity = "error";
  report.message = std::move(message);
  report.call_site = maker.record.commands[later].call_site;
  report.commands = {later, earlier};
  report.memory = memory;
  report.address = maker.record.memories[memory].address + offset;
  report.size = size;
  report.facts = {{"address", "0x7e2c40000000"}, {"bytes", std::to_string(size)}};
  report.advice =
      "Record an event after the first command and make the second stream wait for it; or "
      "synchronise with the first command before you submit the second.";
  return report;
}

// A program with two streams that fills, scales and copies; `waits`: with the event between.
Record two_streams(const std::string& program, bool waits) {
  RecordMaker maker(program);
  maker.call("cuInit", 18, 90'000);
  maker.call("cuCtxCreate", 20, 70'000);
  const uint32_t legacy = maker.stream("legacy");
  (void)legacy;
  const uint32_t values = maker.memory("device", "values", base, 256 * KiB, 24);
  maker.call("cuMemAlloc_v2", 24, 9'000);
  const uint32_t result = maker.memory("device", "result", base + MiB, 256 * KiB, 25);
  maker.call("cuMemAlloc_v2", 25, 8'000);
  const uint32_t one = maker.stream("non-blocking");
  maker.call("cuStreamCreate", 26, 3'000);
  const uint32_t two = maker.stream("non-blocking");
  maker.call("cuStreamCreate", 27, 3'000);
  const uint32_t fill =
      maker.command(one, "fill", "", maker.call("cuMemsetD32Async", 30, 4'000), 14'000);
  maker.touch(fill, values, 0, 256 * KiB, true);
  const uint32_t scale = maker.command(one, "kernel", "scale(float*, float, int)",
                                       maker.call("cuLaunchKernel", 31, 5'000), 42'000);
  maker.record.commands[scale].blocks = 256;
  maker.record.commands[scale].threads = 256;
  maker.touch(scale, values, 0, 256 * KiB, false);
  maker.touch(scale, values, 0, 256 * KiB, true);
  std::vector<uint32_t> after;
  if (waits) {
    const uint32_t recorded =
        maker.command(one, "event record", "event 1", maker.call("cuEventRecord", 32, 2'000), 400);
    const uint32_t waiting = maker.command(
        two, "event wait", "event 1", maker.call("cuStreamWaitEvent", 33, 2'000), 400, {recorded});
    maker.edge(recorded, waiting, Why::event);
  }
  const uint32_t copy =
      maker.command(two, "copy", "", maker.call("cuMemcpyDtoDAsync_v2", 34, 5'000), 21'000);
  maker.touch(copy, values, 64 * KiB, 128 * KiB, false);
  maker.touch(copy, result, 64 * KiB, 128 * KiB, true);
  if (!waits)
    maker.record.reports.push_back(
        unordered(maker, scale, copy, values, 64 * KiB, 128 * KiB,
                  "A copy in stream 2 reads 131072 bytes of device memory at 0x7e2c40010000 that "
                  "the kernel scale in stream 1 writes, and nothing orders the two: no event, no "
                  "synchronisation, no rule between streams."));
  const uint32_t waited = maker.wait(copy, "cuStreamSynchronize", 36);
  (void)waited;
  const uint32_t back =
      maker.command(two, "copy", "", maker.call("cuMemcpyDtoHAsync_v2", 37, 5'000), 12'000);
  maker.touch(back, result, 0, 256 * KiB, false);
  maker.wait(back, "cuStreamSynchronize", 38);
  maker.call("cuMemFree_v2", 40, 4'000);
  maker.record.memories[values].ended = maker.now();
  maker.call("cuMemFree_v2", 41, 4'000);
  maker.record.memories[result].ended = maker.now();
  maker.finish();
  return maker.record;
}

}  // namespace

Record race_record() { return two_streams("race", false); }
Record repaired_record() { return two_streams("race", true); }

Record windows_record() {
  RecordMaker maker("windows");
  maker.call("cuCtxCreate", 14, 60'000);
  maker.stream("legacy");
  const uint32_t segment = maker.segment("segment 1", "imported", MiB);
  maker.call("cuImportExternalMemory", 22, 21'000);
  const uint32_t head = maker.window(segment, "external", "head", base, 0, 384 * KiB, 25);
  maker.call("cuExternalMemoryGetMappedBuffer", 25, 12'000);
  const uint32_t middle =
      maker.window(segment, "external", "middle", base + 0x200000, 256 * KiB, 512 * KiB, 27);
  maker.call("cuExternalMemoryGetMappedBuffer", 27, 12'000);
  const uint32_t tail =
      maker.window(segment, "external", "tail", base + 0x400000, 704 * KiB, 320 * KiB, 29);
  maker.call("cuExternalMemoryGetMappedBuffer", 29, 12'000);
  const uint32_t one = maker.stream("blocking");
  maker.call("cuStreamCreate", 31, 3'000);
  const uint32_t two = maker.stream("blocking");
  maker.call("cuStreamCreate", 32, 3'000);
  const uint32_t fill =
      maker.command(one, "fill", "", maker.call("cuMemsetD8Async", 35, 4'000), 18'000);
  maker.touch(fill, head, 0, 384 * KiB, true);
  const uint32_t recorded =
      maker.command(one, "event record", "event 1", maker.call("cuEventRecord", 36, 2'000), 500);
  const uint32_t waiting = maker.command(
      two, "event wait", "event 1", maker.call("cuStreamWaitEvent", 37, 2'000), 500, {recorded});
  maker.edge(recorded, waiting, Why::event);
  const uint32_t sum = maker.command(two, "kernel", "sum(float const*, float*)",
                                     maker.call("cuLaunchKernel", 38, 5'000), 35'000);
  maker.touch(sum, middle, 0, 512 * KiB, false);
  maker.touch(sum, tail, 64 * KiB, 256 * KiB, true);
  const uint32_t back =
      maker.command(two, "copy", "", maker.call("cuMemcpyDtoHAsync_v2", 39, 5'000), 15'000);
  maker.touch(back, tail, 64 * KiB, 256 * KiB, false);
  maker.wait(back, "cuStreamSynchronize", 40);
  maker.finish();
  return maker.record;
}

Record opengl_record() {
  RecordMaker maker("particles");
  maker.call("cuGLGetDevices", 30, 30'000);
  const uint32_t legacy = maker.stream("legacy");
  const uint32_t one = maker.stream("non-blocking");
  maker.call("cuStreamCreate", 34, 3'000);
  const uint32_t segment = maker.segment("OpenGL buffer 3", "OpenGL", 2 * MiB);
  Record::Resource buffer;
  buffer.kind = Record::Resource::Kind::graphics;
  buffer.name = "OpenGL buffer 3";
  buffer.call_site = "main (/home/me/particles.cpp:41)";
  buffer.began = maker.now();
  maker.call("cuGraphicsGLRegisterBuffer", 41, 16'000);
  for (int frame = 0; frame < 3; ++frame) {
    const uint64_t mapped_at = maker.now();
    const uint32_t map = maker.call("cuGraphicsMapResources", 50, 15'000);
    maker.record.calls[map].count = 1;
    const uint32_t points = maker.window(segment, "graphics", "points", base, 0, 2 * MiB, 51);
    maker.call("cuGraphicsResourceGetMappedPointer_v2", 51, 1'500);
    const uint32_t moved = maker.command(one, "kernel", "move_particles(float4*, float)",
                                         maker.call("cuLaunchKernel", 52, 4'000), 25'000);
    maker.touch(moved, points, 0, 2 * MiB, false);
    maker.touch(moved, points, 0, 2 * MiB, true);
    maker.wait(moved, "cuStreamSynchronize", 53);
    maker.call("cuGraphicsUnmapResources", 55, 9'000);
    maker.record.memories[points].ended = maker.now();
    buffer.mapped.emplace_back(mapped_at, maker.now());
    maker.pass(8'000);
  }
  buffer.ended = maker.now() + 30'000;
  (void)legacy;
  maker.record.resources.push_back(buffer);
  maker.finish();
  return maker.record;
}

Record graph_record() {
  RecordMaker maker("pipeline");
  maker.call("cuCtxCreate", 12, 50'000);
  maker.stream("legacy");
  const uint32_t one = maker.stream("non-blocking");
  maker.call("cuStreamCreate", 15, 3'000);
  const uint32_t input = maker.memory("device", "input", base, 64 * KiB, 18);
  const uint32_t left = maker.memory("device", "left", base + MiB, 64 * KiB, 19);
  const uint32_t right = maker.memory("device", "right", base + 2 * MiB, 64 * KiB, 20);
  maker.call("cuGraphInstantiateWithFlags", 40, 20'000);
  const uint32_t launch =
      maker.command(one, "graph", "", maker.call("cuGraphLaunch", 44, 7'000), 120'000);
  const auto step = [&](const char* kind, const char* name, int line, uint64_t after,
                        uint64_t length) {
    Record::Command command = maker.record.commands[launch];
    command.number = 1;
    command.launch = launch;
    command.step = static_cast<uint32_t>(maker.record.commands.size() - launch);
    command.kind = kind;
    command.name = name;
    command.call_site = "main (/home/me/pipeline.cpp:" + std::to_string(line) + ")";
    command.began += after;
    command.ended = command.began + length;
    maker.record.commands.push_back(command);
    return static_cast<uint32_t>(maker.record.commands.size() - 1);
  };
  const uint32_t load = step("copy", "", 24, 1'000, 20'000);
  const uint32_t blur = step("kernel", "blur(float const*, float*)", 27, 24'000, 40'000);
  const uint32_t edges = step("kernel", "edges(float const*, float*)", 30, 25'000, 30'000);
  const uint32_t join = step("kernel", "join(float*, float const*)", 33, 68'000, 40'000);
  maker.edge(load, blur, Why::graph);
  maker.edge(load, edges, Why::graph);
  maker.edge(blur, join, Why::graph);
  maker.touch(load, input, 0, 64 * KiB, true);
  maker.touch(blur, input, 0, 64 * KiB, false);
  maker.touch(blur, left, 0, 64 * KiB, true);
  maker.touch(edges, input, 0, 64 * KiB, false);
  maker.touch(edges, right, 0, 64 * KiB, true);
  maker.touch(join, left, 0, 64 * KiB, true);
  maker.touch(join, right, 0, 64 * KiB, false);
  maker.wait(launch, "cuStreamSynchronize", 46);
  maker.record.reports.push_back(unordered(
      maker, edges, join, right, 0, 64 * KiB,
      "The kernel join, step 4 of a graph in stream 1, reads 65536 bytes of device memory "
      "at 0x7e2c40200000 that the kernel edges, step 3 of the same launch, writes, and "
      "nothing orders the two."));
  maker.finish();
  return maker.record;
}

Record host_race_record() {
  RecordMaker maker("early");
  maker.stream("legacy");
  const uint32_t one = maker.stream("non-blocking");
  const uint32_t pinned = maker.memory("pinned", "result", base, 4 * KiB, 20);
  maker.record.memories[pinned].device = Record::none;
  const uint32_t copy =
      maker.command(one, "copy", "", maker.call("cuMemcpyDtoHAsync_v2", 24, 4'000), 60'000);
  maker.touch(copy, pinned, 0, 4 * KiB, true);
  const uint32_t reads = maker.call("cuMemcpyHtoD_v2", 26, 9'000);
  Record::Report report;
  report.time = maker.now();
  report.identifier = "host-race";
  report.severity = "error";
  report.message = "The host reads memory that a copy in stream 1 may still write.";
  report.call_site = maker.record.calls[reads].call_site;
  report.commands = {copy};
  report.calls = {reads};
  report.memory = pinned;
  report.address = base;
  report.size = 4 * KiB;
  report.advice = "Synchronise with the stream before the host touches the memory.";
  maker.record.reports.push_back(report);
  maker.finish();
  return maker.record;
}

Record killed_record() {
  RecordMaker maker("killed");
  maker.stream("legacy");
  const uint32_t one = maker.stream("non-blocking");
  const uint32_t memory = maker.memory("device", "", base, MiB, 10);
  for (int line = 20; line < 24; ++line) {
    const uint32_t command = maker.command(one, "kernel", "forever(int*)",
                                           maker.call("cuLaunchKernel", line, 4'000), 30'000);
    maker.touch(command, memory, 0, MiB, true);
    if (line > 20) maker.record.commands[command].ended = Record::open;
    if (line > 21) maker.record.commands[command].began = Record::open;
  }
  const uint32_t waiting = maker.call("cuStreamSynchronize", 30, 1);
  maker.record.calls[waiting].ended = Record::open;
  maker.record.processes[0].dropped = 3;
  maker.record.unreadable = 1;
  return maker.record;
}

Record processes_record() {
  RecordMaker maker("producer");
  Record::Process other = maker.record.processes[0];
  other.id = 4300;
  other.program = "/home/me/consumer";
  other.command_line = "./consumer --of=producer";
  maker.record.processes.push_back(other);
  maker.record.threads.push_back({1, 4300, "main"});
  maker.record.devices.push_back({1, 0, "NVIDIA H200"});
  const uint32_t one = maker.stream("non-blocking");
  const uint32_t two = maker.stream("non-blocking");
  maker.record.streams[two].device = 1;
  maker.record.streams[two].id = 1;
  const uint32_t exported = maker.segment("segment 1", "exported", 64 * KiB);
  const uint32_t imported = maker.segment("segment 1", "imported", 64 * KiB);
  maker.record.segments[imported].identity = maker.record.segments[exported].identity;
  maker.record.segments[imported].process = 1;
  const uint32_t here = maker.window(exported, "mapping", "", base, 0, 64 * KiB, 20);
  const uint32_t there = maker.window(imported, "external", "", base + MiB, 0, 64 * KiB, 60);
  maker.record.memories[there].process = 1;
  maker.record.memories[there].device = 1;
  const uint32_t writes =
      maker.command(one, "fill", "", maker.call("cuMemsetD8Async", 24, 4'000), 20'000);
  const uint32_t call = maker.call("cuMemcpyDtoHAsync_v2", 66, 4'000);
  maker.record.calls[call].thread = 1;
  const uint32_t reads = maker.command(two, "copy", "", call, 20'000);
  maker.touch(writes, here, 0, 64 * KiB, true);
  maker.touch(reads, there, 0, 32 * KiB, false);
  maker.record.reports.push_back(unordered(maker, writes, reads, there, 0, 32 * KiB,
                                           "A copy of another process reads what a fill writes."));
  maker.finish();
  maker.record.processes[1].ended = maker.record.processes[0].ended;
  return maker.record;
}

Record pool_record() {
  RecordMaker maker("pool");
  maker.stream("legacy");
  const uint32_t one = maker.stream("non-blocking");
  const uint32_t part = maker.memory("pool", "", base, 64 * KiB, 20);
  const uint32_t allocate =
      maker.command(one, "allocate", "", maker.call("cuMemAllocAsync", 20, 4'000), 2'000);
  maker.touch(allocate, part, 0, 64 * KiB, true);
  const uint32_t scale = maker.command(one, "kernel", "scale(float*)",
                                       maker.call("cuLaunchKernel", 21, 4'000), 90'000);
  maker.touch(scale, part, 0, 64 * KiB, false);
  maker.touch(scale, part, 0, 64 * KiB, true);
  const uint32_t free =
      maker.command(one, "free", "", maker.call("cuMemFreeAsync", 22, 4'000), 2'000);
  maker.touch(free, part, 0, 64 * KiB, true);
  maker.record.memories[part].ended = maker.record.commands[free].ended;
  maker.wait(free, "cuStreamSynchronize", 23);
  maker.finish();
  return maker.record;
}

Record names_record() {
  RecordMaker maker("names");
  maker.stream("legacy");
  const uint32_t one = maker.stream("non-blocking");
  const uint32_t two = maker.stream("non-blocking");
  const uint32_t three = maker.stream("non-blocking");
  const uint32_t memory = maker.memory(
      "device",
      "std::vector<double, pool_allocator<double>> accumulated_contributions_of_all_blocks", base,
      64 * KiB, 20);
  const uint32_t first =
      maker.command(one, "fill", "", maker.call("cuMemsetD8Async", 24, 4'000), 40'000);
  // Between the two that the arrow joins, in time and in place.
  for (int i = 0; i < 3; ++i) {
    const uint32_t between = maker.command(
        two, "kernel",
        "void (anonymous namespace)::deep::Sum<float, 4>::accumulate<Tile<int>>(float const*, int)",
        maker.call("cuLaunchKernel", 25 + i, 4'000), 40'000);
    maker.touch(between, memory, 0, 64 * KiB, true);
  }
  const uint32_t last = maker.command(
      three, "copy", "", maker.call("cuMemcpyDtoDAsync_v2", 29, 4'000), 40'000, {first});
  maker.edge(first, last, Why::event);
  maker.finish();
  return maker.record;
}

Record hostile_record() {
  const std::string script = "</script><script>document.body.dataset.taken='yes'</script>";
  const std::string image = "<img src=x onerror=\"document.body.dataset.taken='yes'\">";
  Record record = two_streams("race", false);
  record.processes[0].program = "/tmp/" + image;
  record.processes[0].command_line = script + "\xff\xfe" + std::string(1, '\0') + "\"'`${}";
  record.threads[0].name = image;
  record.devices[0].name = script;
  for (Record::Stream& stream : record.streams) stream.kind += image;
  for (Record::Call& call : record.calls) {
    call.function += image;
    call.call_site = script + " (\xc3\x28:1)";
    call.classes = image;
  }
  for (Record::Command& command : record.commands) {
    command.name = std::string(10'000, '<') + script;
    command.call_site = image + "\n\r\t\x01";
  }
  record.commands[0].name = "\xed\xa0\x80\xe2\x80\xae" + image;  // half a surrogate, right to left
  record.commands[1].kind = "__proto__";
  for (Record::Memory& memory : record.memories) memory.name = script;
  Record::Report& report = record.reports[0];
  report.identifier = image;
  report.severity = script;
  report.message = script + image + "]]>-->";
  report.call_site = image;
  report.facts = {{image, script}, {"__proto__", "constructor"}};
  report.advice = script;
  Record::Report lost = report;
  // Damaged files: indices that do not exist, and times that make no sense.
  lost.commands = {77, 1'000'000};
  lost.calls = {99'999};
  lost.memory = 12'345;
  record.reports.push_back(lost);
  record.edges.push_back({4'000'000, 0, Why::other});
  record.host_waits.push_back({0, 4'000'000});
  record.touches.push_back({0, 88, ~0ull - 3, ~0ull, true});
  record.touches.push_back({4'000, Record::none, 0, 0, false});
  record.commands[2].call = 5'000;
  record.commands[2].began = 1;
  record.commands[2].ended = 0;
  record.commands[2].launch = 2;
  record.memories[0].size = ~0ull;
  Record::Resource resource;
  resource.name = script;
  resource.mapped = {{Record::open, Record::open}, {0, 1}};
  record.resources.push_back(resource);
  return record;
}

Record long_record(size_t commands) {
  RecordMaker maker("long");
  for (int i = 0; i < 4; ++i) maker.stream(i == 0 ? "legacy" : "non-blocking");
  const uint32_t memory = maker.memory("device", "values", base, 64 * MiB, 10);
  Record& record = maker.record;
  record.calls.reserve(commands);
  record.commands.reserve(commands);
  uint64_t now = maker.now();
  // Times of a real run do not repeat, and cannot be compressed as if they did.
  uint64_t state = 1;
  const auto noise = [&state](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  std::vector<uint64_t> numbers(4, 0), ends(4, 0);
  for (size_t i = 0; i < commands; ++i) {
    const auto stream = static_cast<uint32_t>(noise(4));
    Record::Call call;
    call.function = "cuLaunchKernel";
    call.call_site = "main (/home/me/long.cpp:" + std::to_string(20 + i % 50) + ")";
    call.began = now;
    call.ended = now + 500 + noise(700);
    record.calls.push_back(call);
    Record::Command command;
    command.stream = stream;
    command.number = ++numbers[stream];
    command.kind = "kernel";
    command.name = i % 3 == 0 ? "first(float*)" : "second(float*)";
    command.call_site = call.call_site;
    command.call = static_cast<uint32_t>(i);
    command.submitted = call.ended - 100;
    command.began = std::max(call.ended + noise(90), ends[stream]);
    ends[stream] = command.ended = command.began + 900 + noise(2'000);
    command.blocks = 64;
    command.threads = 128;
    record.commands.push_back(command);
    if (i % 8 == 0)
      record.touches.push_back(
          {static_cast<uint32_t>(i), memory, base + i % 1024 * 4096, 4096, i % 16 == 0});
    now += 1'200 + noise(300);
  }
  maker.pass(now - maker.now());
  maker.finish();
  return record;
}

}  // namespace cuvette::tools
