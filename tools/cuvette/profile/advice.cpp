// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/profile/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace cuvette::tools {
namespace {

constexpr double warp = 32;

std::string bytes(uint64_t number) {
  return std::to_string(number) + (number == 1 ? " byte" : " bytes");
}

const char* verb_of(const AccessCounts& access) {
  if (access.is_atomic()) return "change";
  return access.kind == "store" || access.kind == "matrix store" ? "write" : "read";
}

// Most requests have one distance from thread to thread.
bool is_strided(const AccessCounts& access) { return access.strided * 2 > access.requests(); }

std::string about_sectors(const AccessCounts& access) {
  const double each = quotient(access.sectors, access.global_requests);
  const double ideal = quotient(access.ideal_sectors, access.global_requests);
  std::string text = short_number(each) + " sectors where " + short_number(ideal) + " would do: ";
  const auto stride = static_cast<uint64_t>(std::llabs(access.stride));
  const double lanes = quotient(access.global_lanes, access.global_requests);
  if (is_strided(access) && stride > access.bytes)
    return text + "threads " + verb_of(access) + " " + bytes(access.bytes) + " with a stride of " +
           bytes(stride) +
           "; let neighbours use neighbouring elements, or go through shared memory.";
  if (is_strided(access) && stride == access.bytes)
    return text + (lanes < warp - 1
                       ? "few threads take part, or their bytes do not begin with a sector."
                       : "the bytes of a warp do not begin with a sector; align them to 32 bytes.");
  return text + "the threads of a warp " + verb_of(access) +
         " scattered addresses; order the data, or the work, so that neighbours are together.";
}

std::string about_conflicts(const AccessCounts& access) {
  const double each = quotient(access.wavefronts, access.shared_requests);
  const double ideal = quotient(access.ideal_wavefronts, access.shared_requests);
  std::string text =
      short_number(each) + " wavefronts where " + short_number(ideal) + " would do: ";
  const auto stride = static_cast<uint64_t>(std::llabs(access.stride));
  if (is_strided(access) && stride > access.bytes)
    return text + "a stride of " + bytes(stride) +
           " leads to the same banks; pad each row by one element.";
  return text + "several threads " + verb_of(access) + " different words of one bank.";
}

std::string about_atomics(const AccessCounts& access) {
  std::string text =
      "up to " + std::to_string(access.most_together) + " threads of a warp change one address";
  if (access.hottest.times > 0 && access.hottest.of > 0)
    text += "; " + short_number(100 * quotient(access.hottest.times, access.hottest.of)) +
            " % of all go to one";
  return text + ": add within the warp or block first (shuffles, shared memory).";
}

}  // namespace

double quotient(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string short_number(double number) {
  char text[40];
  const double rounded = std::round(number * 10) / 10;
  snprintf(text, sizeof text, rounded == std::floor(rounded) ? "%.0f" : "%.1f", rounded);
  return text;
}

std::string advice(const ProfiledLine& line) {
  uint64_t worst = 0;
  std::string text;
  const auto consider = [&](uint64_t cost, const auto& sentence) {
    if (cost <= worst) return;
    worst = cost;
    text = sentence();
  };
  for (const AccessCounts& access : line.accesses) {
    consider(access.excess_sectors(), [&] { return about_sectors(access); });
    consider(access.bank_conflicts(), [&] { return about_conflicts(access); });
    consider(access.behind_others, [&] { return about_atomics(access); });
  }
  consider(line.divergent, [&] {
    return "threads of a warp part in " +
           short_number(100 * quotient(line.divergent, line.branches)) +
           " % of the branches: both ways are executed one after the other.";
  });
  if (!text.empty()) return text;
  constexpr double few = 16;
  if (line.instructions > 0 && line.active_threads() < few)
    return "on average " + short_number(line.active_threads()) + " of 32 threads are active.";
  return text;
}

std::string advice(const ProfiledKernel& kernel, const LaunchCounts& launch) {
  const Occupancy occupancy = kernel.occupancy(launch);
  if (occupancy.blocks == 0) return "a multiprocessor has no room for such a block.";
  if (launch.blocks < kernel.multiprocessors)
    return std::to_string(kernel.multiprocessors - launch.blocks) + " of " +
           std::to_string(kernel.multiprocessors) +
           " multiprocessors get no block: launch more of them.";
  if (occupancy.waves > 1 && occupancy.waves < 4 && occupancy.last_wave < 0.5)
    return "the last of " + short_number(std::ceil(occupancy.waves)) + " waves fills " +
           short_number(100 * occupancy.last_wave) + " % of the places.";
  if (occupancy.share < 0.5 && !occupancy.limited_by.empty())
    return "at most " + std::to_string(occupancy.warps) + " of " +
           std::to_string(kernel.warps_per_multiprocessor) +
           " warps run at a time: " + occupancy.limited_by.front() +
           (occupancy.limited_by.front() == "shared memory" ? " is the limit." : " are the limit.");
  return "";
}

}  // namespace cuvette::tools
