// SPDX-License-Identifier: Apache-2.0
// The files that `cuvette cost` reads: tables of costs (--table), and answers to compare. Each is
// read or refused with a sentence that names it; what was read can be used.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/input.hpp"
#include "tools/cuvette/cost/result.hpp"
#include "tools/cuvette/cost/table.hpp"

using namespace cuvette::tools;

namespace {

void need(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Reads, and looks at the sentence of a refusal.
template <typename Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const CostFileError& error) {
    const std::string sentence = error.what();
    need(sentence.starts_with("file"), "a refusal does not name the file");
    need(sentence.find("exception") == std::string::npos, "a refusal tells of an exception");
  }
}

void use(const CostTable& table) {
  for (const CostTable::Row& row : table.rows)
    for (const double at : {0.0, 1.0, 1e3, 1e18}) {
      const Estimate estimate = estimate_at(row.points, at);
      need(std::isfinite(estimate.p90) && estimate.p10 >= 0 && estimate.p10 <= estimate.median &&
               estimate.median <= estimate.p90,
           "an estimate is out of order");
    }
}

void use(const CostResult& result) {
  const std::string json = cost_as_json(result);
  need(cost_as_json(cost_from_json(json, "file")) == json, "JSON reads back as another answer");
  cost_as_text(result, 20);
  compared_as_text(result, CostResult{}, 0);
  compared_as_json(CostResult{}, result);
}

std::string estimate_text(Input& input) {
  return R"({"p10_ns": )" + std::to_string(input.number()) + R"(, "median_ns": )" +
         std::to_string(input.number()) + R"(, "p90_ns": 3e)" + std::to_string(input.below(255)) +
         R"(, "extrapolated": false})";
}

// An answer with numbers of any size, of which a byte may be another.
std::string answer_text(Input& input) {
  const auto number = [&] { return std::to_string(input.number()); };
  std::string lines;
  for (unsigned left = input.below(4); left > 0; --left)
    lines += R"({"function": "f", "call_site": "s)" + std::to_string(input.below(3)) +
             R"(", "calls": )" + number() + R"(, "bytes": )" + number() +
             R"(, "calls_with_row": 1, "here_ns": )" + number() + R"(, "there": )" +
             estimate_text(input) + R"(, "waits_ns": 1, "vague": true})" + (left > 1 ? "," : "");
  std::string text = R"({"format": 1, "program": "p", "gpu": "g", "driver": "d", "host": "h",
      "calls": )" + number() +
                     R"(, "here_ns": -1e)" + std::to_string(input.below(255)) + R"(, "there": )" +
                     estimate_text(input) + R"(, "hoists": [{"sentence": "s",
      "function": "f", "call_site": "s", "calls": 1, "instead": )" +
                     number() + R"(, "now_ns": 1e9, "then_ns": )" + number() + R"(}], "lines": [)" +
                     lines +
                     R"(], "without_row": [{"function": "f", "calls": 1, "here_ns": 1}],
      "without_own_part": 0, "dropped": )" +
                     number() + "}";
  if (input.flip()) text[input.place(text.size())] = static_cast<char>(input.byte());
  return text;
}

// A table with points of any size, of which a byte may be another.
std::string table_text(Input& input) {
  std::string points;
  for (unsigned left = input.below(4); left > 0; --left) {
    const std::string number = std::to_string(input.number());
    points += R"({"at": )" + std::to_string(input.number()) + R"(, "p10": )" + number +
              R"(, "median": )" + number + "e" + std::to_string(input.below(255)) +
              R"(, "p90": 1e)" + std::to_string(input.below(255)) + "}" + (left > 1 ? "," : "");
  }
  std::string text = R"({"format": 1, "gpu": "g", "driver": "d", "rows": [{"function": "f",
      "classes": ["a"], "unit": "byte", "measures": "host", "points": [)" +
                     points + "]}]}";
  if (input.flip()) text[input.place(text.size())] = static_cast<char>(input.byte());
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string raw(reinterpret_cast<const char*>(data), size);
  Input input(data, size);
  const std::string answer = answer_text(input), table = table_text(input);
  for (const std::string* text : {&raw, &answer})
    read_or_refuse([&] { use(cost_from_json(*text, "file")); });
  for (const std::string* text : {&raw, &table})
    read_or_refuse([&] { use(parse_cost_table(*text, "file")); });
  return 0;
}
