// SPDX-License-Identifier: Apache-2.0
// Segments, their windows, and the bytes that several of these show.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/cuvette/trace/lanes.hpp"
#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {
namespace {

// Tracks of one segment. Beyond the first number, windows share tracks with others; beyond the
// second, windows and overlaps are left out, as nobody could read so many.
constexpr size_t most_own_windows = 32, most_windows = 128;
// Pairs of windows of one segment that show the same bytes. There may be a square of them.
constexpr size_t most_overlaps = 10'000;

// The same bytes, in all processes that share them.
struct SharedBytes {
  std::vector<uint32_t> segments, windows;  // indices of the record
};

std::vector<SharedBytes> shared_bytes(const Record& record) {
  std::vector<SharedBytes> all;
  std::map<uint64_t, size_t> by_identity;
  std::vector<size_t> of_segment;
  for (uint32_t segment = 0; segment < record.segments.size(); ++segment) {
    const uint64_t identity = record.segments[segment].identity;
    size_t place = all.size();
    if (identity != 0) place = by_identity.try_emplace(identity, place).first->second;
    if (place == all.size()) all.emplace_back();
    all[place].segments.push_back(segment);
    of_segment.push_back(place);
  }
  for (uint32_t memory = 0; memory < record.memories.size(); ++memory)
    if (const uint32_t segment = record.memories[memory].segment; segment != Record::none)
      all[of_segment[segment]].windows.push_back(memory);
  // An allocation that nothing else shows is not shared.
  std::erase_if(all, [&](const SharedBytes& bytes) {
    const std::string& origin = record.segments[bytes.segments[0]].origin;
    return bytes.segments.size() == 1 && bytes.windows.size() <= 1 &&
           (origin == "device" || origin.empty());
  });
  return all;
}

// Writes the tracks of one segment.
class SegmentTracks {
 public:
  SegmentTracks(TraceParts& parts, const SharedBytes& bytes)
      : parts_(parts), record_(*parts.record), bytes_(bytes) {}

  void write(PerfettoTrace::Track parent) {
    const Record::Segment& first = record_.segments[bytes_.segments[0]];
    std::string name = first.name.empty() ? "segment" : first.name;
    name += ": " + size_in_words(first.size);
    if (!first.origin.empty()) name += ", " + first.origin;
    if (bytes_.segments.size() == 1) name += parts_.words.of_process(first.process);
    track_ = parts_.file.track(parent, name, "The same bytes, seen through each of its windows");
    write_lives();
    write_windows();
    write_overlaps();
  }

 private:
  LaneSpan span_of(uint64_t began, uint64_t ended, uint32_t process) const {
    const uint64_t begin = parts_.times.after(began);
    const uint64_t end = parts_.times.before(parts_.record.end(ended, process));
    return {begin, std::max(begin, end), "", 0};
  }

  // Puts spans on tracks below the segment's, or the first of them on the segment's own.
  template <typename Note>
  void write(std::vector<LaneSpan>& spans, size_t most_names, bool on_own, const std::string& name,
             const char* category, Note note) {
    const size_t wanted = spans.size();
    const Lanes lanes = lanes_of(spans, most_names, most_windows);
    parts_.left_out += wanted - spans.size();
    std::vector<PerfettoTrace::Track> tracks;
    for (size_t lane = 0; lane < lanes.names.size(); ++lane) {
      const std::string& own = lanes.names[lane];
      if (lane == 0 && on_own)
        tracks.push_back(track_);
      else
        tracks.push_back(
            parts_.file.track(track_, most_names > 1 && !own.empty() ? own : name, ""));
    }
    for (size_t place = 0; place < spans.size(); ++place) {
      const LaneSpan& span = spans[place];
      const PerfettoTrace::Track track = tracks[lanes.lane_of[place]];
      auto notes = parts_.file.notes();
      const std::string title = note(span, notes);
      parts_.file.begin(track, span.begin, title, category, notes);
      parts_.file.end(track, span.end);
    }
  }

  void write_lives() {
    std::vector<LaneSpan> spans;
    for (const uint32_t segment : bytes_.segments) {
      const Record::Segment& one = record_.segments[segment];
      spans.push_back(span_of(one.began, one.ended, one.process));
      spans.back().index = segment;
    }
    write(spans, 1, true, "in another process", "segment",
          [&](const LaneSpan& span, PerfettoTrace::Notes& notes) {
            const Record::Segment& one = record_.segments[span.index];
            notes.add("size", one.size);
            notes.add_repeated("origin", one.origin);
            if (one.ended == Record::open) notes.add_repeated("given back", "never");
            return (one.name.empty() ? "segment" : one.name) + parts_.words.of_process(one.process);
          });
  }

  std::string window_name(uint32_t memory) const {
    const Record::Memory& one = record_.memories[memory];
    return "window " + range_in_words(one.offset, one.size) + parts_.words.of_process(one.process);
  }

  void write_windows() {
    std::vector<LaneSpan> spans;
    for (const uint32_t memory : bytes_.windows) {
      const Record::Memory& one = record_.memories[memory];
      spans.push_back(span_of(one.began, one.ended, one.process));
      spans.back().name = window_name(memory);
      spans.back().index = memory;
    }
    windows_ = spans;
    write(spans, most_own_windows, false, "windows", "window",
          [&](const LaneSpan& span, PerfettoTrace::Notes& notes) {
            const Record::Memory& one = record_.memories[span.index];
            notes.add("address", parts_.words.address(one.address));
            notes.add("offset", one.offset);
            notes.add("size", one.size);
            notes.add_repeated("kind", one.kind);
            notes.add_repeated("called at", one.call_site);
            if (one.ended == Record::open) notes.add_repeated("given back", "never");
            return one.name.empty() ? span.name : one.name + " " + span.name;
          });
  }

  // Slices while two windows show the same bytes.
  void write_overlaps() {
    struct Overlap {
      uint32_t one, other;
      uint64_t offset, size;
    };
    std::vector<Overlap> overlaps;
    std::vector<LaneSpan> spans;
    std::vector<const LaneSpan*> alive;
    std::ranges::stable_sort(windows_, {}, &LaneSpan::begin);
    for (const LaneSpan& span : windows_) {
      std::erase_if(alive, [&](const LaneSpan* other) { return other->end <= span.begin; });
      const Record::Memory& mine = record_.memories[span.index];
      for (const LaneSpan* other : alive) {
        const Record::Memory& theirs = record_.memories[other->index];
        const uint64_t begin = std::max(mine.offset, theirs.offset);
        const uint64_t end = std::min(mine.offset + mine.size, theirs.offset + theirs.size);
        if (begin >= end || span.begin >= std::min(span.end, other->end)) continue;
        if (overlaps.size() == most_overlaps) {
          ++parts_.left_out;
          continue;
        }
        spans.push_back({span.begin, std::min(span.end, other->end), "",
                         static_cast<uint32_t>(overlaps.size())});
        overlaps.push_back({other->index, span.index, begin, end - begin});
      }
      alive.push_back(&span);
    }
    write(spans, 1, false, "same bytes twice", "overlap",
          [&](const LaneSpan& span, PerfettoTrace::Notes& notes) {
            const Overlap& overlap = overlaps[span.index];
            notes.add("one", seen_through(overlap.one));
            notes.add("other", seen_through(overlap.other));
            return range_in_words(overlap.offset, overlap.size) + " through two windows";
          });
  }

  std::string seen_through(uint32_t memory) const {
    const std::string& site = record_.memories[memory].call_site;
    return window_name(memory) + (site.empty() ? "" : ", " + site);
  }

  TraceParts& parts_;
  const Record& record_;
  const SharedBytes& bytes_;
  PerfettoTrace::Track track_ = 0;
  std::vector<LaneSpan> windows_;
};

}  // namespace

void add_shared_memory(TraceParts& parts) {
  const std::vector<SharedBytes> all = shared_bytes(*parts.record);
  if (all.empty()) return;
  const PerfettoTrace::Track group = parts.file.track(
      0, "Shared memory", "Memory that several addresses, APIs or processes may show");
  for (const SharedBytes& bytes : all) SegmentTracks(parts, bytes).write(group);
}

}  // namespace cuvette::tools
