// SPDX-License-Identifier: Apache-2.0
// Writes pages of records that were made by hand: write_pages FOLDER [NAME...]
// The pages random-N.html come with random-N.json, a list of the pairs of commands that are
// ordered.
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

constexpr uint32_t random_pages = 12;

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "write_pages: %s cannot be written\n", path.c_str());
  return static_cast<bool>(file);
}

PageTable profile() {
  return {"Profile",
          "Per line of source, the most excess first.",
          {{"Line", false}, {"Requests", true}, {"Sectors", true}, {"Advice", false}},
          {{"race.cu:12", "8192", "262144", "32 sectors where 4 would do."},
           {"race.cu:15", "8192", "32768", ""}}};
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
      {"hostile", hostile_record},
      {"empty", [] { return Record(); }},
      {"processes", processes_record},
      {"million", [] { return long_record(400'000); }},
  };
  if (name == "beside") {
    const Record fails = race_record(), passes = repaired_record();
    return page_of({{&fails, "The order that fails", {}}, {&passes, "The order that passes", {}}},
                   "Two orders of race");
  }
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

bool write_random(const std::string& folder, uint32_t seed) {
  const Record record = random_record(seed);
  const std::string path = folder + "/random-" + std::to_string(seed);
  return write(path + ".html", page_of(record, "random " + std::to_string(seed))) &&
         write(path + ".json", nlohmann::json(ordered_pairs(record)).dump());
}

int write_all(const std::string& folder, std::vector<std::string> names) {
  if (names.empty())
    names = {"race",    "repaired", "windows",   "opengl", "graph",   "host",   "killed",
             "hostile", "empty",    "processes", "beside", "profile", "random", "million"};
  for (const std::string& name : names) {
    if (name == "random") {
      for (uint32_t seed = 1; seed <= random_pages; ++seed)
        if (!write_random(folder, seed)) return 1;
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
