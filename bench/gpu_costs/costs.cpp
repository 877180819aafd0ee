// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_costs/costs.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

#include "bench/gpu_costs/published.hpp"

namespace cuvette::bench {
namespace {

double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
}

// Of a call: in a loop of its like, and among others.
struct Times {
  std::vector<double> alone, among_others;
};

// As many of each, if there are both.
std::vector<double> together(const Times& times) {
  if (times.alone.empty()) return times.among_others;
  if (times.among_others.empty()) return times.alone;
  const size_t count = std::min(times.alone.size(), times.among_others.size());
  std::vector<double> result;
  for (const std::vector<double>& some : {times.alone, times.among_others})
    for (size_t i = 0; i < count; ++i) result.push_back(some[i * some.size() / count]);
  return result;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  }
  return out + '"';
}

std::string words(const std::string& text) {
  std::string out = "[", word;
  for (const char letter : text + ' ') {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      out += (out.size() > 1 ? ", " : "") + quoted(word);
      word.clear();
    }
  }
  return out + ']';
}

}  // namespace

Costs::Costs() {
  std::vector<double> empty(10001);
  for (double& each : empty) {
    const double begin = now_ns();
    each = now_ns() - begin;
  }
  std::sort(empty.begin(), empty.end());
  clock_ = empty[empty.size() / 2];
}

void Costs::add(const Row& row, double at, double ns) {
  if (counts_) rows_[row][at].push_back(std::max(ns, 0.0));
}

void Costs::failed(const Row& row, double at, CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  skip(row.function + (row.classes.empty() ? "" : " " + row.classes),
       "at " + std::to_string(static_cast<long long>(at)) + " it gives " + (name ? name : "?"));
}

void Costs::skip(const std::string& what, const std::string& why) {
  if (skipped_.emplace(what, why).second)
    std::fprintf(stderr, "skipped: %s: %s\n", what.c_str(), why.c_str());
}

Firsts::~Firsts() {
  for (auto& [function, times] : times_) {
    if (times.size() < 2) continue;
    const double first = times.front();
    std::sort(times.begin() + 1, times.end());
    costs_.add({function, "", "call", "first"}, 1, first - times[1 + (times.size() - 2) / 2]);
  }
}

bool Costs::write_samples(const std::string& path, const Machine& machine) const {
  FILE* const file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  std::fprintf(file, "machine|%s|%s|%s\n", machine.gpu.c_str(), machine.driver.c_str(),
               machine.host.c_str());
  for (const auto& [row, points] : rows_)
    for (const auto& [at, times] : points) {
      std::fprintf(file, "%s|%s|%s|%s|%.0f", row.function.c_str(), row.classes.c_str(),
                   row.unit.c_str(), row.measures.c_str(), at);
      for (const double each : times) std::fprintf(file, " %.0f", each);
      std::fprintf(file, "\n");
    }
  for (const auto& [what, why] : skipped_)
    std::fprintf(file, "skipped|%s|%s\n", what.c_str(), why.c_str());
  return std::fclose(file) == 0;
}

bool Costs::add_from(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> parts;
    std::istringstream in(line);
    for (std::string part; parts.size() < 5 && std::getline(in, part, '|');) parts.push_back(part);
    if (parts.size() == 4 && parts[0] == "machine") machine_ = {parts[1], parts[2], parts[3]};
    if (parts.size() == 3 && parts[0] == "skipped") {
      skipped_.emplace(parts[1], parts[2]);
    } else if (parts.size() == 5) {
      std::istringstream numbers(parts[4]);
      double at = 0, ns = 0;
      numbers >> at;
      while (numbers >> ns) rows_[{parts[0], parts[1], parts[2], parts[3]}][at].push_back(ns);
    }
  }
  return file.eof();
}

bool Costs::write(const std::string& path, size_t processes) const {
  FILE* const file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  const std::string method =
      "bench/gpu_costs, " + std::to_string(processes) +
      " processes, one after the other: each call timed by itself with CLOCK_MONOTONIC, after two "
      "rounds that do not count; the clock's own time is taken off.";
  std::fprintf(file,
               "{\n  \"format\": 1,\n  \"gpu\": %s,\n  \"driver\": %s,\n  \"host\": %s,\n"
               "  \"method\": %s,\n",
               quoted(machine_.gpu).c_str(), quoted(machine_.driver).c_str(),
               quoted(machine_.host).c_str(), quoted(method).c_str());
  std::fprintf(file, "  \"rows\": [");
  const char* before = "\n";
  std::map<Row, std::map<double, Times>> rows;
  for (const auto& [measured, points] : rows_)
    if (const auto found = published(measured))
      for (const auto& [at, times] : points) {
        Times& all = rows[found->row][at];
        std::vector<double>& some = found->among_others ? all.among_others : all.alone;
        some.insert(some.end(), times.begin(), times.end());
      }
  for (const auto& [row, points] : rows) {
    std::fprintf(file,
                 "%s    {\"function\": %s, \"classes\": %s, \"unit\": %s, \"measures\": %s, "
                 "\"points\": [",
                 before, quoted(row.function).c_str(), words(row.classes).c_str(),
                 quoted(row.unit).c_str(), quoted(row.measures).c_str());
    before = ",\n";
    const char* between = "\n";
    for (const auto& [at, both] : points) {
      std::vector<double> times = together(both);
      std::sort(times.begin(), times.end());
      std::fprintf(
          file,
          "%s      {\"at\": %.0f, \"n\": %zu, \"p10\": %.0f, \"median\": %.0f, "
          "\"p90\": %.0f, \"mean\": %.0f}",
          between, at, times.size(), quantile(times, .1), quantile(times, .5), quantile(times, .9),
          std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()));
      between = ",\n";
    }
    std::fprintf(file, "]}");
  }
  std::fprintf(file, "\n  ],\n  \"skipped\": [");
  before = "\n";
  for (const auto& [what, why] : skipped_) {
    std::fprintf(file, "%s    {\"what\": %s, \"why\": %s}", before, quoted(what).c_str(),
                 quoted(why).c_str());
    before = ",\n";
  }
  std::fprintf(file, "%s]\n}\n", skipped_.empty() ? "" : "\n  ");
  return std::fclose(file) == 0;
}

void need(CUresult result, const char* call, const char* file, int line) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "%s:%d: %s gives %s\n", file, line, call, name ? name : "?");
  std::exit(1);
}

const char* const kernels_ptx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry spin(.param .u64 ns) {
  .reg .u64 %t<4>;
  .reg .pred %p;
  ld.param.u64 %t0, [ns];
  mov.u64 %t1, %globaltimer;
again:
  mov.u64 %t2, %globaltimer;
  sub.u64 %t3, %t2, %t1;
  setp.lt.u64 %p, %t3, %t0;
  @%p bra again;
  ret;
}
.visible .entry one(.param .u64 to) {
  .reg .u64 %a<2>;
  .reg .u32 %v;
  ld.param.u64 %a0, [to];
  cvta.to.global.u64 %a1, %a0;
  mov.u32 %v, 1;
  st.global.u32 [%a1], %v;
  ret;
}
.visible .entry large(.param .align 8 .b8 bytes[3072]) { ret; }
)";

Kernels::Kernels() {
  NEED(cuModuleLoadData(&module, kernels_ptx));
  NEED(cuModuleGetFunction(&nothing, module, "nothing"));
  NEED(cuModuleGetFunction(&spin, module, "spin"));
  NEED(cuModuleGetFunction(&one, module, "one"));
  NEED(cuModuleGetFunction(&large, module, "large"));
  NEED(launch(nothing, nullptr));
  NEED(bench::spin(*this, 1000, nullptr));
  NEED(cuCtxSynchronize());
}

Kernels::~Kernels() { cuModuleUnload(module); }

CUresult launch(CUfunction function, CUstream stream) {
  return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
}

CUresult spin(const Kernels& kernels, uint64_t ns, CUstream stream) {
  void* arguments[] = {&ns};
  return cuLaunchKernel(kernels.spin, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
}

}  // namespace cuvette::bench
