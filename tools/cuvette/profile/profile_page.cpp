// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/profile/profile_page.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "tools/cuvette/profile/advice.hpp"
#include "tools/cuvette/profile/profile_text.hpp"

namespace cuvette::tools {
namespace {

// Of lines, added up.
struct Sum {
  uint64_t sectors = 0, conflicts = 0, behind = 0, divergent = 0;

  void add(const ProfiledLine& line) {
    sectors += line.excess_sectors();
    conflicts += line.bank_conflicts();
    behind += line.behind_others();
    divergent += line.divergent;
  }
};

// The columns that both tables have. A number has a bar, which compares the rows.
void add_columns(PageTable& table) {
  for (const char* title : {"Excess sectors", "Bank conflicts", "Behind others", "Divergent"})
    table.columns.push_back({title, true});
  table.columns.push_back({"Advice"});
}

void add_cells(std::vector<std::string>& row, const Sum& sum, std::string advice) {
  for (const uint64_t number : {sum.sectors, sum.conflicts, sum.behind, sum.divergent})
    row.push_back(std::to_string(number));
  row.push_back(std::move(advice));
}

std::string occupancy_of(const ProfiledKernel& kernel) {
  if (kernel.launches.empty()) return "";
  return short_number(100 * kernel.occupancy(kernel.launches.front()).share);
}

std::string place_of(const ProfiledLine& line) {
  if (line.source.empty()) return "PTX line " + std::to_string(line.ptx);
  return line.source.substr(line.source.rfind('/') + 1);
}

}  // namespace

std::vector<PageTable> tables_of(const ProfileModel& model, size_t limit) {
  if (model.kernels.empty()) return {};
  PageTable kernels{"Kernels", "The worst first. All launches are added up.", {}, {}};
  PageTable lines{
      "Lines of kernels",
      "Of each kernel the worst first. Select one to see its counts, and its launches in "
      "the timeline.",
      {},
      {}};
  kernels.columns = {{"Kernel"}, {"Launches", true}, {"Occupancy, %", true}};
  lines.columns = {{"Line"}, {"Source"}, {"Kernel"}};
  add_columns(kernels);
  add_columns(lines);
  const std::vector<KernelWords> all = words_of(model, limit);
  for (size_t k = 0; k < model.kernels.size(); ++k) {
    const ProfiledKernel& kernel = model.kernels[k];
    Sum whole;
    for (const ProfiledLine& line : kernel.lines) whole.add(line);
    std::vector<std::string> row = {kernel.name, std::to_string(kernel.launch_count()),
                                    occupancy_of(kernel)};
    add_cells(row, whole, kernel.launches.empty() ? "" : advice(kernel, kernel.launches.front()));
    kernels.rows.push_back(std::move(row));
    kernels.notes.push_back(all[k].words);
    kernels.kernels.push_back(kernel.name);
    for (size_t n = 0; n < all[k].lines.size(); ++n) {
      const ProfiledLine& line = kernel.lines[n];
      Sum own;
      own.add(line);
      std::vector<std::string> cells = {place_of(line), all[k].lines[n].source, kernel.name};
      add_cells(cells, own, advice(line));
      lines.rows.push_back(std::move(cells));
      lines.notes.push_back(all[k].lines[n].words);
      lines.kernels.push_back(kernel.name);
    }
  }
  return {std::move(kernels), std::move(lines)};
}

}  // namespace cuvette::tools
