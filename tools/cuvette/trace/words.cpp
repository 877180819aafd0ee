// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/words.hpp"

#include <algorithm>
#include <cstdio>

#include "tools/cuvette/trace/readable.hpp"

namespace cuvette::tools {

std::string size_in_words(uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return std::to_string(bytes) + (bytes == 0 ? "" : " " + std::string(units[unit]));
}

std::string range_in_words(uint64_t begin, uint64_t size) {
  return "[" + size_in_words(begin) + ", " + size_in_words(begin + size) + ")";
}

TraceWords::TraceWords(const CheckedRecord& record, bool keeps_numbers)
    : record_(record), keeps_numbers_(keeps_numbers), has_contexts_(record->devices.size()) {
  std::vector<const Record::Stream*> first(record->devices.size());
  for (const Record::Stream& stream : record->streams) {
    if (stream.device == Record::none) continue;
    if (!first[stream.device])
      first[stream.device] = &stream;
    else if (first[stream.device]->context != stream.context)
      has_contexts_[stream.device] = true;
  }
}

std::string TraceWords::text(std::string_view recorded) const {
  return keeps_numbers_ ? std::string(recorded) : without_addresses(recorded);
}

std::string TraceWords::address(uint64_t address) const {
  if (!keeps_numbers_) return "";
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string TraceWords::process(uint32_t process) const {
  const Record::Process& one = record_->processes[process];
  std::string name = one.program.substr(one.program.rfind('/') + 1);
  if (name.empty()) name = "a program";
  if (record_->processes.size() == 1) return name;
  return name + " (" + std::to_string(keeps_numbers_ ? one.id : process + 1) + ")";
}

std::string TraceWords::of_process(uint32_t process) const {
  if (process == Record::none || record_->processes.size() == 1) return "";
  return " of " + this->process(process);
}

std::string TraceWords::stream(uint32_t stream) const {
  const Record::Stream& one = record_->streams[stream];
  const std::string number = std::to_string(one.id);
  std::string name = one.kind == "legacy" ? "legacy stream" : "stream " + number;
  if (one.kind == "per-thread") name = "per-thread " + name;
  if (one.device != Record::none && has_contexts_[one.device])
    name += " of context " + std::to_string(one.context);
  return name;
}

std::string TraceWords::number(uint32_t command) const {
  const Record::Command& one = record_->commands[command];
  const bool is_step = one.launch != Record::none;
  const Record::Command& whole = is_step ? record_->commands[one.launch] : one;
  const std::string stream =
      whole.stream == Record::none ? "?" : std::to_string(record_->streams[whole.stream].id);
  return stream + "." + std::to_string(whole.number) +
         (is_step ? "." + std::to_string(one.step) : "");
}

std::string TraceWords::command(uint32_t command) const {
  const Record::Command& one = record_->commands[command];
  const std::string event = one.name.empty() ? "an event" : one.name;
  if (one.kind == "event record") return event + " recorded";
  if (one.kind == "event wait") return "wait for " + event;
  if (one.name.empty()) return one.kind.empty() ? "command" : one.kind;
  return one.kind == "kernel" ? one.name : one.kind + " " + one.name;
}

std::string TraceWords::bytes(uint32_t memory, uint64_t address, uint64_t size) const {
  const Record::Memory* const known = memory == Record::none ? nullptr : &record_->memories[memory];
  if (!known || address - known->address > known->size) {
    const std::string where = this->address(address);
    return size_in_words(size) + " of unknown memory" + (where.empty() ? "" : " at " + where);
  }
  const Record::Memory& one = *known;
  uint64_t offset = address - one.address;
  std::string name = one.name;
  if (one.segment != Record::none) {
    offset += one.offset;
    const std::string& segment = record_->segments[one.segment].name;
    if (!segment.empty()) name = segment;
  }
  if (name.empty()) {
    name = one.kind + " memory";
    if (!one.call_site.empty()) name += " of " + one.call_site;
  }
  return name + " " + range_in_words(offset, size);
}

}  // namespace cuvette::tools
