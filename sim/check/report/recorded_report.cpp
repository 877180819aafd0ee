// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/recorded_report.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/device/machine/machine.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::check {

namespace format = record_format;

namespace {

// Returns where the program did what the report is about: the work that it submitted, else the
// call that it made; empty if no fact says so.
std::string_view place_of_mistake(const Report& report) {
  for (const std::string_view wanted : {"submitted at", "launched at", "called at"})
    for (const Fact& fact : report.facts)
      if (wanted == fact.key) return text_of(fact);
  return {};
}

std::string value_of(const Fact& fact) {
  const auto* const number = std::get_if<uint64_t>(&fact.value);
  return number ? std::to_string(*number) : std::string(text_of(fact));
}

// The memory that the address lies in; 0 if that is not known.
uint64_t memory_at(uint64_t address) {
  if (address == 0 || device::Machine::state() == device::Machine::State::not_started) return 0;
  const auto memory = device::address_space().find(address);
  return memory ? memory->buffer_id : 0;
}

}  // namespace

void record_report(const Report& report) {
  record::Recorder* const recorder = record::recorder();
  if (!recorder) return;
  static constinit std::atomic<uint32_t> reports{0};
  const uint32_t number = reports.fetch_add(1, std::memory_order_relaxed) + 1;
  format::Report record{
      .number = number,
      .identifier = recorder->text(kind(report.id).identifier),
      .severity = recorder->text(kind(report.id).is_hint ? "hint" : "error"),
      .sentence = recorder->text(report.sentence),
      .advice = recorder->text(report.advice.empty() ? kind(report.id).advice : report.advice),
      .time = os::ticks(),
      .memory = memory_at(report.address),
      .address = report.address,
      .size = report.size};
  const std::string_view found = place_of_mistake(report);
  const format::Call* const call = recorder->inner_call();
  record.site = !found.empty() ? recorder->text(found) : call ? call->site : 0;
  // The call in which a command's mistake shows is not the mistake.
  if (report.commands.empty()) record.call = recorder->outer_call();
  recorder->add(record);
  uint32_t place = 0;
  for (const Fact& fact : report.facts)
    recorder->add(format::Fact{.report = number,
                               .key = recorder->text(fact.key),
                               .value = recorder->text(value_of(fact)),
                               .place = place++});
  place = 0;
  for (const ReportedCommand& command : report.commands)
    recorder->add(format::About{.report = number,
                                .stream = static_cast<uint32_t>(command.stream),
                                .number = command.number,
                                .step_place = command.step_place,
                                .place = place++});
}

}  // namespace cuvette::check
