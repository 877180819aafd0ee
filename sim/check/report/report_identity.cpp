// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_identity.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "sim/check/report/report_frames.hpp"
#include "sim/check/report/report_place.hpp"

namespace cuvette::check {
namespace {

constexpr size_t code_digits = 16;

// FNV-1a: a fingerprint is kept in files, so it must be the same in every build.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0);
  }
  std::string digits(size_t count) const {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += "0123456789abcdef"[state_ >> (60 - 4 * i) & 15];
    return text;
  }

 private:
  void step(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3; }
  uint64_t state_ = 0xcbf29ce484222325;
};

// Returns the line of source, trimmed.
std::optional<std::string> text_of_line(const SourcePlace& place) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(place.file, failure)) return std::nullopt;
  std::ifstream in(place.file);
  std::string text;
  for (uint64_t line = 0; line < place.line; ++line)
    if (!std::getline(in, text)) return std::nullopt;
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return std::nullopt;
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The place of the allocation, or of the end of its context: a secondary place of the mistake,
// unless it is the only one.
bool is_origin(std::string_view key) {
  for (const char* const origin : {"allocated at", "freed at", "mapped at", "unmapped at",
                                   "registered at", "context ended at", "ended at"})
    if (key == origin) return true;
  return false;
}

// Adds the fact's description of the place, without numbers that change when the program is built
// again; false if the fact does not name a place.
bool add_place(Digest& digest, std::string_view key, std::string_view value) {
  if (key == "kernel" || key.ends_with(" kernel")) {
    digest.add(value);
  } else if (key.ends_with("source")) {
    digest.add(last_part(file_of_place(value)));
  } else if ((key.ends_with(" at") || key == "instruction") && !value.empty()) {
    const Frame frame = frame_of(frames_of(value).front());
    digest.add(frame.function);
    digest.add(last_part(file_of_place(frame.place)));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string fingerprint_of(const Report& report) {
  Digest code;
  code.add(kind(report.id).identifier);
  code.add(last_part(report.program));
  bool placed = false;
  for (const Fact& fact : report.facts)
    if (!is_origin(fact.key)) placed |= add_place(code, fact.key, text_of(fact));
  if (!placed)
    for (const Fact& fact : report.facts) add_place(code, fact.key, text_of(fact));

  const std::vector<FactPlace> places = places_of(report);
  Digest lines;
  for (const FactPlace& one : places) {
    // For two accesses, both lines; for one, its line.
    if (&one != &places.front() && !std::string_view(one.key).starts_with("earlier")) continue;
    const std::optional<std::string> text = text_of_line(one.place);
    if (!text) return code.digits(code_digits);
    lines.add(*text);
  }
  return code.digits(code_digits) + (places.empty() ? "" : "-" + lines.digits(8));
}

bool same_mistake(std::string_view one, std::string_view other) {
  if (one.substr(0, code_digits) != other.substr(0, code_digits)) return false;
  return one == other || one.size() == code_digits || other.size() == code_digits;
}

}  // namespace cuvette::check
