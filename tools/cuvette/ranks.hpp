// SPDX-License-Identifier: Apache-2.0
// The processes that mpirun has started to explore together; without it there is one.
//
// MPI is in its own library, which is loaded under mpirun only.
// Threads: for a process with one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuvette::tools {

class Ranks {
 public:
  // Returns nothing, and says why on stderr, if mpirun has started this process and the library is
  // missing.
  static std::optional<Ranks> start();
  // Every rank calls this last.
  void end();

  int rank() const { return rank_; }
  int size() const { return size_; }
  // Returns the least value of all ranks; each rank has to call it.
  int64_t least(int64_t value);

 private:
  int rank_ = 0, size_ = 1;
  int64_t (*least_)(int64_t) = nullptr;
  void (*end_)() = nullptr;
};

}  // namespace cuvette::tools
