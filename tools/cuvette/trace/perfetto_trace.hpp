// SPDX-License-Identifier: Apache-2.0
// PerfettoTrace: tracks, the slices, instants and counts on them, and arrows, as a trace of
// Perfetto (https://perfetto.dev/docs/reference/trace-packet-proto).
//
// Names and notes may contain any bytes: they are made readable here.
//
// Threads: for one thread at a time.
// Invariants: what is put on a track comes in the order of its times. Slices of one track nest: the
//   last that began ends first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/cuvette/trace/protobuf.hpp"

namespace cuvette::tools {

class PerfettoTrace {
 public:
  using Track = uint32_t;  // 0: none
  using Mark = uint32_t;   // the beginning of a slice, or an instant
  static constexpr Mark no_mark = ~0u;
  static constexpr size_t longest_name = 1000;  // in bytes; longer ones are cut
  enum class Unit : uint8_t { count = 2, bytes = 3 };

  // What is said of a slice or an instant: keys with values.
  class Notes {
   public:
    // An empty text is left out. `repeated`: other slices say the same, so it is stored once.
    void add(std::string_view key, std::string_view text);
    void add_repeated(std::string_view key, std::string_view text);
    void add(std::string_view key, uint64_t number);

   private:
    friend class PerfettoTrace;
    explicit Notes(PerfettoTrace& trace) : trace_(trace) {}
    PerfettoTrace& trace_;
    ProtobufMessage fields_;
  };
  Notes notes() { return Notes(*this); }

  // Tracks with the same parent are shown in the order in which they are made. `description` is
  // what the viewer says on request.
  Track track(Track parent, std::string_view name, std::string_view description);
  Track counter(Track parent, std::string_view name, Unit unit);
  // The numbers of processes are unique, and those of threads in their process.
  Track process(int32_t id, std::string_view name, std::string_view command_line);
  Track thread(Track process, int32_t process_id, int32_t id, std::string_view name);

  Mark begin(Track track, uint64_t time, std::string_view name, std::string_view category,
             const Notes& notes);
  void end(Track track, uint64_t time);
  Mark instant(Track track, uint64_t time, std::string_view name, std::string_view category,
               const Notes& notes);
  void count(Track counter, uint64_t time, int64_t value);

  // Draws an arrow from the end of one to the beginning of the other. It is left out if the source
  // ends after the target begins, as no viewer can draw it then.
  void arrow(Mark from, Mark to);

  // Returns the whole file. `unix_time`: what the calendar's clock showed at `time`.
  std::string bytes(uint64_t time, uint64_t unix_time);
  // How many slices and instants it has, how many arrows, and how many of them bytes() left out.
  size_t marks() const { return marks_; }
  size_t arrows() const { return arrows_.size(); }
  size_t arrows_left_out() const { return arrows_left_out_; }

 private:
  enum class Type : uint8_t { begin = 1, end = 2, instant = 3, count = 4 };
  struct Event {
    uint64_t time = 0;
    uint64_t end = 0;  // of a slice
    int64_t value = 0;
    Track track = 0;
    Type type = Type::instant;
    uint32_t name = 0, category = 0;
    std::string notes;
  };
  struct TrackState {
    uint32_t children = 0;
    uint64_t last = 0;       // the time of its latest event
    std::vector<Mark> open;  // slices that have not ended
  };
  struct Arrow {
    Mark from, to;
  };
  // Texts that are written once, and numbered from 1.
  struct Table {
    uint32_t field;  // of InternedData
    std::unordered_map<std::string, uint32_t> numbers;
    std::vector<const std::string*> texts;
    uint32_t number(std::string_view text);
  };

  Track add_track(Track parent, std::string_view name, std::string_view description, uint32_t kind,
                  const ProtobufMessage& of_kind);
  Mark add(Track track, uint64_t time, Type type, std::string_view name, std::string_view category,
           const Notes& notes);
  std::vector<uint32_t> in_order_of_time() const;
  void write_packet(std::string& file, ProtobufMessage& packet);
  void write_clocks(std::string& file, uint64_t time, uint64_t unix_time);
  void write_texts(std::string& file);
  void write_events(std::string& file);

  Table categories_{1, {}, {}}, names_{2, {}, {}}, keys_{3, {}, {}}, texts_{29, {}, {}};
  std::vector<ProtobufMessage> descriptors_;  // of the tracks
  std::vector<TrackState> tracks_ = std::vector<TrackState>(1);
  std::vector<Event> events_;
  std::vector<Arrow> arrows_;
  size_t marks_ = 0, arrows_left_out_ = 0;
  bool is_first_packet_ = true;
};

}  // namespace cuvette::tools
