// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/support.hpp"

#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "api/management/support_table.hpp"
#include "api/runtime/support_table.hpp"

namespace cuvette::tools {
namespace {

using driver::Function;
using driver::Support;
using Functions = std::vector<const Function*>;

const char* level(Support support) {
  switch (support) {
    case Support::none:
      return "none";
    case Support::partial:
      return "partial";
    case Support::full:
      return "full";
  }
  return "";
}

std::string version(const Function& function) {
  if (function.since == 0) return "-";
  return std::to_string(function.since / 1000) + "." + std::to_string(function.since % 1000 / 10);
}

bool is_named(const Function& function, const SupportOptions& options) {
  return options.names.empty() || std::ranges::any_of(options.names, [&](const std::string& name) {
           return strcasestr(function.name, name.c_str()) != nullptr;
         });
}

// Returns "707 exported symbols: 200 full, ..." for those in `functions`.
std::string summary(const Functions& functions) {
  size_t numbers[3] = {};
  for (const Function* function : functions) ++numbers[static_cast<int>(function->support)];
  return std::to_string(functions.size()) +
         " exported symbols: " + std::to_string(numbers[static_cast<int>(Support::full)]) +
         " full, " + std::to_string(numbers[static_cast<int>(Support::partial)]) + " partial, " +
         std::to_string(numbers[static_cast<int>(Support::none)]) + " none.";
}

// A twin for the per-thread default stream works as far as its function does: not listed for
// readers.
constexpr const char* about_twins =
    "Twins for the per-thread default stream (_ptds, _ptsz) are counted, not listed: each works as "
    "far "
    "as its function.";

// Calls `section` before the first function of each section and `row` for each function to list.
template <typename Section, typename Row>
void for_each_row(const Functions& functions, Section section, Row row) {
  const char* group = "";
  for (const Function* function : functions) {
    if (function->per_thread) continue;
    if (strcmp(group, function->group) != 0) section(group = function->group);
    row(*function);
  }
}

void print_text(const Functions& functions) {
  for_each_row(
      functions, [](const char* group) { printf("%s\n", group); },
      [](const Function& function) {
        printf("  %-8s %-6s %s%s%s\n", level(function.support), version(function).c_str(),
               function.name, *function.reason ? ": " : "", function.reason);
      });
  printf("\n%s\n%s\n", summary(functions).c_str(), about_twins);
}

void print_markdown(const Functions& functions) {
  printf("# Supported functions\n\n%s %s\n", summary(functions).c_str(), about_twins);
  for_each_row(
      functions,
      [](const char* group) {
        printf("\n## %s\n\n| Function | Since CUDA | Support | |\n|---|---|---|---|\n", group);
      },
      [](const Function& function) {
        printf("| `%s` | %s | %s | %s |\n", function.name, version(function).c_str(),
               level(function.support), function.reason);
      });
}

void print_json(const Functions& functions) {
  auto rows = nlohmann::ordered_json::array();
  for (const Function* function : functions) {
    rows.push_back({{"symbol", function->name},
                    {"name", function->base},
                    {"section", function->group},
                    {"since", function->since},
                    {"support", level(function->support)},
                    {"reason", function->reason},
                    {"per_thread", function->per_thread}});
  }
  printf("%s\n", rows.dump(1).c_str());
}

}  // namespace

namespace {

// The levels of another library's table, which has its own type for them.
template <typename Level>
Support level_of(Level level) {
  switch (level) {
    case Level::none:
      return Support::none;
    case Level::partial:
      return Support::partial;
    case Level::full:
      return Support::full;
  }
  return Support::none;
}

// Appends the functions of a library that are not asked for by version.
template <typename Lines>
void append(std::vector<Function>& all, const Lines& lines) {
  const char* group = "";
  for (const auto& line : lines) {
    if (line.name == nullptr) {
      group = line.text;
      continue;
    }
    Function function{};
    function.name = function.base = line.name;
    function.reason = line.text;
    function.group = group;
    function.support = level_of(line.support);
    all.push_back(function);
  }
}

// Returns the functions of all libraries.
std::vector<Function> all_functions() {
  std::vector<Function> all(driver::functions.begin(), driver::functions.end());
  append(all, runtime::lines);
  append(all, management::lines);
  return all;
}

}  // namespace

int support(const SupportOptions& options) {
  const std::vector<Function> all = all_functions();
  Functions functions;
  size_t named = 0;
  for (const Function& function : all) {
    if (!is_named(function, options)) continue;
    ++named;
    if (!options.only || function.support == *options.only) functions.push_back(&function);
  }
  if (named == 0) {
    fprintf(stderr, "cuvette support: no library here has such a function\n");
    return 1;
  }
  // The user asked for a list, and this one is empty.
  if (functions.empty() && options.format == SupportFormat::text) {
    printf("0 of %zu matching functions are '%s'.\n", named, level(*options.only));
    return 0;
  }
  switch (options.format) {
    case SupportFormat::text:
      print_text(functions);
      break;
    case SupportFormat::markdown:
      print_markdown(functions);
      break;
    case SupportFormat::json:
      print_json(functions);
      break;
  }
  return 0;
}

}  // namespace cuvette::tools
