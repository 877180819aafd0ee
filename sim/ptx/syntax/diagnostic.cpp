// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/diagnostic.hpp"

#include <algorithm>

namespace cuvette::ptx {
namespace {

// As much of a line as a terminal shows beside its number.
constexpr size_t widest_quote = 100;

std::string_view line_of(std::string_view text, uint32_t line) {
  size_t begin = 0;
  for (uint32_t n = 1; n < line; ++n) {
    const size_t newline = text.find('\n', begin);
    if (newline == std::string_view::npos) return {};
    begin = newline + 1;
  }
  return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

}  // namespace

bool Diagnostic::is_lacking() const {
  return error == Error::unsupported_ptx_version || message.find("not implemented") != message.npos;
}

void Diagnostic::blame_version(uint32_t version) {
  if (version <= newest_version || error != Error::invalid_ptx) return;
  const auto written = [](uint32_t v) {
    return std::to_string(v / 10) + "." + std::to_string(v % 10);
  };
  error = Error::unsupported_ptx_version;
  message += "; this is PTX " + written(version) + ", and " + written(newest_version) +
             " is the newest that is known here";
}

std::string Diagnostic::sentence() const {
  std::string text;
  if (line > 0) text = "line " + std::to_string(line);
  if (!token.empty()) text += std::string(text.empty() ? "" : ", ") + "at '" + token + "'";
  return text.empty() ? message : text + ": " + message;
}

void Diagnostic::quote_from(std::string_view text) {
  quote.clear();
  if (line == 0) return;
  std::string_view whole = line_of(text, line);
  size_t at = column > 0 ? column - 1 : token.empty() ? 0 : whole.find(token);
  if (at == std::string_view::npos) at = 0;
  if (whole.empty() || at > whole.size()) return;
  // The part around the token, if the line is long.
  const size_t begin = whole.size() <= widest_quote ? 0 : at - std::min(at, widest_quote / 2);
  whole = whole.substr(begin, widest_quote);
  at -= begin;
  const size_t blanks = whole.find_first_not_of(" \t");
  const size_t indent = std::min(blanks == std::string_view::npos ? 0 : blanks, at);
  std::string shown(whole.substr(indent));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  const std::string number = std::to_string(line);
  const size_t length = std::clamp<size_t>(token.size(), 1, std::max<size_t>(whole.size() - at, 1));
  quote = "  " + number + " | " + shown + "\n  " + std::string(number.size(), ' ') + " | " +
          std::string(at - indent, ' ') + "^" + std::string(length - 1, '~');
}

}  // namespace cuvette::ptx
