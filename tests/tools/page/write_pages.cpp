// SPDX-License-Identifier: Apache-2.0
// Writes pages of records that were made by hand: write_pages FOLDER [NAME...]
// The page random.html shows several records beside each other, and comes with random.json: for
// each a list of the pairs of commands that are ordered.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/page/order_model.hpp"
#include "tests/tools/page/records.hpp"
#include "tools/cuvette/page/page.hpp"

namespace cuvette::tools {
namespace {

constexpr uint32_t random_records = 12;

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "write_pages: %s cannot be written\n", path.c_str());
  return static_cast<bool>(file);
}

// The counts of a kernel that the record has, and of one that it has not.
PageTable profile() {
  const std::string scale = "scale(float*, float, int)", other = "other(int*)";
  return {"Lines of kernels",
          "The worst first.",
          {{"Line", false},
           {"Source", false},
           {"Kernel", false},
           {"Excess sectors", true},
           {"Advice", false}},
          {{"other.cu:7", "to[i] = 0;", other, "300000", "4 sectors where 1 would do."},
           {"race.cu:12", "values[i] *= factor;", scale, "262144", "32 sectors where 4 would do."},
           {"race.cu:15", "", scale, "0", ""}},
          {"  other.cu:7\n      global store", "  race.cu:12\n      global load of 4 bytes",
           "  race.cu:15\n      16 instructions"},
          {other, scale, scale}};
}

// A run that fails beside one that passes, as `cuvette explore --html` shows them.
std::string page_of_two_orders() {
  const Record fails = race_record(), passes = repaired_record();
  const PageOutcome failure{true,
                            "The program fails: exit status 1.",
                            {"Of stream 2, command 1, the bytes differ."},
                            "wrong: 7 instead of 8\n<b>bold</b>",
                            "cuvette run --schedule=replay:1.2 -- ./race"};
  return page_of(
      {{&fails, "The order that fails", {}, failure},
       {&passes, "The order that passes", {}, {false, "The program passes.", {}, {}, {}}}},
      "Two orders of race");
}

// A run that fails, of which nothing was reported.
std::string page_of_failure() {
  const Record record = repaired_record();
  return page_of(
      {{&record, "It fails", {}, {true, "The program fails: exit status 1.", {}, {}, {}}}},
      "fails");
}

std::string page_named(const std::string& name) {
  static const std::vector<std::pair<std::string, std::function<Record()>>> records = {
      {"race", race_record},
      {"repaired", repaired_record},
      {"windows", windows_record},
      {"opengl", opengl_record},
      {"graph", graph_record},
      {"host", host_race_record},
      {"killed", killed_record},
      {"pool", pool_record},
      {"names", names_record},
      {"hostile", hostile_record},
      {"empty", [] { return Record(); }},
      {"processes", processes_record},
      {"million", [] { return long_record(400'000); }},
  };
  if (name == "beside") return page_of_two_orders();
  if (name == "fails") return page_of_failure();
  if (name == "profile") {
    const Record record = race_record();
    return page_of({{&record, "race", {profile()}}}, "race");
  }
  if (name == "hostile")
    return page_of(hostile_record(), "</title><script>document.body.dataset.taken='yes'</script>");
  for (const auto& [own, make] : records)
    if (own == name) return page_of(make(), name);
  return {};
}

bool write_random(const std::string& folder) {
  std::vector<Record> records;
  for (uint32_t seed = 1; seed <= random_records; ++seed) records.push_back(random_record(seed));
  std::vector<PageView> views;
  nlohmann::json pairs = nlohmann::json::array();
  for (const Record& record : records) {
    views.push_back({&record, "random " + std::to_string(views.size() + 1), {}});
    pairs.push_back(ordered_pairs(record));
  }
  return write(folder + "/random.html", page_of(views, "random")) &&
         write(folder + "/random.json", pairs.dump());
}

int write_all(const std::string& folder, std::vector<std::string> names) {
  if (names.empty())
    names = {"race",      "repaired", "windows", "opengl",  "graph",  "host",
             "killed",    "pool",     "names",   "hostile", "empty",  "fails",
             "processes", "beside",   "profile", "random",  "million"};
  for (const std::string& name : names) {
    if (name == "random") {
      if (!write_random(folder)) return 1;
      continue;
    }
    const std::string page = page_named(name);
    if (page.empty()) {
      std::fprintf(stderr, "write_pages: there is no page '%s'\n", name.c_str());
      return 2;
    }
    std::string path = folder;
    path.append("/").append(name).append(".html");
    if (!write(path, page)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace cuvette::tools

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: write_pages FOLDER [NAME...]\n");
    return 2;
  }
  return cuvette::tools::write_all(argv[1], std::vector<std::string>(argv + 2, argv + argc));
}
