// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/top/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace cuvette::tools {
namespace {

using Json = nlohmann::ordered_json;
using processes::DeviceUse;
using Uuid = std::array<uint8_t, 16>;

// A device as its processes describe it.
struct TopDevice {
  const DeviceUse* described;
  uint64_t used = 0;
  unsigned processes = 0;
};

// Devices with processes in a context, in their order.
std::vector<std::pair<Uuid, TopDevice>> devices_of(const std::vector<TopProcess>& processes) {
  std::map<std::pair<unsigned, Uuid>, TopDevice> devices;
  for (const TopProcess& one : processes) {
    for (const DeviceUse& use : one.process.devices) {
      if (!use.in_context) continue;
      TopDevice& device = devices[{use.index, use.uuid}];
      device.described = &use;
      device.used += std::min(use.used, UINT64_MAX - device.used);
      ++device.processes;
    }
  }
  std::vector<std::pair<Uuid, TopDevice>> list;
  for (const auto& [key, device] : devices) list.emplace_back(key.second, device);
  return list;
}

std::string text_of(const Uuid& uuid) {
  std::string text = "GPU-";
  for (size_t byte = 0; byte < uuid.size(); ++byte) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", uuid[byte]);
    if (byte == 4 || byte == 6 || byte == 8 || byte == 10) text += '-';
    text += digits;
  }
  return text;
}

std::string state_of(const processes::Process& process) {
  switch (process.sight) {
    case os::Sight::running:
      return process.current ? "running" : "silent";
    case os::Sight::stopped:
      return "stopped";
    case os::Sight::gone:
    case os::Sight::hidden:
      break;
  }
  return process.current ? "running" : "unknown";
}

// The columns; the last one has no width.
struct Row {
  std::string pid, user, device, memory, streams, pending, kernel, command;
};

constexpr size_t kernel_width = 24;

std::string shortened(std::string text, size_t width) {
  if (text.size() > width) text.replace(width - 1, std::string::npos, "~");
  return text;
}

std::string line_of(const Row& row) {
  char line[160];
  snprintf(line, sizeof line, "%8s  %-10s %3s %10s %8s %8s  %-*s  ", row.pid.c_str(),
           shortened(row.user, 10).c_str(), row.device.c_str(), row.memory.c_str(),
           row.streams.c_str(), row.pending.c_str(), static_cast<int>(kernel_width),
           shortened(row.kernel, kernel_width).c_str());
  return line + row.command;
}

Row row_of(const TopProcess& one, const DeviceUse* use) {
  const std::string state = state_of(one.process);
  Row row;
  row.pid = std::to_string(one.process.identity.pid) + (one.here ? "" : "*");
  row.user = one.user;
  row.command = one.command + (state == "running" ? "" : " (" + state + ")");
  if (!use) {
    row.device = "-";
    return row;
  }
  row.device = std::to_string(use->index);
  row.memory = human_bytes(use->used);
  row.streams = std::to_string(use->streams);
  row.pending = std::to_string(use->pending);
  row.kernel = use->kernel;
  return row;
}

Json json_of(const DeviceUse& use) {
  return {{"index", use.index},
          {"uuid", text_of(use.uuid)},
          {"model", use.model},
          {"context", use.in_context},
          {"used", use.used},
          {"total", use.total},
          {"streams", use.streams},
          {"pending", use.pending},
          {"kernel", use.kernel.empty() ? Json() : Json(use.kernel)}};
}

}  // namespace

std::string human_bytes(uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  auto amount = static_cast<double>(bytes);
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  char text[64];
  snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
  return text;
}

std::vector<std::string> top_table(const std::vector<TopProcess>& processes, size_t width,
                                   size_t height) {
  std::vector<std::string> lines;
  for (const auto& [uuid, device] : devices_of(processes)) {
    const DeviceUse& use = *device.described;
    lines.push_back("GPU " + std::to_string(use.index) + ": " + use.model + ", " +
                    human_bytes(device.used) + " of " + human_bytes(use.total) + ", " +
                    std::to_string(device.processes) +
                    (device.processes == 1 ? " process" : " processes"));
  }
  if (processes.empty()) lines.emplace_back("No process uses Cuvette.");
  if (!processes.empty()) {
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(
        line_of({"PID", "USER", "GPU", "MEMORY", "STREAMS", "PENDING", "KERNEL", "PROGRAM"}));
  }
  bool elsewhere = false;
  for (const TopProcess& one : processes) {
    const size_t before = lines.size();
    for (const DeviceUse& use : one.process.devices)
      if (use.in_context) lines.push_back(line_of(row_of(one, &use)));
    if (lines.size() == before) lines.push_back(line_of(row_of(one, nullptr)));
    elsewhere |= !one.here;
  }
  if (elsewhere) lines.emplace_back("* in another PID namespace (a container, perhaps)");
  if (lines.size() > height) lines.resize(height);
  for (std::string& line : lines) {
    if (line.size() > width) line.resize(width);
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

std::string top_json(const std::vector<TopProcess>& processes) {
  Json devices = Json::array(), list = Json::array();
  for (const auto& [uuid, device] : devices_of(processes))
    devices.push_back({{"index", device.described->index},
                       {"uuid", text_of(uuid)},
                       {"model", device.described->model},
                       {"used", device.used},
                       {"total", device.described->total},
                       {"processes", device.processes}});
  for (const TopProcess& one : processes) {
    Json uses = Json::array();
    for (const DeviceUse& use : one.process.devices) uses.push_back(json_of(use));
    list.push_back({{"pid", one.process.identity.pid},
                    {"same_pid_namespace", one.here},
                    {"user", one.user},
                    {"program", one.process.program},
                    {"command", one.command},
                    {"state", state_of(one.process)},
                    {"devices", std::move(uses)}});
  }
  const Json document = {{"devices", std::move(devices)}, {"processes", std::move(list)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cuvette::tools
