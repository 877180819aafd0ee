// SPDX-License-Identifier: Apache-2.0
// What the processes of a run write for the command that started them, and a program may damage:
// the notes of a run, and the log of its order (CUVETTE_ORDER_LOG).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "sim/base/run_notes.hpp"
#include "sim/exec/schedule.hpp"
#include "tests/fuzz/input.hpp"
#include "tools/cuvette/baseline.hpp"
#include "tools/cuvette/order.hpp"
#include "tools/cuvette/run_notes.hpp"

using namespace cuvette;
using namespace cuvette::tools;

namespace {

// A word, a number or a name of a command, as the lines of both files have them.
std::string word(Input& input) {
  static constexpr const char* words[] = {
      "queued", "began",   "held",    "yes",     "no",      "grid",   "waited", "shared", "copied",
      "after",  "touches", "opaque",  "watched", "seen",    "steps",  "*",      "write",  "1.1",
      "1.2.1",  "2.1",     "started", "used",    "foreign", "report", "missed", "command"};
  return input.below(8) == 0 ? std::to_string(input.number())
                             : words[input.below(std::size(words))];
}

std::string lines_of(Input& input, char between) {
  std::string text;
  while (!input.empty()) {
    text += word(input);
    for (unsigned left = input.below(8); left > 0; --left) text += between + word(input);
    text += input.below(16) == 0 ? '\0' : '\n';
  }
  return text;
}

// The summary of a report, with a value of any type in one place.
std::string report_line(Input& input) {
  static constexpr const char* members[] = {
      "report", "sentence", "text", "test", "file", "line", "hint", "fingerprint", "to suppress"};
  static constexpr const char* values[] = {"\"text\"", "7",    "-7", "1e300",      "true",
                                           "null",     "[{}]", "{}", "\"\\u0000\""};
  std::string text = "report {";
  for (const char* const member : members)
    text += std::string(text.ends_with('{') ? "\"" : ", \"") + member +
            "\": " + values[input.below(std::size(values))];
  return text + "}\n";
}

void read_notes(const std::string& text) {
  RunNotes notes;
  const char* const file = std::getenv(run_notes::variable);
  if (!file) std::abort();
  std::ofstream(file, std::ios::binary) << text;
  notes.read("reports.txt");
  baseline_of(notes.reports());
}

void read_order(const std::string& text) {
  const Order order = Order::parse(text);
  order.table(order.decisions, 20);
  order.lanes();
  order.branches();
  if (!order.differences(order, {}).empty()) std::abort();
  order.differences(Order(), {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string raw(reinterpret_cast<const char*>(data), size);
  exec::Decisions::parse(raw);
  Input input(data, size);
  const std::string report = report_line(input);
  const std::string order = lines_of(input, '\t');
  Input again(data, size);
  read_notes(raw + "\n" + report + lines_of(again, ' '));
  for (const std::string* text : {&raw, &order}) read_order(*text);
  return 0;
}
