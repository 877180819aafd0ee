// SPDX-License-Identifier: Apache-2.0
// What a run records of other APIs, and of other processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/record_scene.hpp"

namespace {

using cuvette::tools::Record;

class RecordInteropTest : public RecordTest {};

constexpr const char *signal_kind = "signal of a semaphore", *wait_kind = "wait for a semaphore";

std::vector<const Record::Resource*> resources_of(const Record& record,
                                                  Record::Resource::Kind kind) {
  std::vector<const Record::Resource*> found;
  for (const Record::Resource& resource : record.resources)
    if (resource.kind == kind) found.push_back(&resource);
  return found;
}

std::vector<const Record::Edge*> semaphore_edges_of(const Record& record) {
  std::vector<const Record::Edge*> found;
  for (const Record::Edge& edge : record.edges)
    if (edge.why == Record::Edge::Why::semaphore) found.push_back(&edge);
  return found;
}

#ifdef GALAXY_PROGRAM
// Two buffers and a texture, mapped for each of three frames.
TEST_F(RecordInteropTest, HasResourcesOfOpenGLWhileTheyAreMapped) {
  const Record record = this->record(
      GALAXY_PROGRAM " --frames 3 --size 64x36 --stars 200 --output " + folder_ + "/picture.png");
  const auto maps = calls_of(record, "cuGraphicsMapResources");
  const auto unmaps = calls_of(record, "cuGraphicsUnmapResources");
  ASSERT_EQ(maps.size(), 3u);
  ASSERT_EQ(unmaps.size(), 3u);
  for (const auto& calls : {maps, unmaps})
    for (const Record::Call* const call : calls) {
      EXPECT_EQ(call->count, 3u);
      EXPECT_NE(call->classes.find("opengl"), std::string::npos) << call->classes;
    }
  const auto resources = resources_of(record, Record::Resource::Kind::graphics);
  ASSERT_EQ(resources.size(), 3u);
  std::set<std::string> names;
  for (const Record::Resource* const resource : resources) {
    names.insert(resource->name);
    EXPECT_EQ(resource->name.substr(0, 7), "OpenGL ");
    EXPECT_NE(resource->call_site.find("galaxy::Simulation"), std::string::npos)
        << resource->call_site;
    EXPECT_NE(resource->ended, Record::open);
    ASSERT_EQ(resource->mapped.size(), 3u) << resource->name;
    for (size_t i = 0; i < 3; ++i) {
      const auto& [mapped, unmapped] = resource->mapped[i];
      EXPECT_TRUE(maps[i]->began <= mapped && mapped <= maps[i]->ended) << resource->name;
      EXPECT_TRUE(unmaps[i]->began <= unmapped && unmapped <= unmaps[i]->ended) << resource->name;
    }
  }
  EXPECT_EQ(names.size(), 3u);
  // The buffers are seen through windows, which copies write to.
  EXPECT_GE(std::ranges::count(record.memories, "graphics", &Record::Memory::kind), 2);
  EXPECT_TRUE(std::ranges::any_of(record.touches, [&](const Record::Touch& touch) {
    return touch.writes && touch.memory != Record::none &&
           record.memories[touch.memory].kind == "graphics";
  }));
}
#endif

#ifdef WAVE_PROGRAM
// An image and two timelines of Vulkan: CUDA signals one when a frame is ready, and waits for the
// other before it writes the next one.
TEST_F(RecordInteropTest, HasMemoryAndSemaphoresOfVulkan) {
  const Record record =
      this->record(WAVE_PROGRAM " --frames 3 --size 96x54 --output " + folder_ + "/film.webp",
                   "VK_ICD_FILENAMES=" VULKAN_DRIVER " VK_DRIVER_FILES=" VULKAN_DRIVER);
  const auto images = resources_of(record, Record::Resource::Kind::external_memory);
  const auto timelines = resources_of(record, Record::Resource::Kind::external_semaphore);
  ASSERT_EQ(images.size(), 1u);
  ASSERT_EQ(timelines.size(), 2u);
  for (const Record::Resource* const resource : {images[0], timelines[0], timelines[1]}) {
    EXPECT_NE(resource->call_site.find("wave::Shared"), std::string::npos) << resource->call_site;
    EXPECT_NE(resource->ended, Record::open);
  }
  std::map<std::string, unsigned> commands;
  std::map<std::string, std::set<std::string>> names;
  for (const Record::Command& command : record.commands) {
    if (command.kind != signal_kind && command.kind != wait_kind) continue;
    ++commands[command.kind];
    names[command.kind].insert(command.name);
    EXPECT_NE(command.ended, Record::open);
  }
  EXPECT_GE(commands[signal_kind], 3u);
  EXPECT_GE(commands[wait_kind], 2u);
  EXPECT_EQ(names[signal_kind].size(), 1u);
  EXPECT_EQ(names[wait_kind].size(), 1u);
  EXPECT_NE(names[signal_kind], names[wait_kind]);
  // Vulkan is who signals what CUDA waits for.
  EXPECT_TRUE(semaphore_edges_of(record).empty());
}
#endif

TEST_F(RecordInteropTest, SemaphoresOrderStreams) {
  const Record record = this->record(RECORDED_PROGRAM " semaphores");
  const auto edges = semaphore_edges_of(record);
  ASSERT_EQ(edges.size(), 6u);
  std::set<std::pair<uint64_t, uint64_t>> ordered;
  for (const Record::Edge* const edge : edges) {
    const Record::Command &signal = record.commands[edge->from], &wait = record.commands[edge->to];
    EXPECT_EQ(signal.kind, signal_kind);
    EXPECT_EQ(wait.kind, wait_kind);
    EXPECT_NE(signal.stream, wait.stream);
    EXPECT_EQ(signal.name, wait.name);
    EXPECT_LE(signal.ended, wait.began);
    ordered.emplace(signal.number, wait.number);
  }
  std::set<std::pair<uint64_t, uint64_t>> in_turns;
  for (uint64_t i = 1; i <= 6; ++i) in_turns.emplace(i, i);
  EXPECT_EQ(ordered, in_turns);
}

// A wait comes after a signal of the other process. A later signal of its own, which has a greater
// value, is not what it waited for.
TEST_F(RecordInteropTest, NoSemaphoreOrdersAWaitAfterALaterSignal) {
  const Record record = this->record(RECORDED_PROGRAM " two_processes");
  ASSERT_EQ(record.processes.size(), 2u);
  std::map<uint32_t, unsigned> waits, signals;  // of each process
  for (const Record::Command& command : record.commands) {
    const uint32_t process = record.devices[record.streams[command.stream].device].process;
    if (command.kind == wait_kind) ++waits[process];
    if (command.kind == signal_kind) ++signals[process];
    EXPECT_NE(command.ended, Record::open);
  }
  EXPECT_EQ(waits, (std::map<uint32_t, unsigned>{{0, 3}, {1, 3}}));
  EXPECT_EQ(signals, waits);
  EXPECT_TRUE(semaphore_edges_of(record).empty());
}

// As mpirun starts them.
TEST_F(RecordInteropTest, EachRankHasItsFile) {
  const Record record = this->record(RECORDED_PROGRAM " ranks");
  ASSERT_EQ(record.processes.size(), 6u);
  std::set<uint32_t> ids;
  for (const Record::Process& process : record.processes) {
    ids.insert(process.id);
    EXPECT_NE(process.ended, Record::open);
    EXPECT_EQ(process.command_line, RECORDED_PROGRAM " threads");
  }
  EXPECT_EQ(ids.size(), 6u);
  // Each has all that one process alone has, and refers to its own.
  std::vector<unsigned> commands(6), events(6), fills(6);
  for (const Record::Command& command : record.commands) {
    const uint32_t process = record.devices[record.streams[command.stream].device].process;
    ++commands[process];
    ASSERT_NE(command.call, Record::none);
    EXPECT_EQ(record.threads[record.calls[command.call].thread].process, process);
  }
  for (const Record::Resource& resource : record.resources) ++events[resource.process];
  for (const Record::Touch& touch : record.touches) {
    const Record::Memory& memory = record.memories.at(touch.memory);
    ++fills[memory.process];
    const Record::Command& command = record.commands[touch.command];
    EXPECT_EQ(record.devices[record.streams[command.stream].device].process, memory.process);
  }
  EXPECT_EQ(commands, std::vector<unsigned>(6, 16 * 11));
  EXPECT_EQ(events, std::vector<unsigned>(6, 16));
  EXPECT_EQ(fills, std::vector<unsigned>(6, 16 * 9));
}

}  // namespace
