// SPDX-License-Identifier: Apache-2.0
#include "tests/wrong/page.hpp"

#include <regex>
#include <sstream>

namespace {

// Which address of the page stands for which of the program's, and the other way round.
struct Addresses {
  std::map<std::string, std::string> printed, shown;

  bool fit(const std::string& one, const std::string& other) {
    return printed.try_emplace(one, other).first->second == other &&
           shown.try_emplace(other, one).first->second == one;
  }
};

// Without what is different from machine to machine, addresses apart.
std::string neutral(std::string line) {
  static const std::pair<std::regex, const char*> places[] = {
      {std::regex(R"(/[^ ():,]*/)"), ""},                           // folders
      {std::regex(R"(\([^ ()]+\+0x[0-9a-f]+\))"), "(program+0x)"},  // offsets in files
      {std::regex(R"(\+0x[0-9a-f]+ )"), "+0x "},                    // and in functions
      {std::regex(R"((\.[a-z]+):[0-9]+)"), "$1:"},                  // lines of sources
      {std::regex(R"((line of the PTX: )[0-9]+)"), "$1"},
  };
  for (const auto& [place, instead] : places) line = std::regex_replace(line, place, instead);
  return line;
}

// The address, or handle, at this place of a line, or "". Masks and offsets are short.
std::string address_at(const std::string& line, size_t at) {
  static const std::regex address("0x[0-9a-f]{7,}");
  std::smatch found;
  if (!std::regex_search(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), found, address,
                         std::regex_constants::match_continuous) ||
      found.str() == "0xffffffff")
    return "";
  return found.str();
}

bool fits(std::string shown, std::string printed, Addresses& addresses) {
  const bool cut = shown.ends_with("...");
  if (cut) shown.resize(shown.size() - 3);
  shown = neutral(shown);
  printed = neutral(printed);
  size_t p = 0;
  for (size_t s = 0; s < shown.size();) {
    const std::string one = address_at(shown, s), other = address_at(printed, p);
    if (one.empty() != other.empty()) return false;
    if (one.empty()) {
      if (p >= printed.size() || shown[s++] != printed[p++]) return false;
    } else {
      if (!addresses.fit(one, other)) return false;
      s += one.size();
      p += other.size();
    }
  }
  return cut || p == printed.size();
}

std::multimap<std::string, Lines> reports_of(const std::string& text, bool of_a_page) {
  std::multimap<std::string, Lines> reports;
  Lines* report = nullptr;
  bool code = !of_a_page;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (of_a_page && line.starts_with("```")) {
      code = !code;
      report = nullptr;
    } else if (code && line.starts_with("cuvette: [")) {
      const size_t end = line.find(']');
      report = &reports.emplace(line.substr(10, end - 10), Lines{line})->second;
    } else if (report && line.starts_with("  ")) {
      report->push_back(line);
    } else {
      report = nullptr;
    }
  }
  return reports;
}

}  // namespace

std::multimap<std::string, Lines> shown_reports(const std::string& page) {
  return reports_of(page, true);
}
std::multimap<std::string, Lines> printed_reports(const std::string& errors) {
  return reports_of(errors, false);
}

std::string first_difference(const Lines& shown, const Lines& printed) {
  Addresses addresses;
  size_t next = 0;
  bool skips = false;
  for (const std::string& line : shown) {
    if (line == "  ...") {
      skips = true;
      continue;
    }
    for (;; ++next) {
      if (next == printed.size()) return line;
      Addresses tried = addresses;
      if (fits(line, printed[next], tried)) {
        addresses = std::move(tried);
        break;
      }
      if (!skips) return line + "\nis printed as\n" + printed[next];
    }
    ++next;
    skips = false;
  }
  return skips || next == printed.size() ? "" : "not shown: " + printed[next];
}
