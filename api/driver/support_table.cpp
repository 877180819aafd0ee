// SPDX-License-Identifier: Apache-2.0
#include "api/driver/support_table.hpp"

#include <cstring>
#include <iomanip>
#include <ostream>

namespace cuvette::driver {
namespace {

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

bool same_group(const Function& a, const Function& b) { return std::strcmp(a.group, b.group) == 0; }

void print_version(std::ostream& out, int since) {
  if (since == 0) {
    out << "-";
  } else {
    out << since / 1000 << '.' << since % 1000 / 10;
  }
}

void print_section(std::ostream& out, SupportFormat format, const Function& function) {
  if (format == SupportFormat::markdown) {
    out << "\n## " << function.group
        << "\n\n| Function | Since CUDA | Support | |\n|---|---|---|---|\n";
  } else {
    out << '\n' << function.group << '\n';
  }
}

void print_function(std::ostream& out, SupportFormat format, const Function& function) {
  if (format == SupportFormat::markdown) {
    out << "| `" << function.name << "` | ";
    print_version(out, function.since);
    out << " | " << level(function.support) << " | " << function.reason << " |\n";
  } else {
    out << "  " << std::left << std::setw(8) << level(function.support) << function.name;
    if (function.reason[0] != '\0') out << ": " << function.reason;
    out << '\n';
  }
}

}  // namespace

void print_support_table(std::ostream& out, SupportFormat format) {
  int numbers[3] = {};
  int twins = 0;
  for (const Function& function : functions) {
    ++numbers[static_cast<int>(function.support)];
    twins += function.per_thread;
  }
  if (format == SupportFormat::markdown) out << "# Supported functions\n\n";
  out << functions.size() << " exported symbols: " << numbers[static_cast<int>(Support::full)]
      << " full, " << numbers[static_cast<int>(Support::partial)] << " partial, "
      << numbers[static_cast<int>(Support::none)] << " none. " << twins
      << " of them are twins for per-thread default streams, not listed: a twin is supported as "
         "far "
         "as its function is.\n";
  const Function* previous = nullptr;
  for (const Function& function : functions) {
    if (function.per_thread) continue;
    if (previous == nullptr || !same_group(*previous, function)) {
      print_section(out, format, function);
    }
    print_function(out, format, function);
    previous = &function;
  }
}

}  // namespace cuvette::driver
