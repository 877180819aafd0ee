// SPDX-License-Identifier: Apache-2.0
// The table that this program makes: for each row (a function and the class of its arguments)
// points of host time, and the calls that measure them.
//
// Threads: one.
#pragma once

#include <cuda.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::bench {

inline constexpr size_t kib = 1024, mib = 1024 * kib;

inline double now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// What a row is about. `classes` are words that docs/cost.md lists, separated by blanks; `unit` is
// what the positions of its points count: call, byte, resource or node. `measures` is "host", the
// time of the call; "wait", what a wait right behind it takes; "own", what a call of the runtime
// takes beside the driver's calls in it; or "first", what a process's first call takes more than
// its later ones.
struct Row {
  std::string function;
  std::string classes;
  std::string unit = "call";
  std::string measures = "host";
  auto operator<=>(const Row&) const = default;
};

struct Machine {
  std::string gpu, driver, host;
};

class Costs {
 public:
  Costs();
  void add(const Row& row, double at, double ns);
  // Calls `call`, which returns a CUresult, and adds what it took. A failure is noted, not added.
  template <typename Call>
  bool timed(const Row& row, double at, Call call) {
    const double begin = now_ns();
    const CUresult result = call();
    const double end = now_ns();
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) {
      add(row, at, end - begin - clock_);
      return true;
    }
    failed(row, at, result);
    return false;
  }
  // Runs `body` up to `most` times, for at most `seconds` but five times at least; before that
  // twice without counting.
  template <typename Body>
  void repeat(int most, double seconds, Body body) {
    counts_ = false;
    for (int i = 0; i < 2; ++i) body();
    counts_ = true;
    const double end = now_ns() + 1e9 * seconds;
    for (int i = 0; i < most && (i < 5 || now_ns() < end); ++i) body();
  }
  void skip(const std::string& what, const std::string& why);
  double clock() const { return clock_; }
  // Writes all times, for add_from(). Returns false if the file cannot be written.
  bool write_samples(const std::string& path, const Machine& machine) const;
  // Adds the times of such a file. Returns false if it cannot be read.
  bool add_from(const std::string& path);
  // Writes the table as JSON, for the machine that the samples name. Returns false if the file
  // cannot be written.
  bool write(const std::string& path, size_t processes) const;

 private:
  void failed(const Row& row, double at, CUresult result);

  double clock_ = 0;  // what reading the clock takes
  bool counts_ = true;
  std::map<Row, std::map<double, std::vector<double>>> rows_;
  std::map<std::string, std::string> skipped_;
  Machine machine_;
};

// The kernels that the measurements launch.
struct Kernels {
  Kernels();
  ~Kernels();
  CUmodule module = nullptr;
  CUfunction nothing = nullptr;  // ()
  CUfunction spin = nullptr;     // (u64 nanoseconds)
  CUfunction one = nullptr;      // (u64 address): writes four bytes
  CUfunction large = nullptr;    // (3 KiB of arguments)
};

// What first calls take more: each call is timed, and at the end the first of each function is
// compared with the median of its later ones.
class Firsts {
 public:
  explicit Firsts(Costs& costs) : costs_(costs) {}
  ~Firsts();
  template <typename Call>
  void timed(const char* function, Call call) {
    const double begin = now_ns();
    const CUresult result = call();
    const double end = now_ns();
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY)
      times_[function].push_back(end - begin);
    else
      costs_.skip(function, "its first calls fail");
  }

 private:
  Costs& costs_;
  std::map<std::string, std::vector<double>> times_;
};

// Says what failed and ends the program.
void need(CUresult result, const char* call, const char* file, int line);
#define NEED(call) ::cuvette::bench::need((call), #call, __FILE__, __LINE__)

extern const char* const kernels_ptx;
CUresult launch(CUfunction function, CUstream stream);
CUresult spin(const Kernels& kernels, uint64_t ns, CUstream stream);

// Each measures one group of functions.
void measure_rounds(Costs& costs);
void measure_questions(Costs& costs);
void measure_streams(Costs& costs);
void measure_allocations(Costs& costs);
void measure_copies(Costs& costs);
void measure_virtual_memory(Costs& costs);
void measure_interprocess(Costs& costs);
int interprocess_child(const char* folder);
void measure_vulkan(Costs& costs);
void measure_graphics(Costs& costs);
void measure_modules(Costs& costs);
void measure_graphs(Costs& costs);
void measure_runtime(Costs& costs);

// These make their context themselves: they are about what is first in a process.
void measure_first_streams(Costs& costs);
void measure_first_memory(Costs& costs);
void measure_first_copies(Costs& costs);
void measure_first_pools(Costs& costs);
void measure_first_sharing(Costs& costs);
void measure_first_graphs(Costs& costs);
void measure_first_graphics(Costs& costs);
void measure_first_questions(Costs& costs);
void measure_first_vulkan(Costs& costs);
void measure_new_streams(Costs& costs);

// The import, mapping and freeing of external memory, `fd` being a fresh descriptor of it.
// Its export and import; `classes`: what else the process uses.
void measure_sharing(Costs& costs, const std::string& classes);
void measure_import(Costs& costs, const std::string& classes, int fd, size_t size, size_t mapped);

}  // namespace cuvette::bench
