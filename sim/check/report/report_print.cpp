// SPDX-License-Identifier: Apache-2.0
// A report as text and as JSON.
#include "sim/check/report/report_text.hpp"

#include <nlohmann/json.hpp>

#include "sim/check/report/report_frames.hpp"
#include "sim/check/report/report_identity.hpp"
#include "sim/check/report/report_places.hpp"
#include "sim/check/report/report_summary.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

std::string in_words(const std::variant<std::string, uint64_t>& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::to_string(std::get<uint64_t>(value));
}

// Returns the text with control characters written as "\x1b": names of files and functions may hold
// a terminal's escape sequences.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= ' ' && byte != 0x7f) || c == '\n' || c == '\t') {
      result += c;
    } else {
      constexpr const char* digits = "0123456789abcdef";
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return result;
}

}  // namespace

std::string Report::text() const {
  std::string text = "cuvette: [" + std::string(kind(id).identifier) + "] " +
                     (kind(id).is_hint ? "Hint: " : "") + sentence + "\n";
  for (const Fact& fact : facts)
    text +=
        "  " + std::string(fact.key) + ": " + frames_on_lines(in_words(fact.value), "    ") + "\n";
  return printable(text + "  what to do: " + (advice.empty() ? kind(id).advice : advice) +
                   "\n  to suppress: " + suppression_of(*this) + "\n");
}

std::string Report::json() const {
  nlohmann::ordered_json line;
  line["report"] = kind(id).identifier;
  line["sentence"] = sentence;
  auto& object = line["facts"] = nlohmann::ordered_json::object();
  for (const Fact& fact : facts)
    std::visit([&](const auto& value) { object[fact.key] = value; }, fact.value);
  line["what to do"] = advice.empty() ? kind(id).advice : advice;
  line["to suppress"] = suppression_of(*this);
  line["fingerprint"] = fingerprint_of(*this);
  line["test"] = test_of(*this);
  line["program"] = program.empty() ? os::program() : program;
  line["process"] = os::process_id();
  // File names may contain any bytes.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace cuvette::check
