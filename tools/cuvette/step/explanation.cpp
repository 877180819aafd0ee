// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/explanation.hpp"

#include <algorithm>
#include <optional>

#include "tools/cuvette/step/step_state.hpp"

namespace cuvette::tools {
namespace {

// Lines about one kind of thing, so that the page stays readable.
constexpr size_t most_lines = 12;

void add_list(std::vector<std::string>& lines, const std::string& title,
              const std::vector<std::string>& items, const std::string& nothing) {
  if (items.empty()) {
    if (!nothing.empty()) lines.push_back(nothing);
    return;
  }
  lines.push_back(title);
  for (size_t i = 0; i < std::min(items.size(), most_lines); ++i) lines.push_back("  " + items[i]);
  if (items.size() > most_lines)
    lines.push_back("  and " + std::to_string(items.size() - most_lines) + " more");
}

std::string with_state(const History& history, size_t position, size_t work) {
  return title_of(history.works()[work]) + ", " + word_for(work_state(history, position, work));
}

std::string memory_name(const History& history, const History::Touch& touch) {
  if (touch.window == History::none) return "memory of the program";
  const Record::Memory& memory = history.record().memories[touch.window];
  for (const RunLog::Memory& one : history.log().memories)
    if (one.address == memory.address && one.size == memory.size)
      return "allocation " + std::to_string(one.number) +
             (one.name.empty() ? "" : " (" + one.name + ")");
  return memory.name.empty() ? memory.kind + " memory" : memory.name;
}

std::string range_text(uint64_t begin, uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end - 1);
}

std::string touch_text(const History& history, const History::Touch& touch) {
  const std::string where = touch.memory == "host"
                                ? std::to_string(touch.end - touch.begin) + " bytes"
                                : range_text(touch.begin, touch.end);
  return std::string(touch.writes ? "writes " : "reads ") + where + " of " +
         memory_name(history, touch);
}

// Returns what the two do to the same bytes, if one of them writes.
std::optional<std::string> meeting(const History& history, size_t work, size_t other) {
  for (const History::Touch& one : history.touches(work))
    for (const History::Touch& two : history.touches(other)) {
      if (!one.writes && !two.writes) continue;
      if (one.memory != two.memory || one.begin >= two.end || two.begin >= one.end) continue;
      const uint64_t begin = std::max(one.begin, two.begin), end = std::min(one.end, two.end);
      return std::string(two.writes ? "writes " : "reads ") +
             (one.memory == "host" ? std::to_string(end - begin) + " bytes"
                                   : range_text(begin, end)) +
             " of " + memory_name(history, one) + ", which this one " +
             (one.writes ? "writes" : "reads");
    }
  return std::nullopt;
}

std::string state_sentence(const History& history, size_t position, size_t work) {
  const RunLog::Work& one = history.works()[work];
  const WorkState state = work_state(history, position, work);
  switch (state) {
    case WorkState::done: {
      const auto place = history.position_after(one.name);
      return "It is done: it was step " + std::to_string(place.value_or(0)) + " of " +
             std::to_string(history.steps()) + ".";
    }
    case WorkState::running:
      return "It has begun, and is not over.";
    case WorkState::ready:
      return "It is ready: it may take place next.";
    case WorkState::waiting:
      return "It waits.";
    case WorkState::not_submitted:
      break;
  }
  return "The program has not submitted it yet.";
}

}  // namespace

std::vector<std::string> explanation_of(const History& history, size_t position, size_t work) {
  const RunLog::Work& one = history.works()[work];
  std::vector<std::string> lines = {title_of(one) + ", in stream " + std::to_string(one.name.lane) +
                                    " (" + one.stream + "), called at " + one.call_site};
  lines.push_back(state_sentence(history, position, work));
  std::vector<std::string> items;
  for (const History::Reason& reason : history.reasons(work))
    items.push_back(with_state(history, position, reason.work) + ": " + word_for(reason.why));
  add_list(lines, "It waits for:", items, "It waits for no other command.");
  items.clear();
  for (size_t i = 0; i < history.works().size(); ++i)
    for (const History::Reason& reason : history.reasons(i))
      if (reason.work == work)
        items.push_back(with_state(history, position, i) + ": " + word_for(reason.why));
  add_list(lines, "These wait for it:", items, "No other command waits for it.");
  items.clear();
  for (const History::Touch& touch : history.touches(work))
    items.push_back(touch_text(history, touch));
  add_list(lines, "It touches:", items, "");
  items.clear();
  for (size_t i = 0; i < history.works().size(); ++i)
    if (!history.are_ordered(work, i))
      if (const auto met = meeting(history, work, i))
        items.push_back(title_of(history.works()[i]) + " " + *met);
  add_list(lines, "Nothing orders it with these, which touch the same bytes:", items,
           "No command that nothing orders with it touches the same bytes.");
  return lines;
}

}  // namespace cuvette::tools
