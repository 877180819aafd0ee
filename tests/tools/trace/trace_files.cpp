// SPDX-License-Identifier: Apache-2.0
// Writes traces of records that no program made: trace_files FOLDER [SEED], for perfetto_engine; or
// trace_files --launches=N, which says how large a trace of N launches is, and how long it takes.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/tools/trace/records.hpp"
#include "tools/cuvette/gzip.hpp"
#include "tools/cuvette/trace/trace.hpp"

namespace {

using namespace cuvette::tools;

void write(const std::string& folder, const std::string& name, const Record& record) {
  for (const TraceTime time : {TraceTime::order, TraceTime::wall}) {
    const std::string bytes = trace_of(record, time).bytes;
    const char* const ending = time == TraceTime::order ? ".order.pftrace" : ".wall.pftrace";
    std::ofstream(folder + "/" + name + ending, std::ios::binary) << bytes;
  }
}

void write_all(const std::string& folder, unsigned seed) {
  std::filesystem::create_directories(folder);
  std::mt19937 random(seed);
  write(folder, "hand", record_by_hand());
  write(folder, "empty", {});
  for (int number = 0; number < 8; ++number) {
    write(folder, "possible" + std::to_string(number), possible_record(random));
    write(folder, "hostile" + std::to_string(number), hostile_record(random));
  }
}

// Of the processor, which other programs do not change.
double seconds_since(clock_t begin) {
  return static_cast<double>(clock() - begin) / CLOCKS_PER_SEC;
}

void measure(unsigned launches) {
  const Record record = many_launches(launches);
  for (const TraceTime time : {TraceTime::order, TraceTime::wall}) {
    clock_t begin = clock();
    const Trace trace = trace_of(record, time);
    const double written = seconds_since(begin);
    begin = clock();
    const std::string packed = gzip_of(trace.bytes);
    printf(
        "%s: %zu slices and instants, %zu arrows: %.1f MB in %.2f s; packed %.1f MB in %.2f s "
        "more\n",
        time == TraceTime::order ? "order" : "wall ", trace.marks, trace.arrows,
        static_cast<double>(trace.bytes.size()) / 1e6, written,
        static_cast<double>(packed.size()) / 1e6, seconds_since(begin));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.starts_with("--launches=")) {
    measure(static_cast<unsigned>(atoi(first.c_str() + first.find('=') + 1)));
    return 0;
  }
  if (first.empty()) {
    fprintf(stderr, "usage: trace_files FOLDER [SEED] | --launches=N\n");
    return 2;
  }
  write_all(first, argc > 2 ? static_cast<unsigned>(atoi(argv[2])) : 1);
}
