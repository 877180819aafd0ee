// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/ranks.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tools/cuvette/library.hpp"

namespace cuvette::tools {

std::optional<Ranks> Ranks::start() {
  Ranks ranks;
  const char* const size = getenv("OMPI_COMM_WORLD_SIZE");
  if (!size || atoi(size) <= 1) return ranks;
  const auto folder = library_folder();
  const std::string file = folder ? *folder / "libcuvette_mpi.so" : "libcuvette_mpi.so";
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    fprintf(stderr,
            "cuvette explore: mpirun has started %s processes, which need '%s': %s\n"
            "(it is built where libopenmpi-dev is installed)\n",
            size, file.c_str(), dlerror());
    return std::nullopt;
  }
  const auto start = reinterpret_cast<void (*)(int*, int*)>(dlsym(library, "cuvette_mpi_start"));
  ranks.least_ = reinterpret_cast<int64_t (*)(int64_t)>(dlsym(library, "cuvette_mpi_least"));
  ranks.end_ = reinterpret_cast<void (*)()>(dlsym(library, "cuvette_mpi_end"));
  start(&ranks.rank_, &ranks.size_);
  // The program under test may use MPI itself, and is not one of these ranks.
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}) unsetenv(variable);
  return ranks;
}

int64_t Ranks::least(int64_t value) { return least_ ? least_(value) : value; }

void Ranks::end() {
  if (end_) end_();
}

}  // namespace cuvette::tools
