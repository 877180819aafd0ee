// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/table.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/cuvette/cost/json_file.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

using Json = nlohmann::ordered_json;

// Reads the parts of a document, and remembers where it is for messages.
class Place {
 public:
  Place(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw CostFileError(name_ + ": " + why);
  }
  std::string text(const char* key) const {
    const Json& value = member(key);
    if (!value.is_string()) refuse(std::string("its \"") + key + "\" is no text");
    return value.get<std::string>();
  }
  std::string text_or_nothing(const char* key) const {
    return json_.contains(key) ? text(key) : "";
  }
  double number(const char* key) const {
    const Json& value = member(key);
    if (!value.is_number()) refuse(std::string("its \"") + key + "\" is no number");
    return value.get<double>();
  }
  const Json& list(const char* key) const {
    const Json& value = member(key);
    if (!value.is_array()) refuse(std::string("its \"") + key + "\" is no list");
    return value;
  }

 private:
  const Json& member(const char* key) const {
    if (!json_.is_object()) refuse("it is no object");
    const auto found = json_.find(key);
    if (found == json_.end()) refuse(std::string("it has no \"") + key + '"');
    return *found;
  }

  const Json& json_;
  std::string name_;
};

CostTable::Measures measures_of(const std::string& word, const Place& place) {
  if (word == "host") return CostTable::Measures::host;
  if (word == "wait") return CostTable::Measures::wait;
  if (word == "own") return CostTable::Measures::own;
  if (word == "first") return CostTable::Measures::first;
  place.refuse("its \"measures\" is \"" + word + "\", not host, wait, own or first");
}

CostTable::Row row_of(const Json& json, const std::string& name) {
  const Place place(json, name);
  CostTable::Row row;
  row.function = place.text("function");
  if (row.function.empty()) place.refuse("its \"function\" is empty");
  for (const Json& word : place.list("classes")) {
    if (!word.is_string()) place.refuse("its \"classes\" are not all texts");
    row.classes.insert(word.get<std::string>());
  }
  row.unit = place.text("unit");
  if (row.unit != "call" && row.unit != "byte" && row.unit != "resource" && row.unit != "node")
    place.refuse("its \"unit\" is \"" + row.unit + "\", not call, byte, resource or node");
  row.measures = measures_of(place.text("measures"), place);
  for (const Json& point : place.list("points")) {
    const Place at(point, name + ", point " + std::to_string(row.points.size() + 1));
    row.points.push_back(
        {at.number("at"), at.number("p10"), at.number("median"), at.number("p90")});
  }
  const std::string complaint = complaint_about(row.points);
  if (!complaint.empty()) place.refuse(complaint);
  return row;
}

}  // namespace

std::vector<const CostTable::Row*> CostTable::rows_of(const std::string& function,
                                                      Measures measures) const {
  std::vector<const Row*> found;
  for (const Row& row : rows)
    if (row.measures == measures && row.function == function) found.push_back(&row);
  return found;
}

CostTable parse_cost_table(const std::string& text, const std::string& name) {
  const Json json = json_of_file(text, name);
  const Place place(json, name);
  if (place.number("format") != 1)
    place.refuse("its \"format\" is " + json["format"].dump() + "; this command reads format 1");
  CostTable table;
  table.gpu = place.text("gpu");
  table.driver = place.text("driver");
  table.host = place.text_or_nothing("host");
  table.method = place.text_or_nothing("method");
  for (const Json& row : place.list("rows")) {
    const std::string number = std::to_string(table.rows.size() + 1);
    table.rows.push_back(row_of(row, name + ", row " + number));
  }
  return table;
}

CostTable read_cost_table(const std::string& path) {
  const auto text = whole_file(path);
  if (!text) throw CostFileError(path + " cannot be read: " + std::strerror(errno));
  return parse_cost_table(*text, path);
}

std::string standard_cost_table() {
  std::error_code failure;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", failure);
  for (const char* folder : {CUVETTE_COSTS_INSTALLED, CUVETTE_COSTS_BUILT}) {
    if (failure) break;
    const auto path = command.parent_path() / folder / "h200-580.json";
    std::error_code missing;
    if (std::filesystem::exists(path, missing))
      return std::filesystem::weakly_canonical(path, missing).string();
  }
  throw CostFileError(
      "the table of costs, h200-580.json, is not where this command was built or installed; "
      "--table=FILE names another");
}

}  // namespace cuvette::tools
