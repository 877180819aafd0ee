// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/doctor.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/cuvette/doctor_findings.hpp"
#include "tools/cuvette/terminal.hpp"

namespace cuvette::tools {
namespace {

using Level = Finding::Level;

const char* word_of(Level level) {
  switch (level) {
    case Level::good:
      return "ok";
    case Level::limited:
      return "limited";
    case Level::wrong:
      return "wrong";
  }
  return "";
}

Colour colour_of(Level level) {
  switch (level) {
    case Level::good:
      return Colour::green;
    case Level::limited:
      return Colour::yellow;
    case Level::wrong:
      return Colour::red;
  }
  return Colour::bold;
}

void print_text(const std::vector<Finding>& findings, size_t wrong) {
  for (const Finding& one : findings) {
    const std::string word = word_of(one.level), padding(9 - word.size(), ' ');
    printf("%s%s%s: %s\n", coloured(stdout, colour_of(one.level), word).c_str(), padding.c_str(),
           one.topic.c_str(), one.sentence.c_str());
    if (!one.mend.empty())
      printf("         %s\n", coloured(stdout, Colour::bold, "-> " + one.mend).c_str());
  }
  if (wrong == 0)
    printf("\nNothing is in the way.\n");
  else
    printf("\n%zu %s in the way; the lines after -> mend that.\n", wrong,
           wrong == 1 ? "thing is" : "things are");
}

void print_json(const std::vector<Finding>& findings, size_t wrong) {
  nlohmann::ordered_json json;
  json["ok"] = wrong == 0;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& one : findings)
    json["findings"].push_back({{"level", word_of(one.level)},
                                {"topic", one.topic},
                                {"finding", one.sentence},
                                {"mend", one.mend}});
  printf("%s\n",
         json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

int doctor(const DoctorOptions& options) {
  Findings findings;
  look_at_files(findings);
  look_at_environment(findings);
  if (!options.program.empty()) {
    look_at_program(options.program.front(), findings);
    look_at_python(options.program.front(), findings);
  }
  look_at_machine(findings);
  test_kernel(findings);
  const auto& all = findings.all();
  const auto wrong = static_cast<size_t>(
      std::ranges::count(all, Level::wrong, [](const Finding& one) { return one.level; }));
  options.json ? print_json(all, wrong) : print_text(all, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace cuvette::tools
