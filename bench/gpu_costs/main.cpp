// SPDX-License-Identifier: Apache-2.0
// gpu_costs: measures what calls of the driver API cost on this machine's GPU, and writes the table
// that `cuvette cost` reads.
//
// The driver's times differ from process to process, so the table is made of several; and a process
// that uses OpenGL or Vulkan is another one to the driver, so each group has its own.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "bench/gpu_costs/costs.hpp"

namespace {

using namespace cuvette::bench;

constexpr const char* usage =
    "usage: gpu_costs FILE.json [--processes=N] [GROUP...]   measures, and writes the table\n"
    "       gpu_costs FILE.json --merge SAMPLES...           makes the table of samples\n"
    "groups: rounds graphics questions streams allocations copies virtual-memory vulkan "
    "interprocess modules graphs runtime, and first-streams first-memory first-copies first-pools "
    "first-sharing first-graphs first-graphics first-questions first-vulkan new-streams\n"
    "The samples are kept beside the table, in FILE.json.GROUP.1 and so on.\n";

// The first line of a file, after what comes before its value; empty if there is no such line.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) {
      const size_t colon = key.empty() ? std::string::npos : line.find(": ");
      return colon == std::string::npos ? line : line.substr(colon + 2);
    }
  return "";
}

Machine machine() {
  char name[256] = "";
  NEED(cuDeviceGetName(name, sizeof name, 0));
  return {name, value_in("/sys/module/nvidia/version", ""),
          value_in("/proc/cpuinfo", "model name") + ", " +
              std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores"};
}

struct Group {
  const char* name;
  void (*measure)(Costs&);
  int runs = 1;  // processes of this group for each that --processes wants
  bool makes_context = false;
};
constexpr Group groups[] = {{"rounds", measure_rounds, 2},
                            {"graphics", measure_graphics},
                            {"questions", measure_questions},
                            {"streams", measure_streams},
                            {"allocations", measure_allocations},
                            {"copies", measure_copies},
                            {"virtual-memory", measure_virtual_memory},
                            {"vulkan", measure_vulkan},
                            {"interprocess", measure_interprocess},
                            {"modules", measure_modules},
                            {"graphs", measure_graphs},
                            {"runtime", measure_runtime},
                            {"first-streams", measure_first_streams, 3, true},
                            {"first-memory", measure_first_memory, 3, true},
                            {"first-copies", measure_first_copies, 3, true},
                            {"first-pools", measure_first_pools, 3, true},
                            {"first-sharing", measure_first_sharing, 3, true},
                            {"first-graphs", measure_first_graphs, 3, true},
                            {"first-graphics", measure_first_graphics, 2, true},
                            {"first-questions", measure_first_questions, 3, true},
                            {"first-vulkan", measure_first_vulkan, 2, true},
                            {"new-streams", measure_new_streams, 3, true}};

// A process's part: measures a group, and writes the samples.
int measure(const char* samples, const std::string& wanted) {
  Costs costs;
  for (const Group& group : groups) {
    if (wanted != group.name) continue;
    if (!group.makes_context) {
      NEED(cuInit(0));
      CUcontext context = nullptr;
      NEED(cuDevicePrimaryCtxRetain(&context, 0));
      NEED(cuCtxSetCurrent(context));
    }
    const double begin = now_ns();
    group.measure(costs);
    std::fprintf(stderr, "%s: %.1f s\n", group.name, (now_ns() - begin) / 1e9);
  }
  return costs.write_samples(samples, machine()) ? 0 : 1;
}

int in_a_process(const std::string& samples, const std::string& group) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "gpu_costs", "--measure", samples.c_str(), group.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int write_table(const char* path, const std::vector<std::string>& samples, size_t processes) {
  Costs costs;
  for (const std::string& each : samples)
    if (!costs.add_from(each)) {
      std::fprintf(stderr, "gpu_costs: %s cannot be read\n", each.c_str());
      return 1;
    }
  if (costs.write(path, processes)) return 0;
  std::fprintf(stderr, "gpu_costs: %s cannot be written\n", path);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--interprocess-child")
    return interprocess_child(words[1].c_str());
  if (words.size() == 3 && words[0] == "--measure") return measure(argv[2], words[2]);
  if (words.empty() || words[0].starts_with("-")) {
    std::fputs(usage, stderr);
    return 2;
  }
  if (words.size() > 2 && words[1] == "--merge")
    return write_table(argv[1], {words.begin() + 2, words.end()}, words.size() - 2);
  size_t processes = 3;
  std::vector<std::string> wanted, samples;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("--processes="))
      processes = std::strtoul(words[i].c_str() + std::strlen("--processes="), nullptr, 10);
    else
      wanted.push_back(words[i]);
  }
  for (size_t i = 1; i <= processes; ++i)
    for (const Group& group : groups) {
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), group.name) == wanted.end())
        continue;
      for (int run = 1; run <= group.runs; ++run) {
        const std::string path = words[0] + "." + group.name + "." + std::to_string(i) +
                                 (group.runs > 1 ? "-" + std::to_string(run) : "");
        if (const int status = in_a_process(path, group.name))
          std::fprintf(stderr, "gpu_costs: %s, process %zu, ended with status %d\n", group.name, i,
                       status);
        else
          samples.push_back(path);
      }
    }
  return write_table(argv[1], samples, processes);
}
