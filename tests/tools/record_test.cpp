// SPDX-License-Identifier: Apache-2.0
// What a run records, end to end.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/record_scene.hpp"

namespace {

namespace fs = std::filesystem;
using cuvette::tools::read_record;
using cuvette::tools::Record;

TEST_F(RecordTest, HasCallsAndTheirCommands) {
  const Record record = this->record(EXPLORED_PROGRAM " right");
  ASSERT_EQ(record.processes.size(), 1u);
  const Record::Process& process = record.processes[0];
  EXPECT_EQ(process.program, EXPLORED_PROGRAM);
  EXPECT_EQ(process.command_line, EXPLORED_PROGRAM " right");
  EXPECT_NE(process.ended, Record::open);
  ASSERT_EQ(record.devices.size(), 1u);
  ASSERT_EQ(calls_of(record, "cuInit").size(), 1u);
  const auto copies = calls_of(record, "cuMemcpyDtoHAsync_v2");
  ASSERT_EQ(copies.size(), 1u);
  const Record::Call& copy = *copies[0];
  EXPECT_NE(copy.call_site.find("explored.cpp:"), std::string::npos) << copy.call_site;
  EXPECT_EQ(copy.bytes, 4096u);
  EXPECT_EQ(copy.classes, "pinned device async to-host");
  const auto command = std::ranges::find(record.commands, "copy", &Record::Command::kind);
  ASSERT_NE(command, record.commands.end());
  EXPECT_EQ(&record.calls.at(command->call), &copy);
  EXPECT_LE(copy.began, command->submitted);
  EXPECT_NE(command->ended, Record::open);
}

TEST_F(RecordTest, HasTheNodesOfGraphs) {
  const Record graph = this->record(RECORDED_PROGRAM " graph");
  for (const char* function :
       {"cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    const auto calls = calls_of(graph, function);
    ASSERT_FALSE(calls.empty()) << function;
    EXPECT_EQ(calls[0]->count, 3u) << function;
  }
  for (const Record::Call* const record : calls_of(graph, "cuEventRecord"))
    EXPECT_EQ(record->classes.find("timing"), std::string::npos) << record->classes;
}

TEST_F(RecordTest, SaysThatARecordedEventKeepsTime) {
  const Record threads = this->record(RECORDED_PROGRAM " threads");
  const auto records = calls_of(threads, "cuEventRecord");
  ASSERT_FALSE(records.empty());
  EXPECT_NE(records[0]->classes.find("timing"), std::string::npos) << records[0]->classes;
}

TEST_F(RecordTest, HasMemoryFromItsBirthToItsEnd) {
  const Record record = this->record(RECORDED_PROGRAM " threads");
  unsigned blocks = 0;
  for (const Record::Memory& memory : record.memories) {
    if (memory.kind != "device" || memory.size != 4096) continue;
    ++blocks;
    EXPECT_NE(memory.ended, Record::open);
    EXPECT_NE(memory.call_site.find("recorded.cpp:"), std::string::npos) << memory.call_site;
  }
  EXPECT_EQ(blocks, 16u);
  // Each fill touches one of them while it lives.
  unsigned fills = 0;
  for (const Record::Touch& touch : record.touches) {
    ASSERT_NE(touch.memory, Record::none);
    const Record::Memory& memory = record.memories[touch.memory];
    EXPECT_LE(memory.began, record.commands[touch.command].submitted);
    EXPECT_TRUE(touch.writes);
    ++fills;
  }
  EXPECT_EQ(fills, 16u * 9);
}

// The file that holds physical memory has more in it, which no program sees.
TEST_F(RecordTest, ASegmentIsTheMemoryThatAProgramMade) {
  const Record record = this->record(RECORDED_PROGRAM " mapped_twice");
  ASSERT_EQ(record.segments.size(), 1u);
  EXPECT_EQ(record.segments[0].size, 4u << 20);
  unsigned windows = 0;
  for (const Record::Memory& memory : record.memories) {
    if (memory.segment == Record::none) continue;
    ++windows;
    EXPECT_EQ(memory.offset, 0u);
    EXPECT_EQ(memory.size, 4u << 20);
  }
  EXPECT_EQ(windows, 2u);
}

TEST_F(RecordTest, HasEventsAndWhatTheyOrder) {
  const Record record = this->record(RECORDED_PROGRAM " threads");
  EXPECT_EQ(
      std::ranges::count(record.resources, Record::Resource::Kind::event, &Record::Resource::kind),
      16);
  unsigned ordered = 0;
  for (const Record::Edge& edge : record.edges) {
    if (edge.why != Record::Edge::Why::event) continue;
    const Record::Command &from = record.commands[edge.from], &to = record.commands[edge.to];
    EXPECT_EQ(from.kind, "event record");
    EXPECT_EQ(to.kind, "event wait");
    EXPECT_EQ(from.name, to.name);
    EXPECT_EQ(from.name.substr(0, 6), "event ");
    EXPECT_LE(from.ended, to.began);
    EXPECT_EQ(from.began, from.ended);  // they take no time
    EXPECT_EQ(to.began, to.ended);
    ++ordered;
  }
  EXPECT_EQ(ordered, 16u);
  EXPECT_FALSE(record.host_waits.empty());
}

TEST_F(RecordTest, EachThreadHasItsCalls) {
  const Record record = this->record(RECORDED_PROGRAM " threads");
  std::map<uint32_t, unsigned> creations;
  for (const Record::Call* const call : calls_of(record, "cuStreamCreate"))
    ++creations[call->thread];
  EXPECT_EQ(creations.size(), 4u);
  for (const auto& [thread, count] : creations) EXPECT_EQ(count, 4u);
}

// Blocks of threads that have ended are filled up.
TEST_F(RecordTest, ManyThreadsTakeLittleRoom) {
  const Record record = this->record(RECORDED_PROGRAM " many_threads");
  EXPECT_EQ(calls_of(record, "cuStreamCreate").size(), 300u);
  uint64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(folder_))
    if (file.path().extension() == ".record") bytes += file.file_size();
  EXPECT_LE(bytes, 2u << 20);
}

TEST_F(RecordTest, EachProcessHasItsFile) {
  const Record record = this->record(RECORDED_PROGRAM " fork");
  ASSERT_EQ(record.processes.size(), 2u);
  EXPECT_NE(record.processes[0].id, record.processes[1].id);
  EXPECT_EQ(calls_of(record, "cuMemAlloc_v2").size(), 3u);
}

TEST_F(RecordTest, AProgramThatReplacesItselfHasTwoFiles) {
  const Record record = this->record(RECORDED_PROGRAM " exec");
  ASSERT_EQ(record.processes.size(), 2u);
  EXPECT_EQ(record.processes[0].id, record.processes[1].id);
  EXPECT_EQ(record.processes[0].ended, Record::open);
  EXPECT_NE(record.processes[1].ended, Record::open);
}

TEST_F(RecordTest, CallsOfTheRuntimeContainTheDrivers) {
  const Record record = this->record(RECORDED_PROGRAM " runtime");
  const auto outer = calls_of(record, "cudaMalloc"), inner = calls_of(record, "cuMemAlloc_v2");
  ASSERT_EQ(outer.size(), 1u);
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_LE(outer[0]->began, inner[0]->began);
  EXPECT_LE(inner[0]->ended, outer[0]->ended);
  EXPECT_EQ(outer[0]->bytes, 1u << 20);
  EXPECT_NE(outer[0]->call_site.find("recorded.cpp:"), std::string::npos) << outer[0]->call_site;
  const auto frees = calls_of(record, "cudaFree");
  ASSERT_EQ(frees.size(), 2u);
  EXPECT_NE(frees[0]->result, 0);
  EXPECT_EQ(frees[1]->result, 0);
  const auto fill = std::ranges::find(record.commands, "fill", &Record::Command::kind);
  ASSERT_NE(fill, record.commands.end());
  EXPECT_EQ(record.calls.at(fill->call).function, "cudaMemset");
}

TEST_F(RecordTest, AGraphHasStepsAndTheirEdges) {
  const Record record = this->record(RECORDED_PROGRAM " graph");
  std::map<uint32_t, std::vector<const Record::Command*>> launches;
  for (const Record::Command& command : record.commands)
    if (command.launch != Record::none) launches[command.launch].push_back(&command);
  ASSERT_EQ(launches.size(), 2u);
  for (const auto& [launch, steps] : launches) {
    EXPECT_EQ(record.commands[launch].kind, "graph");
    ASSERT_EQ(steps.size(), 3u);
    std::set<std::pair<std::string, std::string>> edges;
    for (const Record::Edge& edge : record.edges) {
      const Record::Command &from = record.commands[edge.from], &to = record.commands[edge.to];
      if (from.launch != launch) continue;
      EXPECT_EQ(edge.why, Record::Edge::Why::graph);
      EXPECT_LE(from.ended, to.began);
      edges.emplace(from.kind, to.kind);
    }
    EXPECT_EQ(edges, (std::set<std::pair<std::string, std::string>>{{"fill", "copy"}}));
  }
}

TEST_F(RecordTest, AReportNamesItsCommands) {
  const Record record = this->record(EXPLORED_PROGRAM " wrong || true", "CUVETTE_CHECK=races");
  const auto report =
      std::ranges::find(record.reports, "unordered-access", &Record::Report::identifier);
  ASSERT_NE(report, record.reports.end());
  EXPECT_EQ(report->severity, "error");
  ASSERT_EQ(report->commands.size(), 2u);
  EXPECT_EQ(record.commands[report->commands[0]].kind, "fill");
  EXPECT_EQ(record.commands[report->commands[1]].kind, "copy");
  EXPECT_NE(report->size, 0u);
  EXPECT_NE(report->memory, Record::none);
  EXPECT_NE(report->advice, "");
  EXPECT_NE(report->call_site.find("explored.cpp:"), std::string::npos) << report->call_site;
}

TEST_F(RecordTest, WhatKernelsTouchIsRecordedIfItIsWanted) {
  const auto touches_of_kernels = [](const Record& record) {
    return std::ranges::count_if(record.touches, [&](const Record::Touch& touch) {
      return record.commands[touch.command].kind == "kernel";
    });
  };
  EXPECT_EQ(touches_of_kernels(record(EXPLORED_PROGRAM " warps_right")), 0);
  empty_folder();
  EXPECT_GT(touches_of_kernels(record(EXPLORED_PROGRAM " warps_right", "CUVETTE_RECORD_TOUCHES=1")),
            0);
}

// What kernels touch of the memory of pools, in the order of words.
std::vector<std::string> touches_of_kernels(const Record& record) {
  std::vector<std::string> touched;
  const auto first = std::ranges::find(record.memories, std::string("pool"), &Record::Memory::kind);
  for (const Record::Touch& touch : record.touches) {
    const Record::Command& command = record.commands[touch.command];
    if (command.kind != "kernel") continue;
    const bool is_first = touch.memory == first - record.memories.begin();
    touched.push_back(command.name + (touch.writes ? " writes " : " reads ") +
                      std::to_string(touch.size) + " of " +
                      (touch.memory == Record::none ? "unknown memory"
                       : is_first                   ? "the first"
                                                    : "the second"));
  }
  std::ranges::sort(touched);
  return touched;
}

// Two kernels of a graph that nothing orders: the report is about these steps, not about the
// launch.
TEST_F(RecordTest, AReportNamesTheStepsOfAGraph) {
  const Record record =
      this->record(PIPELINE_PROGRAM, "CUVETTE_CHECK=races CUVETTE_RECORD_TOUCHES=1");
  ASSERT_EQ(record.reports.size(), 1u);
  std::set<std::string> kernels;
  for (const uint32_t command : record.reports[0].commands) {
    EXPECT_NE(record.commands[command].launch, Record::none);
    kernels.insert(record.commands[command].name);
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"edges", "join"}));
}

// Memory that is freed in the order of a stream is there until the command has run that frees it.
TEST_F(RecordTest, MemoryOfAPoolEndsWhenItsFreeIsExecuted) {
  const Record record = this->record(RECORDED_PROGRAM " pool");
  std::vector<const Record::Memory*> parts;
  for (const Record::Memory& memory : record.memories)
    if (memory.kind == "pool") parts.push_back(&memory);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]->address, parts[1]->address);
  const auto is_free = [](const Record::Command& command) { return command.kind == "free"; };
  const auto free = std::ranges::find_if(record.commands, is_free);
  ASSERT_NE(free, record.commands.end());
  EXPECT_GE(parts[0]->ended, free->began);
  EXPECT_LE(parts[0]->ended, free->ended);
  // The call was over before the memory was free.
  EXPECT_GT(parts[0]->ended, record.calls[free->call].ended);
  EXPECT_GT(parts[0]->ended, parts[1]->began);
}

// Each kernel touches the memory that is there when it runs; `p[i] += 1` reads and writes.
TEST_F(RecordTest, KernelsReadAndWriteMemoryOfAPool) {
  for (const char* const checks : {"", "races"}) {
    SCOPED_TRACE(checks);
    empty_folder();
    const Record record = this->record(
        RECORDED_PROGRAM " pool", "CUVETTE_RECORD_TOUCHES=1 CUVETTE_CHECK=" + std::string(checks));
    EXPECT_EQ(touches_of_kernels(record),
              (std::vector<std::string>{
                  "add_one reads 1024 of the first", "add_one writes 1024 of the first",
                  "count reads 4 of the second", "count writes 4 of the second"}));
  }
}

// A step of a graph touches bytes, not the launch of the graph.
TEST_F(RecordTest, WhatAKernelInAGraphTouchesIsOfItsStep) {
  for (const char* const schedule : {"", "CUVETTE_SCHEDULE=shuffled:1 "}) {
    SCOPED_TRACE(schedule);
    const Record record = this->record(RECORDED_PROGRAM " kernel_graph",
                                       schedule + std::string("CUVETTE_RECORD_TOUCHES=1"));
    std::map<std::string, std::set<uint32_t>> written;
    for (const Record::Touch& touch : record.touches) {
      const Record::Command& command = record.commands[touch.command];
      EXPECT_EQ(command.kind, "kernel");
      EXPECT_NE(command.launch, Record::none);
      EXPECT_TRUE(touch.writes);
      EXPECT_EQ(touch.size, 4u);
      EXPECT_EQ(touch.address,
                record.memories.at(touch.memory).address + (command.name == "second" ? 4u : 0u));
      written[command.name].insert(touch.memory);
    }
    ASSERT_EQ(written.size(), 2u);
    EXPECT_EQ(written["first"].size(), 1u);
    EXPECT_EQ(written["second"].size(), 1u);
    EXPECT_NE(written["first"], written["second"]);
    EXPECT_EQ(record.touches.size(), 4u);
    empty_folder();
  }
}

// Beyond the limit records are counted, and the program goes on.
TEST_F(RecordTest, CountsWhatFindsNoRoom) {
  const std::string line = "CUVETTE_RECORD=" + folder_ +
                           " CUVETTE_RECORD_LIMIT=1M " CUVETTE_COMMAND
                           " run --quiet -- " RECORDED_PROGRAM " many_calls";
  ASSERT_EQ(system(line.c_str()), 0);
  const Record record = read_record(folder_);
  EXPECT_EQ(wrong_with(record), "");
  ASSERT_EQ(record.processes.size(), 1u);
  EXPECT_GT(record.processes[0].dropped, 10000u);
  EXPECT_GT(record.calls.size(), 10000u);
}

TEST_F(RecordTest, SaysWhereNoFileCanBeMade) {
  const std::string line = "CUVETTE_RECORD=/proc/nowhere " CUVETTE_COMMAND
                           " run --quiet -- " RECORDED_PROGRAM " graph > " +
                           folder_ + "/out 2>&1";
  EXPECT_EQ(system(line.c_str()), 0);
  std::ifstream out(folder_ + "/out");
  std::stringstream text;
  text << out.rdbuf();
  EXPECT_NE(text.str().find("CUVETTE_RECORD names /proc/nowhere"), std::string::npos) << text.str();
}

// --- Killed programs -----------------------------------------------------------------------------

int number_from(const char* variable, int otherwise) {
  const char* const text = getenv(variable);
  return text ? atoi(text) : otherwise;
}

TEST_F(RecordTest, OpensAfterAKillAtAnyMoment) {
  const int times = number_from("CUVETTE_TEST_KILLS", 12);
  std::mt19937 random(20261128);
  uint64_t calls = 0;
  for (int i = 0; i < times; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("CUVETTE_RECORD", folder_.c_str(), 1);
      setenv("LD_LIBRARY_PATH", CUVETTE_LIBRARY, 1);
      execl(RECORDED_PROGRAM, RECORDED_PROGRAM, "busy", nullptr);
      _exit(1);
    }
    usleep(1000 + random() % 150000);
    kill(child, SIGKILL);
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const Record record = read_record(folder_);
    ASSERT_EQ(wrong_with(record), "");
    // A text is written before what refers to it, and so is a command before what it does.
    ASSERT_EQ(record.unreadable, 0u);
    for (const Record::Process& process : record.processes) {
      EXPECT_EQ(process.ended, Record::open);
      EXPECT_EQ(process.dropped, 0u);
    }
    for (const Record::Call& call : record.calls) {
      ASSERT_EQ(call.function.substr(0, 2), "cu");
      ASSERT_NE(call.call_site, "");
      ASSERT_TRUE(call.ended == Record::open || call.result == 0) << call.function;
    }
    for (const Record::Command& command : record.commands) ASSERT_NE(command.kind, "");
    calls += record.calls.size();
    empty_folder();
  }
  EXPECT_GT(calls, 0u);
}

// --- The same as in the order log ----------------------------------------------------------------

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::stringstream stream(line);
  for (std::string word; std::getline(stream, word, '\t');) words.push_back(word);
  return words;
}

// A command as the order log names it.
std::string name_of(const Record& record, const Record::Command& command) {
  std::string name =
      std::to_string(record.streams[command.stream].id) + "." + std::to_string(command.number);
  if (command.step != 0) name += "." + std::to_string(command.step);
  return name;
}

void compare(const Record& record, const std::string& log) {
  std::map<std::string, std::string> kinds;
  std::vector<std::string> began;
  std::set<std::pair<std::string, std::string>> after;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = split(line);
    if (words[0] == "queued") kinds[words[1]] = words[2];
    if (words[0] == "began") began.push_back(words[1]);
    if (words[0] == "after")
      for (size_t i = 2; i < words.size(); ++i) after.emplace(words[i], words[1]);
  }
  ASSERT_FALSE(kinds.empty());
  std::map<std::string, std::string> recorded_kinds;
  std::vector<const Record::Command*> by_begin;
  for (const Record::Command& command : record.commands) {
    recorded_kinds[name_of(record, command)] =
        command.kind + (command.kind == "kernel" ? " " + command.name : "");
    if (command.began != Record::open) by_begin.push_back(&command);
  }
  EXPECT_EQ(recorded_kinds, kinds);
  // One piece of work at a time; the steps of a launch come with its begin or later.
  std::ranges::stable_sort(by_begin, {}, &Record::Command::began);
  std::vector<std::string> recorded_began;
  for (const Record::Command* const command : by_begin)
    recorded_began.push_back(name_of(record, *command));
  EXPECT_EQ(recorded_began, began);
  std::set<std::pair<std::string, std::string>> recorded_after;
  for (const Record::Edge& edge : record.edges) {
    const Record::Command &from = record.commands[edge.from], &to = record.commands[edge.to];
    if (from.step == 0) recorded_after.emplace(name_of(record, from), name_of(record, to));
  }
  EXPECT_EQ(recorded_after, after);
}

TEST_F(RecordTest, AgreesWithTheOrderLog) {
  const int programs = number_from("CUVETTE_TEST_RANDOM_PROGRAMS", 12);
  for (int seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE(seed);
    const std::string log = folder_ + "/log";
    const Record record = this->record(
        EXPLORED_PROGRAM " random " + std::to_string(seed),
        "CUVETTE_SCHEDULE=shuffled:" + std::to_string(seed) + " CUVETTE_ORDER_LOG=" + log);
    compare(record, log);
    empty_folder();
  }
}

TEST_F(RecordTest, AgreesWithTheOrderLogAboutGraphs) {
  const std::string log = folder_ + "/log";
  const Record record = this->record(RECORDED_PROGRAM " graph",
                                     "CUVETTE_SCHEDULE=shuffled:3 CUVETTE_ORDER_LOG=" + log);
  compare(record, log);
}

}  // namespace
