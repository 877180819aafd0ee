// SPDX-License-Identifier: Apache-2.0
// libcuvette_mpi.so: the MPI calls of `cuvette explore`, which loads it under mpirun.
//
// Threads: for a process with one thread.
#include <mpi.h>

#include <cstdint>

#define EXPORT extern "C" [[gnu::visibility("default")]]

EXPORT void cuvette_mpi_start(int* rank, int* size) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

EXPORT int64_t cuvette_mpi_least(int64_t value) {
  int64_t least = value;
  MPI_Allreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least;
}

EXPORT void cuvette_mpi_end() { MPI_Finalize(); }
