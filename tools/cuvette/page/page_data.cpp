// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/page_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cuvette/page/byte_spaces.hpp"
#include "tools/cuvette/page/columns.hpp"
#include "tools/cuvette/page/shorten.hpp"

namespace cuvette::tools {
namespace {

using nlohmann::json;

// The first moment of a record: the page counts from it, since its numbers are exact up to 2^53.
uint64_t first_moment(const Record& record) {
  uint64_t first = ~uint64_t{0};
  for (const auto& process : record.processes) first = std::min(first, process.began);
  for (const auto& call : record.calls) first = std::min(first, call.began);
  for (const auto& command : record.commands) first = std::min(first, command.submitted);
  for (const auto& segment : record.segments) first = std::min(first, segment.began);
  for (const auto& memory : record.memories) first = std::min(first, memory.began);
  for (const auto& resource : record.resources) first = std::min(first, resource.began);
  for (const auto& report : record.reports) first = std::min(first, report.time);
  return first == ~uint64_t{0} ? 0 : first;
}

const char* word(Record::Resource::Kind kind) {
  switch (kind) {
    case Record::Resource::Kind::graphics:
      return "graphics";
    case Record::Resource::Kind::external_memory:
      return "external memory";
    case Record::Resource::Kind::external_semaphore:
      return "external semaphore";
    case Record::Resource::Kind::event:
      return "event";
  }
  return "";
}

// Writes one view.
class ViewData {
 public:
  ViewData(const Record& record, PageTexts& texts, Columns& columns)
      : record_(record),
        first_(first_moment(record)),
        spaces_(record),
        texts_(texts),
        columns_(columns) {}

  json write() {
    calls();
    commands();
    relations();
    memories();
    return {{"processes", processes()},
            {"threads", threads()},
            {"devices", devices()},
            {"streams", streams()},
            {"resources", resources()},
            {"reports", reports()},
            {"unreadable", record_.unreadable}};
  }

 private:
  // A time as the page counts it; open is null.
  json moment(uint64_t time) const {
    if (time == Record::open) return nullptr;
    return time < first_ ? 0.0 : static_cast<double>(time - first_);
  }
  // An index that exists, or none: a record may have been read from damaged files.
  template <typename Items>
  static uint32_t known(uint32_t index, const Items& items) {
    return index < items.size() ? index : Record::none;
  }
  template <typename Items>
  static json known_or_null(uint32_t index, const Items& items) {
    if (index < items.size()) return index;
    return nullptr;
  }
  uint64_t since_first(uint64_t time) const { return time < first_ ? 0 : time - first_; }
  uint64_t since_first_or_open(uint64_t time) const {
    return time == Record::open ? time : since_first(time);
  }

  json processes() const {
    json all = json::array();
    for (const Record::Process& process : record_.processes)
      all.push_back({{"id", process.id},
                     {"program", process.program},
                     {"commandLine", process.command_line},
                     {"began", moment(process.began)},
                     {"ended", moment(process.ended)},
                     {"dropped", process.dropped}});
    return all;
  }
  json threads() const {
    json all = json::array();
    for (const Record::Thread& thread : record_.threads)
      all.push_back({{"process", known_or_null(thread.process, record_.processes)},
                     {"id", thread.id},
                     {"name", thread.name}});
    return all;
  }
  json devices() const {
    json all = json::array();
    for (const Record::Device& device : record_.devices)
      all.push_back({{"process", known_or_null(device.process, record_.processes)},
                     {"ordinal", device.ordinal},
                     {"name", device.name}});
    return all;
  }
  json streams() const {
    json all = json::array();
    for (const Record::Stream& stream : record_.streams)
      all.push_back({{"device", known_or_null(stream.device, record_.devices)},
                     {"id", stream.id},
                     {"context", stream.context},
                     {"kind", stream.kind},
                     {"priority", stream.priority}});
    return all;
  }
  json resources() const {
    json all = json::array();
    for (const Record::Resource& resource : record_.resources) {
      if (resource.kind == Record::Resource::Kind::event) continue;
      json mapped = json::array();
      for (const auto& [from, to] : resource.mapped) mapped.push_back({moment(from), moment(to)});
      all.push_back({{"process", known_or_null(resource.process, record_.processes)},
                     {"kind", word(resource.kind)},
                     {"name", resource.name},
                     {"began", moment(resource.began)},
                     {"ended", moment(resource.ended)},
                     {"site", resource.call_site},
                     {"mapped", mapped}});
    }
    return all;
  }
  json reports() const {
    json all = json::array();
    for (const Record::Report& report : record_.reports) {
      json bytes = nullptr;
      if (const auto place = spaces_.place_of(report.memory, report.address);
          place && report.size > 0)
        bytes = {{"space", place->space},
                 {"from", static_cast<double>(place->offset)},
                 {"to", static_cast<double>(place->offset) + static_cast<double>(report.size)}};
      json commands = json::array(), calls = json::array();
      for (const uint32_t command : report.commands)
        if (command < record_.commands.size()) commands.push_back(command);
      for (const uint32_t call : report.calls)
        if (call < record_.calls.size()) calls.push_back(call);
      all.push_back({{"process", known_or_null(report.process, record_.processes)},
                     {"time", moment(report.time)},
                     {"identifier", report.identifier},
                     {"severity", report.severity},
                     {"message", report.message},
                     {"site", report.call_site},
                     {"facts", report.facts},
                     {"commands", commands},
                     {"calls", calls},
                     {"bytes", bytes},
                     {"advice", report.advice}});
    }
    return all;
  }

  void calls() {
    const auto& all = record_.calls;
    const size_t rows = all.size();
    columns_.begin_table("calls", rows);
    columns_.index("thread", rows, [&](size_t i) { return known(all[i].thread, record_.threads); });
    columns_.number("function", rows, [&](size_t i) { return texts_(all[i].function); });
    columns_.number("site", rows, [&](size_t i) { return texts_(all[i].call_site); });
    columns_.time("began", rows, [&](size_t i) { return since_first(all[i].began); });
    columns_.time_near(
        "ended", "began", rows, [&](size_t i) { return since_first_or_open(all[i].ended); },
        [&](size_t i) { return since_first(all[i].began); });
    columns_.number("result", rows, [&](size_t i) { return static_cast<uint32_t>(all[i].result); });
    columns_.number("bytes", rows, [&](size_t i) { return all[i].bytes; });
    columns_.number("count", rows, [&](size_t i) { return all[i].count; });
    columns_.number("classes", rows, [&](size_t i) { return texts_(all[i].classes); });
  }

  void commands() {
    const auto& all = record_.commands;
    const size_t rows = all.size();
    columns_.begin_table("commands", rows);
    columns_.index("stream", rows, [&](size_t i) { return known(all[i].stream, record_.streams); });
    columns_.number("number", rows, [&](size_t i) { return all[i].number; });
    columns_.index("launch", rows, [&](size_t i) {
      return all[i].launch == i ? Record::none : known(all[i].launch, all);
    });
    columns_.number("step", rows, [&](size_t i) { return all[i].step; });
    columns_.number("kind", rows, [&](size_t i) { return texts_(all[i].kind); });
    columns_.number("name", rows, [&](size_t i) { return texts_(all[i].name); });
    columns_.number("site", rows, [&](size_t i) { return texts_(all[i].call_site); });
    columns_.index("call", rows, [&](size_t i) { return known(all[i].call, record_.calls); });
    columns_.time("submitted", rows, [&](size_t i) { return since_first(all[i].submitted); });
    columns_.time_near(
        "began", "submitted", rows, [&](size_t i) { return since_first_or_open(all[i].began); },
        [&](size_t i) { return since_first(all[i].submitted); });
    columns_.time_near(
        "ended", "began", rows,
        [&](size_t i) {
          return all[i].began == Record::open ? Record::open : since_first_or_open(all[i].ended);
        },
        [&](size_t i) { return since_first_or_open(all[i].began); });
    columns_.number("blocks", rows, [&](size_t i) { return all[i].blocks; });
    columns_.number("threads", rows, [&](size_t i) { return all[i].threads; });
  }

  void relations() {
    const auto& commands = record_.commands;
    const auto& edges = record_.edges;
    columns_.begin_table("edges", edges.size());
    columns_.index("from", edges.size(), [&](size_t i) { return known(edges[i].from, commands); });
    columns_.index("to", edges.size(), [&](size_t i) { return known(edges[i].to, commands); });
    columns_.number("why", edges.size(),
                    [&](size_t i) { return static_cast<uint64_t>(edges[i].why); });

    const auto& waits = record_.host_waits;
    columns_.begin_table("waits", waits.size());
    columns_.index("command", waits.size(),
                   [&](size_t i) { return known(waits[i].command, commands); });
    columns_.index("call", waits.size(),
                   [&](size_t i) { return known(waits[i].call, record_.calls); });

    const auto& touches = record_.touches;
    const size_t rows = touches.size();
    std::vector<ByteSpaces::Place> places;
    places.reserve(rows);
    for (const Record::Touch& touch : touches)
      places.push_back(spaces_.place_of(touch.memory, touch.address)
                           .value_or(ByteSpaces::Place{Record::none, touch.address}));
    columns_.begin_table("touches", rows);
    columns_.index("command", rows, [&](size_t i) { return known(touches[i].command, commands); });
    columns_.index("memory", rows,
                   [&](size_t i) { return known(touches[i].memory, record_.memories); });
    columns_.index("space", rows, [&](size_t i) { return places[i].space; });
    columns_.number("offset", rows, [&](size_t i) { return places[i].offset; });
    columns_.number("size", rows, [&](size_t i) { return touches[i].size; });
    columns_.number("writes", rows, [&](size_t i) { return uint64_t{touches[i].writes}; });
  }

  void memories() {
    const auto& spaces = spaces_.spaces();
    columns_.begin_table("spaces", spaces.size());
    columns_.number("name", spaces.size(), [&](size_t i) { return texts_(spaces[i].name); });
    columns_.number("origin", spaces.size(), [&](size_t i) { return texts_(spaces[i].origin); });
    columns_.index("process", spaces.size(),
                   [&](size_t i) { return known(spaces[i].process, record_.processes); });
    columns_.number("size", spaces.size(), [&](size_t i) { return spaces[i].size; });
    columns_.time("began", spaces.size(), [&](size_t i) { return since_first(spaces[i].began); });
    columns_.time_near(
        "ended", "began", spaces.size(),
        [&](size_t i) { return since_first_or_open(spaces[i].ended); },
        [&](size_t i) { return since_first(spaces[i].began); });
    columns_.number("segment", spaces.size(),
                    [&](size_t i) { return uint64_t{spaces[i].is_segment}; });

    const auto& all = record_.memories;
    const size_t rows = all.size();
    const auto place = [&](size_t i) { return spaces_.place_of(static_cast<uint32_t>(i)); };
    columns_.begin_table("memories", rows);
    columns_.index("process", rows,
                   [&](size_t i) { return known(all[i].process, record_.processes); });
    columns_.index("device", rows, [&](size_t i) { return known(all[i].device, record_.devices); });
    columns_.number("kind", rows, [&](size_t i) { return texts_(all[i].kind); });
    columns_.number("name", rows, [&](size_t i) { return texts_(all[i].name); });
    columns_.address("address", rows, [&](size_t i) { return all[i].address; });
    columns_.number("size", rows, [&](size_t i) { return all[i].size; });
    columns_.index("space", rows, [&](size_t i) { return place(i).space; });
    columns_.number("offset", rows, [&](size_t i) { return place(i).offset; });
    columns_.time("began", rows, [&](size_t i) { return since_first(all[i].began); });
    columns_.time_near(
        "ended", "began", rows, [&](size_t i) { return since_first_or_open(all[i].ended); },
        [&](size_t i) { return since_first(all[i].began); });
    columns_.number("site", rows, [&](size_t i) { return texts_(all[i].call_site); });
  }

  const Record& record_;
  uint64_t first_;
  ByteSpaces spaces_;
  PageTexts& texts_;
  Columns& columns_;
};

json json_of(const std::vector<PageTable>& tables) {
  json all = json::array();
  for (const PageTable& table : tables) {
    json columns = json::array();
    for (const PageTable::Column& column : table.columns)
      columns.push_back({{"title", column.title}, {"number", column.is_number}});
    all.push_back({{"title", table.title},
                   {"explanation", table.explanation},
                   {"columns", columns},
                   {"rows", table.rows},
                   {"notes", table.notes},
                   {"kernels", table.kernels}});
  }
  return all;
}

json json_of(const PageOutcome& outcome) {
  if (outcome.sentence.empty()) return nullptr;
  return {{"isFailure", outcome.is_failure},
          {"sentence", outcome.sentence},
          {"facts", outcome.facts},
          {"output", outcome.output},
          {"repeat", outcome.repeat}};
}

}  // namespace

std::string page_data(const std::vector<PageView>& views, const std::string& title, size_t limit) {
  Columns columns;
  PageTexts texts;
  json all = json::array();
  for (const PageView& view : views) {
    const std::optional<Record> part = shortened(*view.record, limit);
    const size_t tables_before = columns.names().size();
    json one = ViewData(part ? *part : *view.record, texts, columns).write();
    one["title"] = view.title;
    one["extraTables"] = json_of(view.tables);
    one["outcome"] = json_of(view.outcome);
    one["tables"] = json::array();
    for (size_t table = tables_before; table < columns.names().size(); ++table)
      one["tables"].push_back(columns.names()[table]);
    one["leftOut"] = nullptr;
    if (part)
      one["leftOut"] = {{"commands", view.record->commands.size() - part->commands.size()},
                        {"calls", view.record->calls.size() - part->calls.size()}};
    all.push_back(std::move(one));
  }
  const json head = {{"title", title}, {"views", std::move(all)}, {"texts", texts.json()}};
  // Names come from programs: what is no UTF-8 is replaced.
  const std::string text = head.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string data;
  data.reserve(4 + text.size() + columns.bytes().size());
  for (int shift = 0; shift < 32; shift += 8) data += static_cast<char>(text.size() >> shift);
  data += text;
  data += columns.bytes();
  return data;
}

}  // namespace cuvette::tools
