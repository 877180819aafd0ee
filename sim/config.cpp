// SPDX-License-Identifier: Apache-2.0
#include "sim/config.hpp"

#include <charconv>
#include <cstdlib>

namespace cuvette {
namespace {

std::optional<std::string> read(const char* variable, const char* fallback) {
  if (const char* value = std::getenv(variable)) return std::string(value);
  if (fallback) return std::string(fallback);
  return std::nullopt;
}

Config* read_all() {
  auto* config = new Config;
#define KNOB(variable, field, fallback, sentence) config->field = read(variable, fallback);
#include "sim/config.def"
#undef KNOB
  return config;
}

constexpr Knob all_knobs[] = {
#define KNOB(variable, field, fallback, sentence) {variable, fallback, sentence},
#include "sim/config.def"
#undef KNOB
};

}  // namespace

const Config& config() {
  // Never destroyed: calls may come while the process exits.
  static const Config* const instance = read_all();
  return *instance;
}

bool is_strict() {
  static const bool strict = *config().contract == "strict";
  return strict;
}

std::span<const Knob> knobs() { return all_knobs; }

std::optional<size_t> parse_bytes(const std::string& text) {
  size_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  int shift = 0;
  if (*end) {
    switch (*end) {
      case 'K':
      case 'k':
        shift = 10;
        break;
      case 'M':
      case 'm':
        shift = 20;
        break;
      case 'G':
      case 'g':
        shift = 30;
        break;
      case 'T':
      case 't':
        shift = 40;
        break;
      default:
        return std::nullopt;
    }
    ++end;
    if (*end == 'i' && (end[1] == 'B' || end[1] == 'b')) end += 2;
    if (*end) return std::nullopt;
  }
  if (shift && number > (SIZE_MAX >> shift)) return std::nullopt;
  return number << shift;
}

}  // namespace cuvette
