// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/shorten.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cuvette::tools {
namespace {

using Indices = std::vector<uint32_t>;

// Tells how near a time is to one of the moments that matter.
class Nearness {
 public:
  explicit Nearness(const Record& record) {
    for (const Record::Report& report : record.reports) {
      moments_.push_back(report.time);
      for (const uint32_t command : report.commands)
        if (command < record.commands.size())
          moments_.push_back(record.commands[command].submitted);
    }
    // Without a report, the end matters.
    if (moments_.empty()) moments_.push_back(~uint64_t{0});
    std::sort(moments_.begin(), moments_.end());
  }

  uint64_t operator()(uint64_t time) const {
    const auto after = std::lower_bound(moments_.begin(), moments_.end(), time);
    uint64_t distance = ~uint64_t{0};
    if (after != moments_.end()) distance = *after - time;
    if (after != moments_.begin()) distance = std::min(distance, time - *(after - 1));
    return distance;
  }

 private:
  std::vector<uint64_t> moments_;
};

// Marks in `kept` at most `room` items, those with the smallest distance, beside the marked ones.
template <typename Distance>
void keep_nearest(std::vector<char>& kept, size_t room, const Distance& distance) {
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (uint32_t item = 0; item < kept.size(); ++item) order.emplace_back(distance(item), item);
  if (room < order.size()) {
    std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(room), order.end());
    order.resize(room);
  }
  for (const auto& [far, item] : order) kept[item] = 1;
}

// Copies the kept items, and returns the new position of each old one, or none.
template <typename Item>
Indices copy_kept(const std::vector<Item>& from, const std::vector<char>& kept,
                  std::vector<Item>& to) {
  Indices places(from.size(), Record::none);
  for (size_t item = 0; item < from.size(); ++item) {
    if (!kept[item]) continue;
    places[item] = static_cast<uint32_t>(to.size());
    to.push_back(from[item]);
  }
  return places;
}

uint32_t moved(const Indices& places, uint32_t index) {
  return index < places.size() ? places[index] : Record::none;
}

void move_all(const Indices& places, Indices& indices) {
  for (uint32_t& index : indices) index = moved(places, index);
  std::erase(indices, Record::none);
}

}  // namespace

std::optional<Record> shortened(const Record& record, size_t limit) {
  const size_t beside = record.edges.size() + record.host_waits.size() + record.touches.size();
  const size_t events = record.commands.size() + record.calls.size() + beside;
  if (events <= limit) return {};

  // Half of the room is for commands with what belongs to them, half is for calls; what one does
  // not need is the other's.
  const size_t commands_cost = record.commands.size() + beside;
  const size_t calls_room =
      std::max(std::min(limit / 2, record.calls.size()), limit - std::min(limit, commands_cost));
  const size_t commands_room =
      static_cast<size_t>(static_cast<double>(limit - std::min(limit, calls_room)) *
                          (static_cast<double>(record.commands.size()) /
                           static_cast<double>(std::max<size_t>(commands_cost, 1))));
  const Nearness nearness(record);
  std::vector<char> commands(record.commands.size(), 0), calls(record.calls.size(), 0);
  keep_nearest(commands, commands_room,
               [&](uint32_t command) { return nearness(record.commands[command].submitted); });
  keep_nearest(calls, calls_room,
               [&](uint32_t call) { return nearness(record.calls[call].began); });
  for (const Record::Report& report : record.reports) {
    for (const uint32_t command : report.commands)
      if (command < commands.size()) commands[command] = 1;
    for (const uint32_t call : report.calls)
      if (call < calls.size()) calls[call] = 1;
  }
  for (size_t command = 0; command < commands.size(); ++command) {
    const uint32_t launch = record.commands[command].launch;
    if (commands[command] && launch < commands.size()) commands[launch] = 1;
  }

  Record kept;
  kept.processes = record.processes;
  kept.threads = record.threads;
  kept.devices = record.devices;
  kept.streams = record.streams;
  kept.segments = record.segments;
  kept.memories = record.memories;
  kept.resources = record.resources;
  kept.reports = record.reports;
  kept.unreadable = record.unreadable;
  const Indices call_places = copy_kept(record.calls, calls, kept.calls);
  const Indices command_places = copy_kept(record.commands, commands, kept.commands);
  for (Record::Command& command : kept.commands) {
    command.call = moved(call_places, command.call);
    command.launch = moved(command_places, command.launch);
  }
  for (Record::Edge edge : record.edges) {
    edge.from = moved(command_places, edge.from);
    edge.to = moved(command_places, edge.to);
    if (edge.from != Record::none && edge.to != Record::none) kept.edges.push_back(edge);
  }
  for (Record::HostWait wait : record.host_waits) {
    wait.command = moved(command_places, wait.command);
    wait.call = moved(call_places, wait.call);
    if (wait.command != Record::none && wait.call != Record::none) kept.host_waits.push_back(wait);
  }
  for (Record::Touch touch : record.touches) {
    touch.command = moved(command_places, touch.command);
    if (touch.command != Record::none) kept.touches.push_back(touch);
  }
  for (Record::Report& report : kept.reports) {
    move_all(command_places, report.commands);
    move_all(call_places, report.calls);
  }
  return kept;
}

}  // namespace cuvette::tools
