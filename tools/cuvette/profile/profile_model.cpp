// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/profile/profile_model.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace cuvette::tools {
namespace {

template <typename Member>
uint64_t sum(const std::vector<AccessCounts>& all, Member member) {
  return std::accumulate(
      all.begin(), all.end(), uint64_t{0},
      [&](uint64_t sum, const AccessCounts& one) { return sum + (one.*member)(); });
}

}  // namespace

uint64_t ProfiledLine::excess_sectors() const {
  return sum(accesses, &AccessCounts::excess_sectors);
}

uint64_t ProfiledLine::bank_conflicts() const {
  return sum(accesses, &AccessCounts::bank_conflicts);
}

uint64_t ProfiledLine::behind_others() const {
  uint64_t result = 0;
  for (const AccessCounts& one : accesses) result += one.behind_others;
  return result;
}

uint64_t ProfiledKernel::launch_count() const {
  uint64_t result = other_launches;
  for (const LaunchCounts& one : launches) result += one.count;
  return result;
}

bool ProfiledKernel::has_sources() const {
  return std::ranges::any_of(lines, [](const ProfiledLine& one) { return !one.source.empty(); });
}

Occupancy ProfiledKernel::occupancy(const LaunchCounts& launch) const {
  Occupancy result;
  result.blocks =
      std::min({launch.by_warps, launch.by_shared, launch.by_slots, launch.by_registers});
  const auto name = [&](uint32_t limit, const char* what) {
    if (limit == result.blocks) result.limited_by.emplace_back(what);
  };
  name(launch.by_warps, "warps");
  name(launch.by_registers, "registers");
  name(launch.by_shared, "shared memory");
  name(launch.by_slots, "block slots");
  result.warps = result.blocks * launch.warps_per_block;
  const auto most = static_cast<double>(std::max<uint64_t>(warps_per_multiprocessor, 1));
  const auto places = static_cast<double>(std::max<uint64_t>(multiprocessors, 1));
  result.share = result.warps / most;
  if (result.blocks == 0 || launch.blocks == 0) return result;
  const uint64_t wave = std::max<uint64_t>(multiprocessors, 1) * result.blocks;
  result.waves = static_cast<double>(launch.blocks) / static_cast<double>(wave);
  const uint64_t rest = launch.blocks % wave;
  result.last_wave = rest == 0 ? 1 : static_cast<double>(rest) / static_cast<double>(wave);
  const double warps = static_cast<double>(launch.blocks) * launch.warps_per_block;
  result.bound = std::min(result.share, warps / (places * most));
  return result;
}

void ProfileModel::order() {
  const auto waste = [](const ProfiledKernel& kernel) {
    uint64_t all = 0;
    for (const ProfiledLine& line : kernel.lines) all += line.waste();
    return all;
  };
  for (ProfiledKernel& kernel : kernels)
    std::ranges::stable_sort(kernel.lines, [](const ProfiledLine& a, const ProfiledLine& b) {
      return std::tuple(a.waste(), a.instructions) > std::tuple(b.waste(), b.instructions);
    });
  std::ranges::stable_sort(kernels, [&](const ProfiledKernel& a, const ProfiledKernel& b) {
    return waste(a) > waste(b);
  });
}

}  // namespace cuvette::tools
