// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/perfetto_trace.hpp"

#include <algorithm>
#include <numeric>

#include "tools/cuvette/trace/readable.hpp"

namespace cuvette::tools {
namespace {

// The numbers of fields, as Perfetto's messages have them.
namespace trace_field {
constexpr uint32_t packet = 1;
}
namespace packet_field {
constexpr uint32_t clock_snapshot = 6, timestamp = 8, sequence = 10, track_event = 11,
                   interned_data = 12, sequence_flags = 13, clock = 58, defaults = 59,
                   track_descriptor = 60, is_first_of_sequence = 87;
}
namespace clock_field {
constexpr uint32_t clocks = 1, id = 1, timestamp = 2;
}
namespace track_field {
constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8,
                   child_ordering = 11, rank = 12, description = 14, merging = 15;
constexpr uint64_t explicit_ordering = 3, no_merging = 2;
}  // namespace track_field
namespace process_field {
constexpr uint32_t id = 1, command_line = 2, name = 6;
}
namespace thread_field {
constexpr uint32_t process = 1, id = 2, name = 5;
}
namespace counter_field {
constexpr uint32_t unit = 3;
}
namespace event_field {
constexpr uint32_t categories = 3, notes = 4, type = 9, name = 10, track = 11, value = 30,
                   flows = 47, ending_flows = 48;
}
namespace note_field {
constexpr uint32_t key = 1, number = 3, text = 6, repeated_text = 17;
}
namespace text_field {
constexpr uint32_t number = 1, text = 2;
}

// Numbers of clocks. Packets are in the monotonic clock's time; without a snapshot that also has
// the clock of the time since boot, viewers show nothing.
constexpr uint64_t calendar_clock = 1, monotonic_clock = 3, boot_clock = 6;

constexpr size_t longest_text = 16000;
constexpr size_t packet_of_texts = 1 << 20;

}  // namespace

uint32_t PerfettoTrace::Table::number(std::string_view text) {
  const auto [place, is_new] =
      numbers.try_emplace(std::string(text), static_cast<uint32_t>(numbers.size() + 1));
  if (is_new) texts.push_back(&place->first);
  return place->second;
}

void PerfettoTrace::Notes::add(std::string_view key, std::string_view text) {
  if (text.empty()) return;
  ProtobufMessage note;
  note.add(note_field::key, trace_.keys_.number(readable(key, longest_name)));
  note.add(note_field::text, readable(text, longest_text));
  fields_.add(event_field::notes, note);
}

void PerfettoTrace::Notes::add_repeated(std::string_view key, std::string_view text) {
  if (text.empty()) return;
  ProtobufMessage note;
  note.add(note_field::key, trace_.keys_.number(readable(key, longest_name)));
  note.add(note_field::repeated_text, trace_.texts_.number(readable(text, longest_text)));
  fields_.add(event_field::notes, note);
}

void PerfettoTrace::Notes::add(std::string_view key, uint64_t number) {
  ProtobufMessage note;
  note.add(note_field::key, trace_.keys_.number(readable(key, longest_name)));
  note.add(note_field::number, number);
  fields_.add(event_field::notes, note);
}

// `kind` is the field that makes the track a process's, a thread's or a counter's; 0: none.
PerfettoTrace::Track PerfettoTrace::add_track(Track parent, std::string_view name,
                                              std::string_view description, uint32_t kind,
                                              const ProtobufMessage& of_kind) {
  const auto track = static_cast<Track>(tracks_.size());
  ProtobufMessage fields;
  fields.add(track_field::uuid, track);
  if (parent) fields.add(track_field::parent, parent);
  if (!name.empty()) fields.add(track_field::name, readable(name, longest_name));
  if (!description.empty())
    fields.add(track_field::description, readable(description, longest_text));
  if (kind) fields.add(kind, of_kind);
  fields.add(track_field::child_ordering, track_field::explicit_ordering);
  fields.add(track_field::rank, ++tracks_[parent].children);
  // Otherwise a viewer makes one track of two that have the same name.
  fields.add(track_field::merging, track_field::no_merging);
  descriptors_.push_back(std::move(fields));
  tracks_.emplace_back();
  return track;
}

PerfettoTrace::Track PerfettoTrace::track(Track parent, std::string_view name,
                                          std::string_view description) {
  return add_track(parent, name, description, 0, {});
}

PerfettoTrace::Track PerfettoTrace::counter(Track parent, std::string_view name, Unit unit) {
  ProtobufMessage fields;
  fields.add(counter_field::unit, static_cast<uint64_t>(unit));
  return add_track(parent, name, "", track_field::counter, fields);
}

PerfettoTrace::Track PerfettoTrace::process(int32_t id, std::string_view name,
                                            std::string_view command_line) {
  ProtobufMessage fields;
  fields.add(process_field::id, static_cast<uint64_t>(id));
  fields.add(process_field::name, readable(name, longest_name));
  if (!command_line.empty())
    fields.add(process_field::command_line, readable(command_line, longest_text));
  return add_track(0, "", "", track_field::process, fields);
}

PerfettoTrace::Track PerfettoTrace::thread(Track process, int32_t process_id, int32_t id,
                                           std::string_view name) {
  ProtobufMessage fields;
  fields.add(thread_field::process, static_cast<uint64_t>(process_id));
  fields.add(thread_field::id, static_cast<uint64_t>(id));
  if (!name.empty()) fields.add(thread_field::name, readable(name, longest_name));
  return add_track(process, "", "", track_field::thread, fields);
}

PerfettoTrace::Mark PerfettoTrace::add(Track track, uint64_t time, Type type, std::string_view name,
                                       std::string_view category, const Notes& notes) {
  TrackState& state = tracks_[track];
  state.last = std::max(state.last, time);
  Event& event = events_.emplace_back();
  event.time = event.end = state.last;
  event.track = track;
  event.type = type;
  if (!name.empty()) event.name = names_.number(readable(name, longest_name));
  if (!category.empty()) event.category = categories_.number(readable(category, longest_name));
  event.notes = notes.fields_.bytes();
  return static_cast<Mark>(events_.size() - 1);
}

PerfettoTrace::Mark PerfettoTrace::begin(Track track, uint64_t time, std::string_view name,
                                         std::string_view category, const Notes& notes) {
  ++marks_;
  const Mark mark = add(track, time, Type::begin, name, category, notes);
  tracks_[track].open.push_back(mark);
  return mark;
}

void PerfettoTrace::end(Track track, uint64_t time) {
  if (tracks_[track].open.empty()) return;
  const Mark ended = tracks_[track].open.back();
  tracks_[track].open.pop_back();
  const Mark end = add(track, time, Type::end, "", "", notes());
  events_[ended].end = events_[end].time;
}

PerfettoTrace::Mark PerfettoTrace::instant(Track track, uint64_t time, std::string_view name,
                                           std::string_view category, const Notes& notes) {
  ++marks_;
  return add(track, time, Type::instant, name, category, notes);
}

void PerfettoTrace::count(Track counter, uint64_t time, int64_t value) {
  const Mark mark = add(counter, time, Type::count, "", "", notes());
  events_[mark].value = value;
}

void PerfettoTrace::arrow(Mark from, Mark to) { arrows_.push_back({from, to}); }

// What happened at the same time keeps the order in which it was added: the end of a slice comes
// before the beginning of the next one.
std::vector<uint32_t> PerfettoTrace::in_order_of_time() const {
  std::vector<uint32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](uint32_t one, uint32_t other) {
    return events_[one].time < events_[other].time;
  });
  return order;
}

void PerfettoTrace::write_packet(std::string& file, ProtobufMessage& packet) {
  constexpr uint64_t only_sequence = 1, cleared = 1, needs_texts = 2;
  packet.add(packet_field::sequence, only_sequence);
  packet.add(packet_field::sequence_flags, is_first_packet_ ? cleared | needs_texts : needs_texts);
  if (is_first_packet_) {
    ProtobufMessage defaults;
    defaults.add(packet_field::clock, monotonic_clock);
    packet.add(packet_field::defaults, defaults);
    packet.add(packet_field::is_first_of_sequence, 1);
    is_first_packet_ = false;
  }
  ProtobufMessage::append(file, trace_field::packet, packet.bytes());
  packet.clear();
}

void PerfettoTrace::write_clocks(std::string& file, uint64_t time, uint64_t unix_time) {
  ProtobufMessage packet, snapshot;
  const std::pair<uint64_t, uint64_t> clocks[] = {
      {boot_clock, time}, {monotonic_clock, time}, {calendar_clock, unix_time}};
  for (const auto& [id, shown] : clocks) {
    ProtobufMessage clock;
    clock.add(clock_field::id, id);
    clock.add(clock_field::timestamp, shown);
    snapshot.add(clock_field::clocks, clock);
  }
  packet.add(packet_field::clock_snapshot, snapshot);
  write_packet(file, packet);
}

// A text is written before the first event that names it; as all events are known, all texts come
// before all events.
void PerfettoTrace::write_texts(std::string& file) {
  ProtobufMessage packet, data;
  const auto flush = [&] {
    packet.add(packet_field::interned_data, data);
    write_packet(file, packet);
    data.clear();
  };
  for (const Table* table : {&categories_, &names_, &keys_, &texts_})
    for (uint32_t number = 1; number <= table->texts.size(); ++number) {
      ProtobufMessage text;
      text.add(text_field::number, number);
      text.add(text_field::text, *table->texts[number - 1]);
      data.add(table->field, text);
      if (data.bytes().size() > packet_of_texts) flush();
    }
  if (!data.empty()) flush();
}

void PerfettoTrace::write_events(std::string& file) {
  const std::vector<uint32_t> order = in_order_of_time();
  std::vector<uint32_t> places(order.size());
  for (uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;

  // A viewer reads the events in this order, and takes an arrow only if it has seen its source.
  struct End {
    uint32_t place;
    uint64_t flow;
    bool is_target;
  };
  std::vector<End> ends;
  arrows_left_out_ = 0;
  for (size_t index = 0; index < arrows_.size(); ++index) {
    const auto [from, to] = arrows_[index];
    if (events_[from].end > events_[to].time || places[from] >= places[to]) {
      ++arrows_left_out_;
      continue;
    }
    ends.push_back({places[from], index + 1, false});
    ends.push_back({places[to], index + 1, true});
  }
  std::ranges::stable_sort(ends, {}, &End::place);

  size_t next = 0;
  ProtobufMessage packet, fields;
  for (uint32_t place = 0; place < order.size(); ++place) {
    const Event& event = events_[order[place]];
    packet.add(packet_field::timestamp, event.time);
    fields.add(event_field::type, static_cast<uint64_t>(event.type));
    fields.add(event_field::track, event.track);
    if (event.name) fields.add(event_field::name, event.name);
    if (event.category) fields.add(event_field::categories, event.category);
    if (event.type == Type::count)
      fields.add(event_field::value, static_cast<uint64_t>(event.value));
    for (; next < ends.size() && ends[next].place == place; ++next)
      fields.add_fixed64(ends[next].is_target ? event_field::ending_flows : event_field::flows,
                         ends[next].flow);
    fields.add_fields(event.notes);
    packet.add(packet_field::track_event, fields);
    fields.clear();
    write_packet(file, packet);
  }
}

std::string PerfettoTrace::bytes(uint64_t time, uint64_t unix_time) {
  // A viewer shows a slice without an end as one that lasts for ever.
  for (Track track = 1; track < tracks_.size(); ++track)
    while (!tracks_[track].open.empty()) end(track, tracks_[track].last);
  is_first_packet_ = true;
  std::string file;
  write_clocks(file, time, unix_time);
  ProtobufMessage packet;
  for (const ProtobufMessage& descriptor : descriptors_) {
    packet.add(packet_field::track_descriptor, descriptor);
    write_packet(file, packet);
  }
  write_texts(file);
  write_events(file);
  return file;
}

}  // namespace cuvette::tools
