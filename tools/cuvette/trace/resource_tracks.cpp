// SPDX-License-Identifier: Apache-2.0
// Graphics resources, imported memory and semaphores.
#include <algorithm>
#include <string>
#include <vector>

#include "tools/cuvette/trace/lanes.hpp"
#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {
namespace {

using ResourceKind = Record::Resource::Kind;

// Tracks of one kind. Beyond the first number, resources share tracks with others; beyond the
// second, they are left out.
constexpr size_t most_own_resources = 64, most_resources = 512;

// Writes the life of a resource, with the times at which it was mapped in it.
void write_resource(TraceParts& parts, PerfettoTrace::Track track, const LaneSpan& span) {
  const Record::Resource& one = parts.record->resources[span.index];
  auto notes = parts.file.notes();
  notes.add_repeated("called at", one.call_site);
  if (one.ended == Record::open) notes.add_repeated("given back", "never");
  const char* const what = one.kind == ResourceKind::graphics ? "registered" : "imported";
  parts.file.begin(track, span.begin, what, "resource", notes);
  auto mapped = one.mapped;
  std::ranges::sort(mapped);
  uint64_t last = span.begin;
  for (const auto& [began, ended] : mapped) {
    const uint64_t begin = std::clamp(parts.times.after(began), last, span.end);
    last = std::clamp(parts.times.before(parts.record.end(ended, one.process)), begin, span.end);
    auto about = parts.file.notes();
    if (ended == Record::open) about.add_repeated("unmapped", "never");
    parts.file.begin(track, begin, "mapped by CUDA", "mapped", about);
    parts.file.end(track, last);
  }
  parts.file.end(track, span.end);
}

void add_resource_group(TraceParts& parts, ResourceKind kind, const char* name,
                        const char* description) {
  const CheckedRecord& record = parts.record;
  std::vector<LaneSpan> spans;
  for (uint32_t resource = 0; resource < record->resources.size(); ++resource) {
    const Record::Resource& one = record->resources[resource];
    if (one.kind != kind) continue;
    const uint64_t begin = parts.times.after(one.began);
    const uint64_t end = parts.times.before(record.end(one.ended, one.process));
    const std::string title = one.name.empty() ? "without a name" : one.name;
    spans.push_back(
        {begin, std::max(begin, end), title + parts.words.of_process(one.process), resource});
  }
  if (spans.empty()) return;
  const PerfettoTrace::Track group = parts.file.track(0, name, description);
  const size_t wanted = spans.size();
  const Lanes lanes = lanes_of(spans, most_own_resources, most_resources);
  parts.left_out += wanted - spans.size();
  std::vector<PerfettoTrace::Track> tracks;
  for (const std::string& lane : lanes.names)
    tracks.push_back(parts.file.track(group, lane.empty() ? "several" : lane, ""));
  for (size_t place = 0; place < spans.size(); ++place)
    write_resource(parts, tracks[lanes.lane_of[place]], spans[place]);
}

}  // namespace

void add_resources(TraceParts& parts) {
  add_resource_group(parts, ResourceKind::graphics, "Graphics resources",
                     "Objects of OpenGL or EGL: registered with CUDA, and in between mapped by it");
  add_resource_group(parts, ResourceKind::external_memory, "External memory",
                     "Imports of memory of other APIs");
  add_resource_group(parts, ResourceKind::external_semaphore, "External semaphores",
                     "Imports of semaphores of other APIs");
}

}  // namespace cuvette::tools
