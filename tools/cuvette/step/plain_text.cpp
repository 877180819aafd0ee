// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/plain_text.hpp"

#include <algorithm>
#include <sstream>

namespace cuvette::tools {
namespace {

// Of a long stream, the commands that are over are counted but for the last, and so are the ones
// that come late.
constexpr size_t most_done = 4, most_left = 16;

std::string column(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

void add_row(std::string& text, const StepState::Row& row) {
  text += row.title + " (" + row.detail + ")\n";
  size_t done = 0;
  while (done < row.items.size() && row.items[done].state == WorkState::done) ++done;
  const size_t first = done > most_done ? done - most_done : 0;
  if (first > 0) text += "  " + std::to_string(first) + " more done before\n";
  const size_t end = std::min(row.items.size(), done + most_left);
  for (size_t i = first; i < end; ++i) {
    const StepState::Item& item = row.items[i];
    std::string what = item.what;
    if (item.state == WorkState::waiting) what += ", for " + item.waits_for;
    text += "  " + column(text_of(item.name), 7) + " " + column(word_for(item.state), 8) + " " +
            column(what, 34) + "  " + item.call_site + "\n";
  }
  if (end < row.items.size())
    text += "  " + std::to_string(row.items.size() - end) + " more wait\n";
}

void add_memory(std::string& text, const StepState::Shown& shown) {
  text += "  " + column(shown.title, 10) + " " + column(shown.type, 8);
  for (size_t i = 0; i < shown.values.size(); ++i)
    text += " " + (shown.changed[i] ? "[" + shown.values[i] + "]" : shown.values[i]);
  text += "   " + shown.detail + "\n";
  std::string was;
  for (const std::string& value : shown.was)
    if (!value.empty()) was += " " + value;
  if (!was.empty()) text += "    changed, was:" + was + "\n";
}

void add_output(std::string& text, const char* title, const std::string& output) {
  if (output.empty()) return;
  text += std::string(title) + "\n";
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) text += "  " + line + "\n";
}

}  // namespace

std::string plain_text(const StepState& state) {
  std::string text =
      "step " + std::to_string(state.position) + " of " + std::to_string(state.steps) +
      (state.last.empty() ? ": nothing has run yet" : ": " + state.last + " has run") + "\n";
  for (const std::string& line : state.program) text += "program: " + line + "\n";
  if (!state.end.empty()) text += "program: " + state.end + "\n";
  for (const StepState::Row& row : state.rows) add_row(text, row);
  if (!state.memory.empty()) text += "memory ([ ]: changed by the last step, ?: not written yet)\n";
  for (const StepState::Shown& shown : state.memory) add_memory(text, shown);
  add_output(text, "printed", state.output);
  add_output(text, "printed as errors", state.errors);
  for (const auto& [identifier, sentence] : state.reports)
    text += "report [" + identifier + "] " + sentence + "\n";
  for (const std::string& note : state.notes) text += "note: " + note + "\n";
  if (state.next) text += "next: " + text_of(*state.next) + "\n";
  return text;
}

}  // namespace cuvette::tools
