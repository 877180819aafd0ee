// SPDX-License-Identifier: Apache-2.0
// The answer as JSON, and back.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/cuvette/cost/json_file.hpp"
#include "tools/cuvette/cost/result.hpp"

namespace cuvette::tools {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Estimate& estimate) {
  return {{"p10_ns", std::round(estimate.p10)},
          {"median_ns", std::round(estimate.median)},
          {"p90_ns", std::round(estimate.p90)},
          {"extrapolated", estimate.extrapolated}};
}

Json json_of(const CostLine& line) {
  return {{"function", line.function},
          {"call_site", line.call_site},
          {"calls", line.calls},
          {"bytes", line.bytes},
          {"calls_with_row", line.with_row},
          {"here_ns", std::round(line.here)},
          {"there", json_of(line.there)},
          {"waits_ns", std::round(line.waits)},
          {"vague", line.is_vague}};
}

Json json_of(const Hoist& hoist) {
  return {{"sentence", hoist.sentence},       {"function", hoist.function},
          {"call_site", hoist.call_site},     {"calls", hoist.calls},
          {"instead", hoist.instead},         {"now_ns", std::round(hoist.now)},
          {"then_ns", std::round(hoist.then)}};
}

std::string dumped(const Json& json) {
  // Names come from programs: they may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Reads the parts of a document that a person may have changed.
class Reader {
 public:
  Reader(const Json& json, std::string name) : json_(json), name_(std::move(name)) {
    if (!json.is_object()) throw CostFileError(name_ + ": it is no object");
  }
  Reader in(const char* key) const { return {member(key), name_ + ", \"" + key + '"'}; }
  std::string text(const char* key) const {
    const Json& value = member(key);
    if (!value.is_string()) refuse(key, "is no text");
    return value.get<std::string>();
  }
  double number(const char* key) const {
    const Json& value = member(key);
    if (!value.is_number()) refuse(key, "is no number");
    return value.get<double>();
  }
  uint64_t count(const char* key) const {
    const Json& value = member(key);
    // Not by a double, which has no place for the last digits above 2^53.
    if (value.is_number_unsigned()) return value.get<uint64_t>();
    const double rounded = number(key);
    if (!(rounded >= 0 && rounded < 1.8e19)) refuse(key, "is no count");
    return static_cast<uint64_t>(rounded);
  }
  bool flag(const char* key) const {
    const Json& value = member(key);
    if (!value.is_boolean()) refuse(key, "is neither true nor false");
    return value.get<bool>();
  }
  const Json& list(const char* key) const {
    const Json& value = member(key);
    if (!value.is_array()) refuse(key, "is no list");
    return value;
  }
  Estimate estimate(const char* key) const {
    const Reader reader = in(key);
    return {reader.number("p10_ns"), reader.number("median_ns"), reader.number("p90_ns"),
            reader.flag("extrapolated")};
  }

 private:
  [[noreturn]] void refuse(const char* key, const char* why) const {
    throw CostFileError(name_ + ": its \"" + key + "\" " + why);
  }
  const Json& member(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) throw CostFileError(name_ + ": it has no \"" + key + '"');
    return *found;
  }

  const Json& json_;
  std::string name_;
};

CostLine line_of(const Reader& reader) {
  CostLine line;
  line.function = reader.text("function");
  line.call_site = reader.text("call_site");
  line.calls = reader.count("calls");
  line.bytes = reader.count("bytes");
  line.with_row = reader.count("calls_with_row");
  line.here = reader.number("here_ns");
  line.there = reader.estimate("there");
  line.waits = reader.number("waits_ns");
  line.is_vague = reader.flag("vague");
  return line;
}

}  // namespace

std::string cost_as_json(const CostResult& result) {
  Json json = {{"format", 1},
               {"program", result.program},
               {"gpu", result.gpu},
               {"driver", result.driver},
               {"host", result.host},
               {"calls", result.calls},
               {"here_ns", std::round(result.here)},
               {"there", json_of(result.there)},
               {"hoists", Json::array()},
               {"lines", Json::array()},
               {"without_row", Json::array()},
               {"without_own_part", result.without_own_part},
               {"dropped", result.dropped}};
  for (const Hoist& hoist : result.hoists) json["hoists"].push_back(json_of(hoist));
  for (const CostLine& line : result.lines) json["lines"].push_back(json_of(line));
  for (const CostWithoutRow& each : result.without_row)
    json["without_row"].push_back(
        {{"function", each.function}, {"calls", each.calls}, {"here_ns", std::round(each.here)}});
  return dumped(json);
}

CostResult cost_from_json(const std::string& text, const std::string& name) {
  const Json json = json_of_file(text, name);
  const Reader reader(json, name);
  if (reader.number("format") != 1)
    throw CostFileError(name + ": its \"format\" is " + json["format"].dump() +
                        "; this command reads format 1");
  CostResult result;
  result.program = reader.text("program");
  result.gpu = reader.text("gpu");
  result.driver = reader.text("driver");
  result.host = reader.text("host");
  result.calls = reader.count("calls");
  result.here = reader.number("here_ns");
  result.there = reader.estimate("there");
  for (const Json& each : reader.list("hoists")) {
    const Reader hoist(each, name + ", a hoist");
    result.hoists.push_back({hoist.text("sentence"), hoist.text("function"),
                             hoist.text("call_site"), hoist.count("calls"), hoist.count("instead"),
                             hoist.number("now_ns"), hoist.number("then_ns")});
  }
  for (const Json& each : reader.list("lines"))
    result.lines.push_back(
        line_of({each, name + ", line " + std::to_string(result.lines.size() + 1)}));
  for (const Json& each : reader.list("without_row")) {
    const Reader missing(each, name + ", a function without a row");
    result.without_row.push_back(
        {missing.text("function"), missing.count("calls"), missing.number("here_ns")});
  }
  result.without_own_part = reader.count("without_own_part");
  result.dropped = reader.count("dropped");
  return result;
}

std::string compared_as_json(const CostResult& before, const CostResult& after) {
  std::map<std::pair<std::string, std::string>, std::pair<const CostLine*, const CostLine*>> both;
  for (const CostLine& line : before.lines) both[{line.function, line.call_site}].first = &line;
  for (const CostLine& line : after.lines) both[{line.function, line.call_site}].second = &line;
  Json json = {{"format", 1},
               {"before", json_of(before.there)},
               {"after", json_of(after.there)},
               {"lines", Json::array()}};
  for (const auto& [where, lines] : both) {
    const auto& [old, fresh] = lines;
    json["lines"].push_back({{"function", where.first},
                             {"call_site", where.second},
                             {"calls_before", old ? old->calls : 0},
                             {"calls_after", fresh ? fresh->calls : 0},
                             {"before_ns", std::round(old ? old->there.median : 0)},
                             {"after_ns", std::round(fresh ? fresh->there.median : 0)}});
  }
  return dumped(json);
}

}  // namespace cuvette::tools
