// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/counts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>

namespace cuvette::tools {
namespace {

// Sums over the lines of some kernels.
struct Sums {
  uint64_t launches = 0, instructions = 0, branches = 0, divergent = 0, barriers = 0;
  AccessCounts all;  // of every kind
  AccessCounts atomics;
  double worst_request = 0;  // the most sectors for a request of one access
};

struct KernelCount {
  const char* name;
  // A quotient of two sums, or a sum if the second is null.
  uint64_t (*above)(const Sums&);
  uint64_t (*below)(const Sums&);
};

constexpr std::array<KernelCount, 14> kernel_counts = {{
    {"sectors", [](const Sums& sums) { return sums.all.sectors; }, nullptr},
    {"sectors_per_request", [](const Sums& sums) { return sums.all.sectors; },
     [](const Sums& sums) { return sums.all.global_requests; }},
    {"excess_sectors", [](const Sums& sums) { return sums.all.excess_sectors(); }, nullptr},
    {"requests", [](const Sums& sums) { return sums.all.global_requests; }, nullptr},
    {"shared_requests", [](const Sums& sums) { return sums.all.shared_requests; }, nullptr},
    {"wavefronts", [](const Sums& sums) { return sums.all.wavefronts; }, nullptr},
    {"wavefronts_per_request", [](const Sums& sums) { return sums.all.wavefronts; },
     [](const Sums& sums) { return sums.all.shared_requests; }},
    {"bank_conflicts", [](const Sums& sums) { return sums.all.bank_conflicts(); }, nullptr},
    {"atomics",
     [](const Sums& sums) { return sums.atomics.global_lanes + sums.atomics.shared_lanes; },
     nullptr},
    {"global_atomics", [](const Sums& sums) { return sums.atomics.global_lanes; }, nullptr},
    {"divergent_branches", [](const Sums& sums) { return sums.divergent; }, nullptr},
    {"barriers", [](const Sums& sums) { return sums.barriers; }, nullptr},
    {"instructions", [](const Sums& sums) { return sums.instructions; }, nullptr},
    {"launches", [](const Sums& sums) { return sums.launches; }, nullptr},
}};

// An access with more sectors than others is not hidden by them.
constexpr const char* worst_request = "worst_sectors_per_request";

struct RecordCount {
  const char* name;
  double (*count)(const Record&);
};

bool is_copy(const Record::Command& command) { return command.kind.find("copy") == 0; }

double synchronising_calls(const Record& record) {
  std::set<uint32_t> calls;
  for (const Record::Call& call : record.calls)
    if (call.function.find("Synchronize") != std::string::npos)
      calls.insert(static_cast<uint32_t>(&call - record.calls.data()));
  // A call of the runtime contains the driver's: the outermost counts.
  double count = 0;
  for (const uint32_t index : calls) {
    const Record::Call& call = record.calls[index];
    const bool inner = std::ranges::any_of(calls, [&](uint32_t other) {
      const Record::Call& outer = record.calls[other];
      return other != index && outer.thread == call.thread && outer.began <= call.began &&
             (outer.ended == Record::open || call.ended <= outer.ended);
    });
    if (!inner) ++count;
  }
  return count;
}

double bytes_copied(const Record& record) {
  double bytes = 0;
  std::set<uint32_t> counted;
  for (const Record::Command& command : record.commands)
    if (is_copy(command) && command.call != Record::none && counted.insert(command.call).second)
      bytes += static_cast<double>(record.calls[command.call].bytes);
  return bytes;
}

template <typename Matches>
double commands(const Record& record, const Matches& matches) {
  return static_cast<double>(std::ranges::count_if(record.commands, matches));
}

constexpr std::array<RecordCount, 6> record_counts = {{
    {"copies", [](const Record& record) { return commands(record, is_copy); }},
    {"bytes_copied", bytes_copied},
    {"synchronising_calls", synchronising_calls},
    {"kernels",
     [](const Record& record) {
       return commands(record, [](const auto& one) { return one.kind == "kernel"; });
     }},
    {"commands", [](const Record& record) { return static_cast<double>(record.commands.size()); }},
    {"allocations",
     [](const Record& record) {
       return static_cast<double>(std::ranges::count_if(record.memories, [](const auto& one) {
         return one.device != Record::none && (one.kind == "device" || one.kind == "pool");
       }));
     }},
}};

void add(AccessCounts& sum, const AccessCounts& access) {
  sum.global_requests += access.global_requests;
  sum.global_lanes += access.global_lanes;
  sum.sectors += access.sectors;
  sum.ideal_sectors += access.ideal_sectors;
  sum.shared_requests += access.shared_requests;
  sum.shared_lanes += access.shared_lanes;
  sum.wavefronts += access.wavefronts;
  sum.ideal_wavefronts += access.ideal_wavefronts;
}

void add(Sums& sums, const ProfiledKernel& kernel) {
  sums.launches += kernel.launch_count();
  for (const ProfiledLine& line : kernel.lines) {
    sums.instructions += line.instructions;
    sums.branches += line.branches;
    sums.divergent += line.divergent;
    sums.barriers += line.barriers;
    for (const AccessCounts& access : line.accesses) {
      add(sums.all, access);
      if (access.is_atomic()) add(sums.atomics, access);
      if (access.global_requests > 0)
        sums.worst_request =
            std::max(sums.worst_request, static_cast<double>(access.sectors) /
                                             static_cast<double>(access.global_requests));
    }
  }
}

}  // namespace

bool is_count_of_record(const std::string& name) {
  return std::ranges::any_of(record_counts, [&](const auto& one) { return one.name == name; });
}

bool is_count(const std::string& name) {
  return name == worst_request || is_count_of_record(name) ||
         std::ranges::any_of(kernel_counts, [&](const auto& one) { return one.name == name; });
}

std::string all_counts() {
  std::string text;
  for (const KernelCount& count : kernel_counts) (text += count.name) += ", ";
  text += worst_request;
  for (const RecordCount& count : record_counts) (text += ", ") += count.name;
  return text;
}

std::optional<double> count_in(const ProfileModel& model, const std::string& name,
                               const std::string& kernel) {
  Sums sums;
  bool any = false;
  for (const ProfiledKernel& one : model.kernels)
    if (one.name.find(kernel) != std::string::npos ||
        one.symbol.find(kernel) != std::string::npos) {
      any = true;
      add(sums, one);
    }
  if (!any) return std::nullopt;
  if (name == worst_request) return sums.worst_request;
  for (const KernelCount& count : kernel_counts) {
    if (count.name != name) continue;
    const auto above = static_cast<double>(count.above(sums));
    if (!count.below) return above;
    const auto below = static_cast<double>(count.below(sums));
    return below == 0 ? 0 : above / below;
  }
  return std::nullopt;
}

double count_in(const Record& record, const std::string& name) {
  for (const RecordCount& count : record_counts)
    if (count.name == name) return count.count(record);
  return 0;
}

}  // namespace cuvette::tools
