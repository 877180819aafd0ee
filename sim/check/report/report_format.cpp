// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_format.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/check/report/project_path.hpp"
#include "sim/check/report/report_identity.hpp"
#include "sim/check/report/report_place.hpp"
#include "sim/check/report/report_places.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

using Json = nlohmann::ordered_json;
using Replace = Json::error_handler_t;

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Replace::replace); }

// Returns the text with invalid UTF-8 replaced.
std::string as_utf8(const std::string& text) {
  return Json::parse(compact(Json(text))).get<std::string>();
}

// Whether the text begins with U+FFFE or U+FFFF in UTF-8, which XML 1.0 excludes.
bool is_no_character(std::string_view text) {
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

// Returns the text with `with(c)` in place of each character for which that is not empty.
template <typename With>
std::string escaped(std::string_view text, const With& with) {
  std::string result;
  for (const char c : text) {
    const std::string_view escape = with(c);
    if (escape.empty()) {
      result += c;
    } else {
      result += escape;
    }
  }
  return result;
}

// --- SARIF 2.1.0 ---------------------------------------------------------------------------------

// Returns the reference to a file that RFC 3986 asks for.
std::string uri_of(const std::string& file) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr const char* digits = "0123456789ABCDEF";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', digits[byte / 16], digits[byte % 16]};
    }
  }
  return uri;
}

Json sarif_location(const SourcePlace& place) {
  Json location;
  Json& physical = location["physicalLocation"];
  physical["artifactLocation"]["uri"] = uri_of(project_path(place.file));
  if (place.line > 0) physical["region"]["startLine"] = place.line;
  return location;
}

std::string sarif_result(const Report& report) {
  Json result;
  result["ruleId"] = kind(report.id).identifier;
  result["level"] = "error";
  result["message"]["text"] = report.sentence;
  const std::vector<FactPlace> places = places_of(report);
  // Viewers want a place: without any, the program itself is it.
  const std::string program = report.program.empty() ? os::program() : report.program;
  Json location = sarif_location(places.empty() ? SourcePlace{program, 0} : places[0].place);
  for (const Fact& fact : report.facts)
    if (std::string_view(fact.key) == "kernel")
      if (const auto* const name = std::get_if<std::string>(&fact.value))
        location["logicalLocations"] = Json::array({{{"name", *name}, {"kind", "function"}}});
  result["locations"] = Json::array({location});
  for (size_t i = 1; i < places.size(); ++i) {
    Json related = sarif_location(places[i].place);
    related["id"] = i;
    related["message"]["text"] = places[i].key;
    result["relatedLocations"].push_back(std::move(related));
  }
  result["partialFingerprints"]["cuvetteReport/v1"] = fingerprint_of(report);
  result["properties"] = Json::parse(report.json());
  return compact(result);
}

// The document up to its first result.
std::string sarif_head() {
  Json rules = Json::array();
  for (const ReportKind& one : report_kinds)
    rules.push_back({{"id", one.identifier},
                     {"shortDescription", {{"text", one.meaning}}},
                     {"help", {{"text", one.advice}}},
                     {"defaultConfiguration", {{"level", one.is_hint ? "note" : "error"}}}});
  Json document;
  document["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  document["version"] = "2.1.0";
  Json run;
  run["tool"]["driver"] = {{"name", "Cuvette"}, {"version", CUVETTE_VERSION}, {"rules", rules}};
  run["results"] = Json::array();
  document["runs"] = Json::array({run});
  const std::string text = compact(document);
  return text.substr(0, text.rfind(']', text.rfind(']') - 1));
}

// --- JUnit ---------------------------------------------------------------------------------------

std::string xml_escaped(const std::string& text) {
  std::string valid = as_utf8(text);
  for (size_t at = 0; (at = valid.find('\xef', at)) != std::string::npos; ++at)
    if (is_no_character(std::string_view(valid).substr(at))) valid[at + 2] = '\xbd';  // U+FFFD
  return escaped(valid, [](char c) -> std::string_view {
    switch (c) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '"':
        return "&quot;";
      case '\n':
        return "&#10;";  // an entry is one line
      case '\t':
        return "&#9;";
      default:
        // XML 1.0 has no way to write the other control characters.
        return static_cast<unsigned char>(c) < ' ' ? "\xef\xbf\xbd" : "";
    }
  });
}

std::string attribute(const char* name, const std::string& value) {
  return " " + std::string(name) + "=\"" + xml_escaped(value) + "\"";
}

// A test is known by its name from one run to the next, so the name has no addresses.
std::string junit_case(const Report& report) {
  const std::string identifier = kind(report.id).identifier;
  std::string name = identifier, place;
  for (const FactPlace& one : places_of(report)) {
    const bool is_earlier = std::string_view(one.key).starts_with("earlier");
    const std::string file = project_path(one.place.file), line = std::to_string(one.place.line);
    if (place.empty()) {
      place = attribute("file", file) + attribute("line", line);
      name += " at " + file + ":" + line;
    } else if (is_earlier) {
      name += " and " + file + ":" + line;
      break;
    }
  }
  const bool needs_function = place.empty() && report.program.empty();
  if (const std::string function = needs_function ? function_of(report) : ""; !function.empty())
    name += " in " + function;
  return "<testcase" + attribute("classname", test_of(report)) + attribute("name", name) + place +
         "><failure" + attribute("type", identifier) + attribute("message", report.sentence) + ">" +
         xml_escaped(report.text()) + "</failure></testcase>";
}

constexpr const char* junit_begin = R"(<?xml version="1.0" encoding="UTF-8"?>)";
constexpr const char* junit_pass =
    R"(<testcase classname="cuvette" name="no mistake was found"></testcase>)";

std::string junit_head(size_t failures) {
  const std::string count = std::to_string(failures);
  std::string head = std::string(junit_begin) + "<testsuites><testsuite name=\"cuvette\" tests=\"" +
                     std::to_string(std::max<size_t>(failures, 1)) + "\" failures=\"" + count +
                     "\" errors=\"0\" skipped=\"0\"";
  constexpr size_t length = 180;  // for any count
  head.resize(length, ' ');
  return head + ">";
}

// --- GitLab's Code Quality -----------------------------------------------------------------------

const char* severity_of(const ReportSummary& report) {
  const auto* const kind =
      std::ranges::find(report_kinds, std::string_view(report.identifier), &ReportKind::identifier);
  switch (static_cast<ReportId>(kind - report_kinds.begin())) {
    case ReportId::not_on_cuvette:
      return "blocker";
    case ReportId::host_access:
    case ReportId::illegal_address:
    case ReportId::misaligned_address:
    case ReportId::kernel_trap:
    case ReportId::kernel_assertion:
    case ReportId::barrier_stuck:
    case ReportId::lost_memory:
    case ReportId::standstill:
    case ReportId::double_free:
      return "critical";
    case ReportId::leaked_memory:
    case ReportId::ignored_error:
    case ReportId::graphics_not_unmapped:
    case ReportId::graphics_not_unregistered:
      return "minor";
    default:
      return report.is_hint ? "info" : "major";
  }
}

}  // namespace

std::string gitlab_issue(const ReportSummary& summary) {
  Json issue;
  issue["description"] = summary.identifier + ": " + summary.sentence;
  issue["check_name"] = summary.identifier;
  issue["fingerprint"] = summary.fingerprint;
  issue["severity"] = severity_of(summary);
  // A report without a place in the source is placed in the program.
  issue["location"]["path"] = summary.file.empty() ? summary.test : summary.file;
  issue["location"]["lines"]["begin"] = std::max<uint64_t>(summary.line, 1);
  return compact(issue);
}

const DocumentForm& form_of(ReportFormat format) {
  static const DocumentForm sarif{sarif_head(), ",", "]}]}", "", "{\"ruleId\":", "}"};
  static const DocumentForm junit{junit_begin, "",           "</testsuite></testsuites>",
                                  junit_pass,  "<testcase ", "</testcase>"};
  static const DocumentForm gitlab{"[", ",", "]", "", "{\"description\":", "}"};
  if (format == ReportFormat::gitlab) return gitlab;
  return format == ReportFormat::sarif ? sarif : junit;
}

std::string document_head(ReportFormat format, size_t entries) {
  return format == ReportFormat::junit ? junit_head(entries) : form_of(format).head;
}

std::string document_entry(ReportFormat format, const Report& report) {
  if (format == ReportFormat::gitlab) return gitlab_issue(summary_of(report));
  return format == ReportFormat::sarif ? sarif_result(report) : junit_case(report);
}

std::string_view key_of_entry(ReportFormat format, std::string_view entry) {
  // Quotes are escaped within values, so neither mark is part of one.
  const std::string_view mark = format == ReportFormat::gitlab  ? "\"fingerprint\":\""
                                : format == ReportFormat::junit ? "\" name=\""
                                                                : "";
  const size_t begin = mark.empty() ? std::string_view::npos : entry.find(mark);
  if (begin == std::string_view::npos) return "";
  const size_t end = entry.find('"', begin + mark.size());
  // The name of a case is one of its class, which comes first.
  const size_t from = format == ReportFormat::junit ? 0 : begin;
  return end == std::string_view::npos ? "" : entry.substr(from, end - from);
}

std::string github_command(const ReportSummary& report) {
  const auto data = [](char c) -> std::string_view {
    if (c == '%') return "%25";
    if (c == '\r') return "%0D";
    if (c == '\n') return "%0A";
    return static_cast<unsigned char>(c) < ' ' && c != '\t' ? "\xef\xbf\xbd" : "";
  };
  const auto property = [&](char c) -> std::string_view {
    return c == ':' ? "%3A" : c == ',' ? "%2C" : data(c);
  };
  std::string command = report.is_hint ? "::notice " : "::error ";
  if (!report.file.empty())
    command += "file=" + escaped(as_utf8(report.file), property) +
               ",line=" + std::to_string(report.line) + ",";
  command += "title=" + escaped("cuvette: " + report.identifier, property);
  return command + "::" + escaped(as_utf8(report.text), data) + "\n";
}

std::string appended_text(ReportFormat format, const Report& report) {
  switch (format) {
    case ReportFormat::text:
      return report.text();
    case ReportFormat::github:
      return github_command(summary_of(report));
    case ReportFormat::json:
    case ReportFormat::sarif:
    case ReportFormat::junit:
    case ReportFormat::gitlab:
      break;
  }
  return report.json();
}

}  // namespace cuvette::check
