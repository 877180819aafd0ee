// SPDX-License-Identifier: Apache-2.0
// Reports about commands that race.
#include <string>
#include <utility>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/order/early_waits.hpp"
#include "sim/check/order/kernel_races.hpp"
#include "sim/check/order/race.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"

namespace cuvette::check {

using device::StreamKind;
using memory::Allocation;

namespace {

bool looks_at_commands() {
  static const bool wanted = checks(Check::races) || checks(Check::footprints);
  return wanted;
}

bool is_of_life(const Access& access) { return access.begins_life || access.ends_life; }

// Whether one of the two begins or ends the life of the memory.
ReportId id_of(const Race& race) {
  return is_of_life(*race.later) || is_of_life(*race.conflict.earlier) ? ReportId::outside_life
                                                                       : ReportId::unordered_access;
}

std::string access_in_words(const Access& access, bool writes) {
  if (access.begins_life) return "allocates";
  if (access.ends_life) return "frees";
  return access.hands_over ? "hands over" : writes ? "writes" : "reads";
}

// Says what would order the two.
std::string missing(const Access& earlier, const Access& later) {
  if (earlier.point.stream == later.point.stream)
    return "a dependency between the two nodes of the graph";
  std::string link = "an event that is recorded in " + stream_in_words(earlier) + " after " +
                     place_in_words(earlier) + " and waited for in " + stream_in_words(later) +
                     " before " + place_in_words(later) + ", or a synchronisation with the first";
  const bool legacy =
      earlier.stream_kind == StreamKind::legacy || later.stream_kind == StreamKind::legacy;
  if (!legacy) return link;
  if (earlier.point.context != later.point.context)
    return link + " (the legacy stream is only ordered with blocking streams of its own context)";
  return link +
         " (the other is a non-blocking stream, with which the legacy stream is not ordered)";
}

// Says which calls would order the two, and where.
std::string advice_of(const Access& earlier, const Access& later) {
  if (earlier.point.stream == later.point.stream)
    return "Add a dependency between the two nodes (cuGraphAddDependencies); in a capture, submit "
           "both to one stream, or let the second one's stream wait for an event of the first.";
  const std::string first = stream_in_words(earlier), second = stream_in_words(later);
  const std::string after =
      earlier.begins_life ? "after the cuMemAllocAsync" : "after " + place_in_words(earlier);
  const std::string before = later.ends_life ? "before the cuMemFreeAsync"
                             : later.hands_over
                                 ? "before it " + std::string("hands the resource over")
                                 : "before " + place_in_words(later);
  std::string advice;
  const uint64_t known = HappensBefore::known(later.clock, earlier.point.stream);
  if (known > 0 && known < earlier.number)
    advice = "What " + second + " has waited for comes after command " + std::to_string(known) +
             " of " + first + ", but not after command " + std::to_string(earlier.number) + ". ";
  advice += "Call cuEventRecord in " + first + " " + after + ", and cuStreamWaitEvent in " +
            second + " " + before;
  if (earlier.begins_life || later.ends_life) return advice + ", or submit both to one stream.";
  const bool legacy =
      earlier.stream_kind == StreamKind::legacy || later.stream_kind == StreamKind::legacy;
  if (legacy && earlier.point.context == later.point.context)
    return advice +
           "; or create the other stream without CU_STREAM_NON_BLOCKING, so that it is ordered "
           "with the legacy stream.";
  return advice + "; or synchronise with " + first + " before that command is submitted.";
}

// Combines two places into one for reports, the same whichever of the two comes first.
const void* place_of(const Race& race) {
  const auto mixed = [](const Access& access) {
    uint64_t bits =
        reinterpret_cast<uint64_t>(callsite::caller_of(access.call_site)) + 0x9e3779b97f4a7c15u;
    if (access.kernel) bits += access.kernel->ptx_line << 20;
    if (access.in_graph) bits += uint64_t{access.step + 1} << 48;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  };
  return reinterpret_cast<const void*>(mixed(*race.later) + mixed(*race.conflict.earlier));
}

}  // namespace

Report race_report(const Race& race) {
  const Access &later = *race.later, &earlier = *race.conflict.earlier;
  const auto access = [](bool writes) { return std::string(writes ? "write" : "read"); };
  const std::string in_earlier = earlier.point.stream == later.point.stream
                                     ? " in the same launch "
                                     : " in " + stream_in_words(earlier) + " ";
  std::string memory = race.allocation ? name(*race.allocation) : "pageable host memory";
  if (race.allocation && !race.allocation->name.empty())
    memory = "the variable " + variable_name(race.allocation->name);
  if (race.allocation && race.allocation->lender) memory = race.allocation->lender->describe();
  std::string sentence =
      with_article(name_of(later)) + " in " + stream_in_words(later) + " " +
      access_in_words(later, race.later_writes) + " " + std::to_string(race.conflict.size) +
      " bytes of " + memory + " at " + hexadecimal(race.conflict.address) + " that " +
      with_article(name_of(earlier)) + in_earlier +
      access_in_words(earlier, race.conflict.earlier_writes) +
      ", and nothing orders the two: no event, no synchronisation, no rule between streams.";
  Report report{id_of(race), with_capital(std::move(sentence)), {}, advice_of(earlier, later)};
  report.commands = {command_of(earlier), command_of(later)};
  report.address = race.conflict.address;
  report.size = race.conflict.size;
  auto& facts = report.facts;
  facts.push_back({"address", hexadecimal(race.conflict.address)});
  facts.push_back({"bytes", race.conflict.size});
  facts.push_back({"command", name_of(later)});
  facts.push_back({"access", access(race.later_writes)});
  if (later.kernel) add_facts(facts, *later.kernel, false);
  facts.push_back({"stream", stream_as_fact(later)});
  facts.push_back({"number", later.number});
  facts.push_back({"submitted at", callsite::describe_call(later.call_site)});
  facts.push_back({"earlier command", name_of(earlier)});
  facts.push_back({"earlier access", access(race.conflict.earlier_writes)});
  if (earlier.kernel) add_facts(facts, *earlier.kernel, true);
  facts.push_back({"earlier stream", stream_as_fact(earlier)});
  facts.push_back({"earlier number", earlier.number});
  facts.push_back({"earlier submitted at", callsite::describe_call(earlier.call_site)});
  facts.push_back({"missing", missing(earlier, later)});
  if (const std::string wait = EarlyWaits::get().last(later.point.stream, earlier.point.stream);
      !wait.empty()) {
    report.advice =
        "The second stream waited for an event before it was recorded, which waits for "
        "nothing: call cuEventRecord first, in " +
        stream_in_words(earlier) + " after " + place_in_words(earlier) +
        ", and cuStreamWaitEvent after it.";
    facts.push_back({"waited for an event that was not yet recorded at", wait});
  }
  if (!race.allocation) return report;
  add_facts(facts, *race.allocation, race.conflict.address);
  if (const auto& lender = race.allocation->lender) {
    facts.push_back({"resource", lender->describe()});
    facts.push_back({"registered at", callsite::describe_call(lender->registered_at)});
  }
  return report;
}

void RaceObserver::report(Races races) {
  if (!looks_at_commands()) return;
  // A kernel's accesses are added late: the one that was submitted first is the earlier one.
  for (Race& race : races) {
    if (race.conflict.earlier->point.sequence <= race.later->point.sequence) continue;
    std::swap(race.conflict.earlier, race.later);
    std::swap(race.conflict.earlier_writes, race.later_writes);
  }
  for (const Race& race : races)
    if (reporter().admit(id_of(race), place_of(race))) reporter().write(race_report(race));
}

}  // namespace cuvette::check
