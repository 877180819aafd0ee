// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/lanes_picture.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace cuvette::tools {
namespace {

constexpr size_t most_label = 24;

struct Column {
  std::string label;
  uint32_t lane = 0;
  bool is_gap = false;  // commands that are left out
};

uint32_t lane_of(const std::string& name) {
  uint32_t lane = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') break;
    lane = lane * 10 + static_cast<uint32_t>(c - '0');
  }
  return lane;
}

std::string label_of(const Order::Row& row) {
  std::string kind = short_kind(row.kind);
  if (kind.size() > most_label) kind = kind.substr(0, most_label - 3) + "...";
  return row.name + " " + kind;
}

// Which commands have room: those that must be there, then their neighbours.
std::vector<bool> chosen(const std::vector<Order::Row>& rows, const PictureOptions& options,
                         size_t width) {
  std::vector<bool> taken(rows.size());
  size_t used = 0;
  std::vector<size_t> places;
  const auto take = [&](size_t i) {
    taken[i] = true;
    used += label_of(rows[i]).size() + 3;
  };
  for (size_t i = 0; i < rows.size(); ++i)
    if (options.shown.contains(rows[i].name)) {
      take(i);
      places.push_back(i);
    }
  if (places.empty()) places.push_back(0);
  for (size_t distance = 0; distance < rows.size(); ++distance)
    for (const size_t place : places)
      for (const size_t i : {place - distance, place + distance}) {
        if (i >= rows.size() || taken[i]) continue;
        if (used + label_of(rows[i]).size() + 3 > width) return taken;
        take(i);
      }
  return taken;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

}  // namespace

std::string short_kind(const std::string& kind) {
  std::string text = kind.rfind("kernel ", 0) == 0 ? kind.substr(7) : kind;
  if (text.size() < kind.size()) text = text.substr(0, text.find_first_of("(<"));
  return text;
}

std::string lanes_picture(const std::vector<Order::Row>& rows, const PictureOptions& options) {
  std::vector<Order::Row> began, never;
  for (const Order::Row& row : rows) (row.began ? began : never).push_back(row);
  std::map<uint32_t, std::string> heads;
  for (const Order::Row& row : rows)
    heads[lane_of(row.name)] =
        "stream " + std::to_string(lane_of(row.name)) + " (" + row.stream + ")";
  size_t head_width = 0;
  for (const auto& [lane, head] : heads) head_width = std::max(head_width, head.size());

  const size_t room = options.width > head_width + 24 ? options.width - head_width : 24;
  const std::vector<bool> taken = chosen(began, options, room);
  std::vector<Column> columns;
  for (size_t i = 0; i < began.size(); ++i) {
    if (taken[i])
      columns.push_back({label_of(began[i]), lane_of(began[i].name), false});
    else if (columns.empty() || !columns.back().is_gap)
      columns.push_back({"", 0, true});
  }

  const char *const left = options.utf8 ? "├" : "[", *const right = options.utf8 ? "┤" : "]";
  const char *const line = options.utf8 ? "─" : "-", *const tip = options.utf8 ? "►" : ">";
  const char* const gap = options.utf8 ? "…" : "~";
  std::string text;
  size_t total = 0;
  for (const Column& column : columns) total += column.is_gap ? 2 : column.label.size() + 3;
  for (const auto& [lane, head] : heads) {
    std::string drawn = "  " + padded(head, head_width) + "  ";
    for (const Column& column : columns) {
      if (column.is_gap)
        (drawn += gap) += ' ';
      else if (column.lane == lane)
        (((drawn += left) += column.label) += right) += ' ';
      else
        drawn += std::string(column.label.size() + 3, ' ');
    }
    drawn.erase(drawn.find_last_not_of(' ') + 1);
    text += drawn + "\n";
  }
  text += "  " + padded("time", head_width) + "  ";
  for (size_t i = 0; i + 2 < total; ++i) text += line;
  text += std::string(tip) + "\n";
  if (!never.empty()) {
    text += "  never took place: ";
    for (size_t i = 0; i < never.size() && i < 8; ++i) text += (i ? ", " : "") + label_of(never[i]);
    text += never.size() > 8 ? ", ...\n" : "\n";
  }
  return text;
}

}  // namespace cuvette::tools
