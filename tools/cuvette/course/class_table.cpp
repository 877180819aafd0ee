// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/class_table.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace cuvette::tools {
namespace {

std::string seconds_of(const ClassRow& row) {
  char text[32];
  snprintf(text, sizeof text, "%.1f", row.seconds);
  return text;
}

// One line without characters that would move a terminal's cursor.
std::string cell(const std::string& text) {
  std::string line;
  for (const char c : text.substr(0, text.find('\n')))
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return line;
}

std::string csv_cell(const std::string& text) {
  std::string quoted = "\"";
  // A spreadsheet would compute what begins like a formula.
  if (!text.empty() && std::string("=+-@\t").find(text.front()) != std::string::npos)
    quoted += '\'';
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string class_text(const std::vector<ClassRow>& rows) {
  const std::vector<std::string> heads = {"student", "verdict", "check", "report", "seconds"};
  std::vector<size_t> widths;
  for (const std::string& head : heads) widths.push_back(head.size());
  const auto cells_of = [](const ClassRow& row) {
    return std::vector<std::string>{cell(row.student), row.verdict, row.check, cell(row.report),
                                    seconds_of(row)};
  };
  for (const ClassRow& row : rows) {
    const auto cells = cells_of(row);
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells, const std::string& last) {
    for (size_t i = 0; i < cells.size(); ++i)
      text += cells[i] + std::string(widths[i] - cells[i].size() + 2, ' ');
    text += last;
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  };
  add(heads, "message");
  size_t passed = 0;
  for (const ClassRow& row : rows) {
    add(cells_of(row), cell(row.message));
    if (row.verdict == "passed") ++passed;
  }
  return text + std::to_string(passed) + " of " + std::to_string(rows.size()) +
         " submissions pass.\n";
}

std::string class_csv(const std::vector<ClassRow>& rows) {
  std::string text = "student,verdict,check,report,seconds,message\n";
  for (const ClassRow& row : rows)
    text += csv_cell(row.student) + "," + csv_cell(row.verdict) + "," + csv_cell(row.check) + "," +
            csv_cell(row.report) + "," + seconds_of(row) + "," + csv_cell(row.message) + "\n";
  return text;
}

std::string class_json(const std::string& exercise, const std::vector<ClassRow>& rows) {
  using OrderedJson = nlohmann::ordered_json;
  OrderedJson json = {{"exercise", exercise}, {"submissions", OrderedJson::array()}};
  for (const ClassRow& row : rows)
    json["submissions"].push_back({{"student", row.student},
                                   {"verdict", row.verdict},
                                   {"check", row.check},
                                   {"report", row.report},
                                   {"seconds", row.seconds},
                                   {"message", row.message}});
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace cuvette::tools
