// SPDX-License-Identifier: Apache-2.0
// Each kernel with its launches, then its lines, the worst first, each with its source, a bar for
// what is wasted, and a sentence.
#include "tools/cuvette/profile/profile_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tools/cuvette/profile/advice.hpp"
#include "tools/cuvette/terminal.hpp"

namespace cuvette::tools {
namespace {

constexpr size_t most_shapes = 4, most_source = 76, bar_length = 20;

// Names come from programs: no character of them may steer the terminal.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

std::string counted(uint64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string per_cent(double share) { return short_number(100 * share) + " %"; }

std::string extent(const uint32_t (&numbers)[3]) {
  std::string text = std::to_string(numbers[0]);
  if (numbers[1] != 1 || numbers[2] != 1) text += " x " + std::to_string(numbers[1]);
  if (numbers[2] != 1) text += " x " + std::to_string(numbers[2]);
  return text;
}

// Reads lines of source files, each file once.
class Sources {
 public:
  std::string line(const std::string& place) {
    const size_t colon = place.rfind(':');
    if (colon == place.npos) return {};
    const unsigned long number = strtoul(place.c_str() + colon + 1, nullptr, 10);
    const std::vector<std::string>& lines = file(place.substr(0, colon));
    if (number == 0 || number > lines.size()) return {};
    std::string text = printable(lines[number - 1]);
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    if (text.size() > most_source) text = text.substr(0, most_source - 3) + "...";
    return text;
  }

 private:
  const std::vector<std::string>& file(const std::string& name) {
    const auto [known, is_new] = files_.try_emplace(name);
    if (!is_new) return known->second;
    std::ifstream in(name);
    constexpr size_t most = 1'000'000;
    for (std::string line; known->second.size() < most && std::getline(in, line);)
      known->second.push_back(line);
    return known->second;
  }
  std::map<std::string, std::vector<std::string>> files_;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " and ") + word;
  return text;
}

std::string about(const ProfiledKernel& kernel, const LaunchCounts& launch) {
  const Occupancy occupancy = kernel.occupancy(launch);
  std::string text = "  " + counted(launch.count, "launch", "launches") + " of " +
                     extent(launch.grid) + " blocks of " + extent(launch.block) + " threads";
  const uint64_t shared = kernel.static_shared + launch.dynamic_shared;
  if (shared > 0) text += ", " + counted(shared, "byte", "bytes") + " of shared memory";
  text += "\n    occupancy " + per_cent(occupancy.share) + ": " +
          counted(occupancy.blocks, "block", "blocks") + " (" +
          counted(occupancy.warps, "warp", "warps") + ") per multiprocessor, limited by " +
          joined(occupancy.limited_by) + (kernel.registers == 0 ? "; registers unknown" : "") +
          "; " + short_number(occupancy.waves) + (occupancy.waves == 1 ? " wave" : " waves");
  if (occupancy.waves > 1) text += ", the last one " + per_cent(occupancy.last_wave) + " full";
  if (occupancy.bound < occupancy.share)
    text += "; the blocks fill " + per_cent(occupancy.bound) + " of all places";
  text += "\n";
  if (const std::string sentence = advice(kernel, launch); !sentence.empty())
    text += "    " + sentence + "\n";
  return text;
}

std::string bar(double share) {
  const auto full = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * bar_length + 0.5);
  std::string text;
  for (size_t n = 0; n < full; ++n) text += "#";
  return text + std::string(bar_length - full, '.');
}

// "global load of 4 bytes: 32 requests, 32 sectors each, 4 at best   [######....] 896 too many"
std::string about(const AccessCounts& access) {
  const auto row = [&](const char* space, uint64_t requests, uint64_t units, uint64_t ideal,
                       const char* unit) {
    std::string text = std::string(space) + " " + access.kind + " of " +
                       counted(access.bytes, "byte", "bytes") + ": " +
                       counted(requests, "request", "requests") + ", " +
                       short_number(quotient(units, requests)) + " " + unit + " each";
    if (units > ideal)
      text += ", " + short_number(quotient(ideal, requests)) + " at best  [" +
              bar(quotient(units - ideal, units)) + "] " + std::to_string(units - ideal) + " of " +
              std::to_string(units) + " too many";
    return "      " + text + "\n";
  };
  std::string text;
  if (access.global_requests > 0)
    text += row("global", access.global_requests, access.sectors, access.ideal_sectors, "sectors");
  if (access.shared_requests > 0)
    text += row("shared", access.shared_requests, access.wavefronts, access.ideal_wavefronts,
                "wavefronts");
  if (!access.is_atomic()) return text;
  text += "      at most " + counted(access.most_together, "thread", "threads") +
          " of a warp at one address";
  if (access.sector_visits > access.sectors)
    text += ", and the memory comes " + counted(access.sector_visits, "time", "times") + " to " +
            counted(access.sectors, "sector", "sectors");
  const AccessCounts::Hottest& hottest = access.hottest;
  if (hottest.times > 0) {
    text += "; the hottest, " + printable(hottest.space + " " + hottest.address);
    if (hottest.allocation_bytes > 0)
      text += " (offset " + std::to_string(hottest.offset) + " of " +
              std::to_string(hottest.allocation_bytes) + ")";
    text += std::string(", takes ") + (hottest.at_least ? "at least " : "") +
            std::to_string(hottest.times) + " of " + std::to_string(hottest.of);
  }
  return text + "\n";
}

std::string about(const ProfiledLine& line, Sources& sources, FILE* stream) {
  std::string text = "  " + coloured(stream, Colour::bold,
                                     line.source.empty() ? "PTX line " + std::to_string(line.ptx)
                                                         : printable(line.source));
  if (!line.source.empty())
    if (const std::string code = sources.line(line.source); !code.empty()) text += "   " + code;
  text += "\n";
  for (const ProfiledLine::Frame& frame : line.inlined)
    if (!frame.function.empty())
      text += "      in " + printable(frame.function) + " (" + printable(frame.source) + ")\n";
  // A block of instructions counts for its first line: lines of the PTX behind it have none.
  std::vector<std::string> counts;
  if (line.instructions > 0)
    counts.push_back(counted(line.instructions, "instruction", "instructions") +
                     " by warps, with " + short_number(line.active_threads()) + " of 32 threads");
  if (line.branches > 0)
    counts.push_back("threads part in " + std::to_string(line.divergent) + " of " +
                     counted(line.branches, "branch", "branches"));
  if (line.barriers > 0)
    counts.push_back(counted(line.barriers, "warp comes", "warps come") + " to the barrier");
  for (size_t n = 0; n < counts.size(); ++n) text += (n == 0 ? "      " : "; ") + counts[n];
  if (!counts.empty()) text += "\n";
  for (const AccessCounts& access : line.accesses) text += about(access);
  if (const std::string sentence = advice(line); !sentence.empty())
    text += "      " + coloured(stream, Colour::yellow, sentence) + "\n";
  return text;
}

// The kernel with its launches.
std::string about(const ProfiledKernel& kernel, FILE* stream) {
  std::string text =
      coloured(stream, Colour::bold, printable(kernel.name)) + "   (" + printable(kernel.device) +
      (kernel.registers > 0 ? ", " + std::to_string(kernel.registers) + " registers a thread"
                            : "") +
      ")\n";
  const size_t shapes = std::min(most_shapes, kernel.launches.size());
  for (size_t n = 0; n < shapes; ++n) text += about(kernel, kernel.launches[n]);
  uint64_t more = kernel.other_launches;
  for (size_t n = shapes; n < kernel.launches.size(); ++n) more += kernel.launches[n].count;
  if (more > 0) text += "  " + counted(more, "launch", "launches") + " of other shapes\n";
  return text;
}

std::string about(const ProfiledKernel& kernel, size_t limit, Sources& sources, FILE* stream) {
  std::string text = about(kernel, stream);
  const size_t shown = limit == 0 ? kernel.lines.size() : std::min(limit, kernel.lines.size());
  for (size_t n = 0; n < shown; ++n) text += about(kernel.lines[n], sources, stream);
  if (shown < kernel.lines.size())
    text += "  " + counted(kernel.lines.size() - shown, "more line", "more lines") +
            " (--limit=0 shows all)\n";
  if (!kernel.has_sources())
    text +=
        "  Lines are those of the PTX: the kernel was compiled without -lineinfo (nvcc) or "
        "-gline-tables-only (clang).\n";
  return text;
}

}  // namespace

std::string as_text(const ProfileModel& model, size_t limit, FILE* stream) {
  if (model.kernels.empty()) return "No kernel was counted.\n";
  Sources sources;
  std::string text;
  for (const ProfiledKernel& kernel : model.kernels) {
    if (!text.empty()) text += "\n";
    text += about(kernel, limit, sources, stream);
  }
  if (model.unreadable > 0)
    text +=
        "\n" + counted(model.unreadable, "line", "lines") + " of the counts could not be read.\n";
  return text;
}

std::vector<KernelWords> words_of(const ProfileModel& model, size_t limit) {
  Sources sources;
  std::vector<KernelWords> all;
  for (const ProfiledKernel& kernel : model.kernels) {
    KernelWords& words = all.emplace_back();
    words.words = about(kernel, nullptr);
    for (const ProfiledLine& line : kernel.lines) {
      if (limit != 0 && words.lines.size() == limit) break;
      words.lines.push_back(
          {line.source.empty() ? "" : sources.line(line.source), about(line, sources, nullptr)});
    }
  }
  return all;
}

}  // namespace cuvette::tools
