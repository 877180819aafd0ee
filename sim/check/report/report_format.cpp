// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_format.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/check/report/report_place.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

using Json = nlohmann::ordered_json;
using Replace = Json::error_handler_t;

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Replace::replace); }

// Returns the text with what is no UTF-8 replaced.
std::string as_utf8(const std::string& text) {
  return Json::parse(compact(Json(text))).get<std::string>();
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
  physical["artifactLocation"]["uri"] = uri_of(place.file);
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
  Json location = sarif_location(places.empty() ? SourcePlace{os::program(), 0} : places[0].place);
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
  return escaped(as_utf8(text), [](char c) -> std::string_view {
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
  const std::vector<FactPlace> places = places_of(report);
  std::string name = identifier;
  if (!places.empty())
    name += " at " + places[0].place.file + ":" + std::to_string(places[0].place.line);
  std::string text = "<testcase" + attribute("classname", "cuvette") + attribute("name", name);
  if (!places.empty())
    text += attribute("file", places[0].place.file) +
            attribute("line", std::to_string(places[0].place.line));
  return text + "><failure" + attribute("type", identifier) +
         attribute("message", report.sentence) + ">" + xml_escaped(report.text()) +
         "</failure></testcase>";
}

constexpr const char* junit_begin = R"(<?xml version="1.0" encoding="UTF-8"?>)";
constexpr const char* junit_pass =
    R"(<testcase classname="cuvette" name="no mistake was found"></testcase>)";

std::string junit_head(size_t failures) {
  const std::string count = std::to_string(failures);
  return std::string(junit_begin) + "<testsuites><testsuite name=\"cuvette\" tests=\"" +
         std::to_string(std::max<size_t>(failures, 1)) + "\" failures=\"" + count +
         "\" errors=\"0\" skipped=\"0\">";
}

// --- Documents, line by line ---------------------------------------------------------------------

struct Form {
  std::string begin;  // how such a document begins
  const char* between;
  const char* end;
};
const Form& form_of(ReportFormat format) {
  static const Form sarif{sarif_head(), ",", "]}]}"};
  static const Form junit{junit_begin, "", "</testsuite></testsuites>"};
  return format == ReportFormat::sarif ? sarif : junit;
}

// Returns the entries of a document, each a line; nothing if it is none of ours.
std::optional<std::vector<std::string>> entries_of(const Form& form, std::string_view document) {
  std::vector<std::string> entries;
  if (document.empty()) return entries;
  const std::string end = std::string("\n") + form.end + "\n";
  if (!document.starts_with(form.begin) || !document.ends_with(end)) return std::nullopt;
  document.remove_suffix(end.size());
  const size_t first = document.find('\n');
  if (first == std::string_view::npos) return entries;
  document.remove_prefix(first + 1);
  while (!document.empty()) {
    const size_t line_end = std::min(document.find('\n'), document.size());
    std::string_view line = document.substr(0, line_end);
    document.remove_prefix(std::min(line_end + 1, document.size()));
    if (*form.between && line.ends_with(form.between)) line.remove_suffix(1);
    if (line != junit_pass) entries.emplace_back(line);
  }
  return entries;
}

}  // namespace

std::optional<std::string> with_report(ReportFormat format, std::string_view document,
                                       const Report* report) {
  const Form& form = form_of(format);
  auto entries = entries_of(form, document);
  if (!entries) return std::nullopt;
  const bool is_sarif = format == ReportFormat::sarif;
  if (report) entries->push_back(is_sarif ? sarif_result(*report) : junit_case(*report));
  std::string text = (is_sarif ? form.begin : junit_head(entries->size())) + "\n";
  if (!is_sarif && entries->empty()) entries->emplace_back(junit_pass);
  for (size_t i = 0; i < entries->size(); ++i)
    text += (*entries)[i] + (i + 1 < entries->size() ? form.between : "") + "\n";
  return text + form.end + "\n";
}

std::string github_command(const Report& report) {
  const auto data = [](char c) -> std::string_view {
    return c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : "";
  };
  const auto property = [&](char c) -> std::string_view {
    return c == ':' ? "%3A" : c == ',' ? "%2C" : data(c);
  };
  std::string command = kind(report.id).is_hint ? "::notice " : "::error ";
  if (const std::vector<FactPlace> places = places_of(report); !places.empty())
    command += "file=" + escaped(places[0].place.file, property) +
               ",line=" + std::to_string(places[0].place.line) + ",";
  command += "title=" + escaped(std::string("cuvette: ") + kind(report.id).identifier, property);
  return command + "::" + escaped(report.text(), data) + "\n";
}

std::string appended_text(ReportFormat format, const Report& report) {
  switch (format) {
    case ReportFormat::text:
      return report.text();
    case ReportFormat::github:
      return github_command(report);
    case ReportFormat::json:
    case ReportFormat::sarif:
    case ReportFormat::junit:
      break;
  }
  return report.json();
}

}  // namespace cuvette::check
