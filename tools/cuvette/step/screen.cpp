// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/screen.hpp"

#include <algorithm>
#include <sstream>

namespace cuvette::tools {
namespace {

// The width of the column with the names of rows.
constexpr size_t title_width = 11;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Whether the terminal would take it as something else than a letter.
bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

std::string mark_of(WorkState state, bool ascii) {
  switch (state) {
    case WorkState::done:
      return ascii ? "+" : "✓";
    case WorkState::running:
      return ascii ? ">" : "▶";
    case WorkState::ready:
      return ascii ? "o" : "○";
    case WorkState::waiting:
      return ascii ? "-" : "…";
    case WorkState::not_submitted:
      break;
  }
  return " ";
}

std::string padded_to(std::string text, size_t width) {
  const size_t used = columns_of(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

// Names of kernels may be long, and a row has several.
std::string short_kind(const std::string& kind) {
  const std::string name = kind.substr(0, kind.find('('));
  const std::string bare = name.starts_with("kernel ") ? name.substr(7) : name;
  constexpr size_t most = 16;
  return bare.size() <= most ? bare : bare.substr(0, most - 2) + "..";
}

std::string cell_of(const StepState::Item& item, const StepState& state, const ScreenView& view) {
  std::string text =
      mark_of(item.state, view.ascii) + text_of(item.name) + " " + short_kind(item.what);
  if (state.next == item.name) text += view.ascii ? "<" : "◀";
  const bool selected = view.selected == item.name;
  return (selected ? "[" : " ") + text + (selected ? "]" : " ");
}

// A row as far as it fits: what is to come is worth more than what is done.
std::string row_line(const StepState::Row& row, const StepState& state, const ScreenView& view,
                     size_t width) {
  std::string title = cut(row.title, title_width - 1, view.ascii);
  if (width <= title_width) return cut(title, width, view.ascii);
  std::vector<std::string> cells;
  size_t focus = row.items.size();
  for (size_t i = 0; i < row.items.size(); ++i) {
    cells.push_back(cell_of(row.items[i], state, view));
    if (view.selected == row.items[i].name) focus = i;
  }
  if (focus == row.items.size()) {
    focus = 0;
    while (focus + 1 < row.items.size() && row.items[focus].state == WorkState::done) ++focus;
  }
  const size_t room = width - title_width;
  // Cells before the one in focus, as many as fit beside it, but not more than one if others
  // follow.
  size_t first = focus, used = cells.empty() ? 0 : columns_of(cells[focus]) + 4;
  while (first > 0 && used + columns_of(cells[first - 1]) <= room / 2) {
    --first;
    used += columns_of(cells[first]);
  }
  std::string text = padded_to(title, title_width);
  if (first > 0) text += view.ascii ? "<" : "‹";
  for (size_t i = first; i < cells.size(); ++i) {
    if (columns_of(text) + columns_of(cells[i]) > width && i > first) {
      text = cut(text, width - 1, view.ascii) + (view.ascii ? ">" : "›");
      break;
    }
    text += cells[i];
  }
  return text;
}

std::string memory_line(const StepState::Shown& shown) {
  std::string text = padded_to(shown.title, title_width - 1) + " " + padded_to(shown.type, 6);
  for (size_t i = 0; i < shown.values.size(); ++i)
    text += shown.changed[i] ? " [" + shown.values[i] + "]" : " " + shown.values[i];
  return text;
}

std::vector<std::string> about_selected(const StepState& state, const ScreenView& view) {
  const StepState::Item* const item = view.selected ? state.find(*view.selected) : nullptr;
  if (!item) return {};
  std::string first = text_of(item->name) + " " + item->what + ": " + word_for(item->state);
  if (item->state == WorkState::waiting) first += " for " + item->waits_for;
  return {first, "  called at " + item->call_site};
}

std::vector<std::string> page_lines(const ScreenView& view, size_t width, size_t height) {
  const std::vector<std::string> all = folded(view.page, width);
  const size_t room = height > 1 ? height - 1 : height;
  const size_t top = std::min(view.page_top, all.size() > room ? all.size() - room : 0);
  std::vector<std::string> lines(
      all.begin() + static_cast<std::ptrdiff_t>(top),
      all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), top + room)));
  if (height > 1) {
    lines.resize(room);
    lines.push_back(all.size() > room ? "Up, Down: more   any other key: back" : "any key: back");
  }
  return lines;
}

// The lines of a part that get room; the rest is counted in the last one.
void add_part(std::vector<std::string>& lines, std::vector<std::string> part, size_t room) {
  if (part.size() > room) {
    const size_t left = part.size() - room + (room > 0 ? 1 : 0);
    part.resize(room);
    if (room > 0) part.back() = "  " + std::to_string(left) + " more lines";
  }
  lines.insert(lines.end(), part.begin(), part.end());
}

// Rows of streams, with those around the selected one where there is not room for all.
std::vector<std::string> stream_lines(const StepState& state, const ScreenView& view, size_t width,
                                      size_t room) {
  std::vector<std::string> lines;
  size_t focus = 0;
  for (const StepState::Row& row : state.rows) {
    if (view.selected && std::ranges::any_of(row.items, [&](const StepState::Item& item) {
          return item.name == *view.selected;
        }))
      focus = lines.size();
    lines.push_back(row_line(row, state, view, width));
  }
  if (lines.size() <= room) return lines;
  const size_t first = std::min(focus >= room ? focus - room + 1 : 0, lines.size() - room);
  return {lines.begin() + static_cast<std::ptrdiff_t>(first),
          lines.begin() + static_cast<std::ptrdiff_t>(first + room)};
}

std::vector<std::string> news_lines(const StepState& state) {
  std::vector<std::string> lines;
  for (const StepState::Shown& shown : state.memory) lines.push_back(memory_line(shown));
  for (const auto& [identifier, sentence] : state.reports)
    lines.push_back("report [" + identifier + "] " + sentence);
  std::istringstream in(state.output + state.errors);
  for (std::string line; std::getline(in, line);) lines.push_back("printed  " + line);
  for (const std::string& note : state.notes) lines.push_back("note: " + note);
  return lines;
}

std::vector<std::string> state_lines(const StepState& state, const ScreenView& view, size_t width,
                                     size_t height) {
  std::vector<std::string> lines;
  lines.push_back(view.program + "  step " + std::to_string(state.position) + " of " +
                  std::to_string(state.steps) + (state.last.empty() ? "" : ": " + state.last));
  const std::string keys =
      "n next  b back  Enter choose  t to  e explain  w watch  s save  ? help  q quit";
  if (height <= 1) return lines;
  const std::string bottom = view.message.empty() ? keys : view.message;
  size_t room = height - 2;
  std::vector<std::string> program;
  for (const std::string& line : state.program) program.push_back("program " + line);
  if (!state.end.empty()) program.push_back("program " + state.end);
  // The streams first, then why the selected command waits, then the program, then the rest.
  const std::vector<std::string> selected = about_selected(state, view);
  const size_t for_streams = std::min(state.rows.size(), std::max<size_t>(room / 2, 1));
  const auto take = [&room](size_t wanted) {
    const size_t taken = std::min(wanted, room);
    room -= taken;
    return taken;
  };
  const size_t streams = take(for_streams);
  const size_t about = take(selected.size());
  const size_t host = take(program.size());
  add_part(lines, program, host);
  const auto rows = stream_lines(state, view, width, streams);
  lines.insert(lines.end(), rows.begin(), rows.end());
  lines.insert(lines.end(), selected.begin(),
               selected.begin() + static_cast<std::ptrdiff_t>(about));
  add_part(lines, news_lines(state), room);
  lines.resize(height - 1);
  lines.push_back(bottom);
  return lines;
}

}  // namespace

size_t columns_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string cut(const std::string& text, size_t width, bool ascii) {
  std::string shown;
  size_t used = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!continues(text[i]) && used++ == width) return shown;
    if (ascii && static_cast<unsigned char>(text[i]) >= 0x80) {
      if (!continues(text[i])) shown += '?';
    } else {
      shown += is_control(text[i]) ? ' ' : text[i];
    }
  }
  return shown;
}

std::vector<std::string> folded(const std::vector<std::string>& lines, size_t width) {
  std::vector<std::string> all;
  if (width == 0) return all;
  for (std::string line : lines) {
    while (columns_of(line) > width) {
      const std::string head = cut(line, width, false);
      const size_t blank = head.rfind(' ');
      const size_t indent = line.find_first_not_of(' ');
      const bool at_blank = blank != std::string::npos && blank > indent;
      all.push_back(line.substr(0, at_blank ? blank : head.size()));
      line = line.substr(at_blank ? blank + 1 : head.size());
      // What goes on is set in, unless there is no room for it.
      if (width > 8) line.insert(0, 4, ' ');
    }
    all.push_back(line);
  }
  return all;
}

std::vector<std::string> drawn(const StepState& state, const ScreenView& view, size_t width,
                               size_t height) {
  if (height == 0) return {};
  std::vector<std::string> lines =
      view.is_page ? page_lines(view, width, height) : state_lines(state, view, width, height);
  lines.resize(height);
  for (std::string& line : lines) line = cut(line, width, view.ascii);
  return lines;
}

}  // namespace cuvette::tools
