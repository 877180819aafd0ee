// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/trace/records.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {
namespace {

using Why = Record::Edge::Why;

// Puts a record together as a program would: each call takes ten nanoseconds, and so does each
// command, unless it is said otherwise.
class Builder {
 public:
  Record record;
  uint64_t now = 5000;

  uint32_t process(uint32_t id, const char* program) {
    record.processes.push_back(
        {id, program, program, now, Record::open, 1'700'000'000'000'000'000, 0});
    return static_cast<uint32_t>(record.processes.size() - 1);
  }
  uint32_t thread(uint32_t process, uint32_t id, const char* name) {
    record.threads.push_back({process, id, name});
    return static_cast<uint32_t>(record.threads.size() - 1);
  }
  uint32_t device(uint32_t process) {
    record.devices.push_back({process, 0, "Cuvette H200"});
    return static_cast<uint32_t>(record.devices.size() - 1);
  }
  uint32_t stream(uint32_t device, uint64_t id, const char* kind) {
    record.streams.push_back({device, id, 1, kind, 0, now, Record::open});
    return static_cast<uint32_t>(record.streams.size() - 1);
  }
  uint32_t begin(uint32_t thread, const char* function, const char* site) {
    record.calls.push_back({thread, function, site, now += 10, Record::open, 0, 0, 0, ""});
    return static_cast<uint32_t>(record.calls.size() - 1);
  }
  void end(uint32_t call) { record.calls[call].ended = now += 10; }
  uint32_t call(uint32_t thread, const char* function, const char* site) {
    const uint32_t made = begin(thread, function, site);
    end(made);
    return made;
  }
  uint32_t command(uint32_t stream, uint32_t call, const char* kind, const char* name) {
    Record::Command one;
    one.stream = stream;
    one.number = ++numbers_[stream];
    one.kind = kind;
    one.name = name;
    one.call = call;
    one.call_site = record.calls[call].call_site;
    one.submitted = record.calls[call].began + 5;
    record.commands.push_back(one);
    return static_cast<uint32_t>(record.commands.size() - 1);
  }
  // The next command that runs, if commands run one after the other.
  void run(uint32_t command) {
    device_ = std::max(device_, record.commands[command].submitted) + 10;
    record.commands[command].began = device_;
    record.commands[command].ended = device_ += 10;
    now = std::max(now, device_);
  }
  void wait(uint32_t call, uint32_t command) { record.host_waits.push_back({command, call}); }
  void edge(uint32_t from, uint32_t to, Why why) { record.edges.push_back({from, to, why}); }

 private:
  std::array<uint64_t, 64> numbers_ = {};
  uint64_t device_ = 0;
};

Record::Memory window(uint64_t address, uint64_t offset, uint64_t size, uint64_t began) {
  Record::Memory memory;
  memory.process = memory.device = memory.segment = 0;
  memory.kind = "external";
  memory.address = address;
  memory.size = size;
  memory.offset = offset;
  memory.began = began;
  memory.call_site = "main (shared.cpp:31)";
  return memory;
}

// A fill, a copy and a kernel in the steps of a graph; the kernel waits for both.
void launch_graph(Builder& b, uint32_t stream, uint32_t thread) {
  const uint32_t call = b.call(thread, "cuGraphLaunch", "main (shared.cpp:60)");
  const uint32_t launch = b.command(stream, call, "graph", "");
  b.run(launch);
  Record::Command step = b.record.commands[launch];
  step.launch = launch;
  for (const auto& [kind, name] : {std::pair("fill", ""), {"copy", ""}, {"kernel", "add"}}) {
    ++step.step;
    step.kind = kind;
    step.name = name;
    // The first two run at the same time.
    step.began = b.record.commands[launch].began + (step.step == 3 ? 5 : 1);
    step.ended = step.began + 3;
    b.record.commands.push_back(step);
  }
  b.edge(launch + 1, launch + 3, Why::graph);
  b.edge(launch + 2, launch + 3, Why::graph);
}

void report_race(Builder& b, uint32_t one, uint32_t other) {
  Record::Report report;
  report.process = 0;
  report.time = b.now + 1;
  report.identifier = "unordered-access";
  report.severity = "error";
  report.message = "The kernel sum reads what the kernel fill writes, and nothing orders them.";
  report.advice = "Record an event after command 1 of stream 1.";
  report.facts = {{"first", "kernel fill"}, {"address", "0x7f0000008000"}};
  report.commands = {one, other};
  report.memory = 1;
  report.address = 0x7f0000100000;
  report.size = 4096;
  b.record.reports.push_back(report);
}

}  // namespace

Record record_by_hand() {
  Builder b;
  b.process(4242, "/usr/bin/shared_segment");
  const uint32_t main_thread = b.thread(0, 4242, "shared_segment");
  b.device(0);
  const uint32_t one = b.stream(0, 1, "blocking"), two = b.stream(0, 2, "non-blocking");

  b.call(main_thread, "cuImportExternalMemory", "main (shared.cpp:30)");
  b.record.segments.push_back({0, 99, "segment 1", "imported", 1 << 20, b.now - 1, Record::open});
  b.call(main_thread, "cuExternalMemoryGetMappedBuffer", "main (shared.cpp:31)");
  b.record.memories.push_back(window(0x7f0000000000, 0, 65536, b.now - 1));
  b.call(main_thread, "cuExternalMemoryGetMappedBuffer", "main (shared.cpp:31)");
  b.record.memories.push_back(window(0x7f0000100000, 32768, 65536, b.now - 1));

  // A call of the runtime contains the driver's.
  const uint32_t outer = b.begin(main_thread, "cudaLaunchKernel", "main (shared.cpp:40)");
  b.call(main_thread, "cuLaunchKernel", "main (shared.cpp:40)");
  b.end(outer);
  const uint32_t fill = b.command(one, outer, "kernel", "fill");
  b.record.commands[fill].blocks = 64;
  b.record.commands[fill].threads = 256;
  b.record.touches.push_back({fill, 0, 0x7f0000000000, 65536, true});
  b.run(fill);
  const uint32_t recorded = b.command(
      one, b.call(main_thread, "cuEventRecord", "main (shared.cpp:41)"), "event record", "event 3");
  b.run(recorded);
  const uint32_t waits =
      b.command(two, b.call(main_thread, "cuStreamWaitEvent", "main (shared.cpp:42)"), "event wait",
                "event 3");
  b.edge(recorded, waits, Why::event);
  b.run(waits);
  const uint32_t sum = b.command(two, b.call(main_thread, "cuLaunchKernel", "main (shared.cpp:43)"),
                                 "kernel", "sum");
  b.record.touches.push_back({sum, 1, 0x7f0000100000, 65536, false});
  b.run(sum);
  report_race(b, fill, sum);
  launch_graph(b, one, main_thread);

  // A copy that the host waits for in the call that submits it.
  const uint32_t copying = b.begin(main_thread, "cuMemcpyDtoH_v2", "main (shared.cpp:50)");
  const uint32_t copy = b.command(two, copying, "copy", "");
  b.run(copy);
  b.end(copying);
  b.wait(copying, copy);
  b.record.calls[copying].bytes = 4096;
  b.record.calls[copying].classes = "pageable to-host";

  Record::Resource buffer;
  buffer.process = 0;
  buffer.name = "OpenGL buffer 3";
  buffer.began = (b.call(main_thread, "cuGraphicsGLRegisterBuffer", "main (shared.cpp:70)"), b.now);
  for (int frame = 0; frame < 2; ++frame) {
    b.call(main_thread, "cuGraphicsMapResources", "main (shared.cpp:71)");
    const uint64_t mapped = b.now - 1;
    b.call(main_thread, "cuGraphicsUnmapResources", "main (shared.cpp:72)");
    buffer.mapped.emplace_back(mapped, b.now - 1);
  }
  b.record.resources.push_back(buffer);

  // A kernel that does not end, and a copy that does not begin, as the process is killed.
  const uint32_t endless = b.command(
      one, b.call(main_thread, "cuLaunchKernel", "main (shared.cpp:80)"), "kernel", "endless");
  b.run(endless);
  b.record.commands[endless].ended = Record::open;
  b.command(one, b.call(main_thread, "cuMemcpyAsync", "main (shared.cpp:81)"), "copy", "");
  const uint32_t sync = b.begin(main_thread, "cuStreamSynchronize", "main (shared.cpp:82)");
  b.record.calls[sync].ended = Record::open;
  b.record.processes[0].dropped = 3;
  return b.record;
}

namespace {

uint32_t below(std::mt19937& random, uint32_t limit) {
  return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
}

// A name as programs have them, or one that hurts.
std::string any_name(std::mt19937& random) {
  switch (below(random, 9)) {
    case 0:
      return "";
    case 1:
      return std::string("a\0b", 3);
    case 2:
      return "quotes \" ' ` \\ </script> %s \n\r\t\x1b[31m";
    case 3:
      return "\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82";  // no UTF-8
    case 4:
      return std::string(10'000, 'x');
    case 5: {
      std::string name;
      for (int character = 0; character < 6000; ++character) name += "\xe2\x82\xac";
      return name;
    }
    case 6: {
      std::string name;
      for (int byte = 0; byte < 40; ++byte) name += static_cast<char>(below(random, 256));
      return name;
    }
    default:
      return "name " + std::to_string(below(random, 20));
  }
}

uint64_t any_time(std::mt19937& random) {
  switch (below(random, 12)) {
    case 0:
      return 0;
    case 1:
      return Record::open;
    case 2:
      return Record::open - 1;
    case 3:
      return uint64_t{1} << 63;
    case 4:
      return (uint64_t{1} << 62) + 5;
    default:
      return 1000 + below(random, 60);  // so that many are equal
  }
}

uint32_t any_index(std::mt19937& random) {
  const uint32_t draw = below(random, 16);
  return draw == 0 ? Record::none : draw == 1 ? 1'000'000 : below(random, 8);
}

uint64_t any_number(std::mt19937& random) {
  return below(random, 4) ? below(random, 10) : ~uint64_t{below(random, 3)};
}

}  // namespace

Record possible_record(std::mt19937& random) {
  Builder b;
  const uint32_t processes = 1 + below(random, 3);
  std::vector<uint32_t> threads, streams;
  for (uint32_t process = 0; process < processes; ++process) {
    b.process(100 + below(random, 3), "/bin/program");
    b.device(process);
    for (uint32_t thread = 0; thread <= below(random, 3); ++thread)
      threads.push_back(b.thread(process, 100 + below(random, 5), "worker"));
    for (uint32_t stream = 0; stream <= below(random, 4); ++stream)
      streams.push_back(b.stream(process, stream, stream ? "blocking" : "legacy"));
  }
  std::vector<uint32_t> done;
  for (uint32_t turn = below(random, 60); turn > 0; --turn) {
    const uint32_t thread = threads[below(random, static_cast<uint32_t>(threads.size()))];
    const uint32_t outer = b.begin(thread, "cudaCall", "main (a.cpp:1)");
    if (below(random, 2)) b.call(thread, "cuCall", "main (a.cpp:1)");
    const uint32_t stream = streams[below(random, static_cast<uint32_t>(streams.size()))];
    const uint32_t command =
        b.command(stream, outer, below(random, 2) ? "kernel" : "event record", "name");
    if (!done.empty() && below(random, 2))
      b.edge(done[below(random, static_cast<uint32_t>(done.size()))], command, Why::event);
    const bool waits = below(random, 3) == 0;
    if (!waits) b.end(outer);
    b.run(command);
    if (waits) {
      b.end(outer);
      b.wait(outer, command);
    }
    done.push_back(command);
    if (below(random, 6) == 0) launch_graph(b, stream, thread);
  }
  // The process is killed while these wait.
  for (uint32_t left = below(random, 4); left > 0; --left)
    b.command(streams[0], b.begin(threads[0], "cuLaunchKernel", ""), "kernel", "late");
  return b.record;
}

Record hostile_record(std::mt19937& random) {
  Record record;
  const auto times = [&](auto make) {
    for (uint32_t count = below(random, 12); count > 0; --count) make();
  };
  const auto name = [&] { return any_name(random); };
  const auto time = [&] { return any_time(random); };
  const auto index = [&] { return any_index(random); };
  times([&] {
    record.processes.push_back({any_index(random), name(), name(), time(), time(), time(), time()});
  });
  times([&] { record.threads.push_back({index(), index(), name()}); });
  times([&] { record.devices.push_back({index(), index(), name()}); });
  times([&] {
    record.streams.push_back({index(), any_number(random), any_number(random),
                              below(random, 2) ? "legacy" : name(), -1, time(), time()});
  });
  times([&] {
    record.calls.push_back({index(), name(), name(), time(), time(), -1, time(), index(), name()});
  });
  constexpr const char* kinds[] = {"kernel", "copy", "graph", "event record", "event wait", ""};
  for (uint32_t count = below(random, 40); count > 0; --count)
    record.commands.push_back({index(), any_number(random), index(), index(),
                               kinds[below(random, 6)], name(), name(), index(), time(), time(),
                               time(), any_number(random), any_number(random)});
  for (uint32_t count = below(random, 40); count > 0; --count)
    record.edges.push_back({index(), index(), static_cast<Why>(below(random, 5))});
  times([&] { record.host_waits.push_back({index(), index()}); });
  times([&] {
    record.segments.push_back({index(), below(random, 3), name(),
                               below(random, 2) ? "device" : name(), any_number(random), time(),
                               time()});
  });
  for (uint32_t count = below(random, 60); count > 0; --count)
    record.memories.push_back({index(), index(), below(random, 2) ? "mapping" : "device", name(),
                               any_number(random), any_number(random), index(), any_number(random),
                               time(), time(), name()});
  times([&] {
    record.touches.push_back(
        {index(), index(), any_number(random), any_number(random), below(random, 2) == 0});
  });
  times([&] {
    Record::Resource resource{index(), static_cast<Record::Resource::Kind>(below(random, 4)),
                              name(),  time(),
                              time(),  name(),
                              {}};
    for (uint32_t count = below(random, 5); count > 0; --count)
      resource.mapped.emplace_back(time(), time());
    record.resources.push_back(resource);
  });
  times([&] {
    record.reports.push_back({index(),
                              time(),
                              name(),
                              name(),
                              name(),
                              name(),
                              {{name(), name()}},
                              {index(), index()},
                              {index()},
                              index(),
                              any_number(random),
                              any_number(random),
                              name()});
  });
  return record;
}

Record many_launches(uint32_t launches) {
  Builder b;
  b.process(4242, "/bin/many");
  const uint32_t thread = b.thread(0, 4242, "many");
  b.device(0);
  const uint32_t streams[] = {b.stream(0, 1, "blocking"), b.stream(0, 2, "blocking")};
  uint32_t recorded = Record::none;
  for (uint32_t launch = 0; launch < launches; ++launch) {
    const bool is_event = launch % 8 == 7;
    const uint32_t stream = streams[launch / 8 % 2];
    const uint32_t call =
        b.call(thread, is_event ? "cuEventRecord" : "cuLaunchKernel", "main (many.cpp:12)");
    const uint32_t command = b.command(stream, call, is_event ? "event record" : "kernel",
                                       is_event ? "event 1" : "work");
    if (launch % 8 == 0 && recorded != Record::none) b.edge(recorded, command, Why::event);
    if (is_event) recorded = command;
    b.run(command);
  }
  return b.record;
}

}  // namespace cuvette::tools
