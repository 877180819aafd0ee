// SPDX-License-Identifier: Apache-2.0
// CodeCache: compiled kernels on disk, for the next run and for other processes.
//
// A file's name is the hash of all that its contents depend on, so that what is found is right and
// nothing has ever to be invalidated. Files appear as a whole, and each ends with a checksum: one
// that is damaged is as good as none.
//
// Threads: any; other processes may use the same directory.
// Invariant: the directory belongs to this user alone, because what is in it is executed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/mutex.hpp"
#include "sim/ptx/jit.hpp"

namespace cuvette::device {

class CodeCache {
 public:
  // That of CUVETTE_CACHE and CUVETTE_CACHE_SIZE.
  static CodeCache& get();

  // An empty `directory`: nothing is kept. At most `capacity` bytes are.
  CodeCache(std::string directory, uint64_t capacity)
      : directory_(std::move(directory)), capacity_(capacity) {}

  // A name made of everything given.
  class Key {
   public:
    Key& add(std::string_view text);
    Key& add(uint64_t number);
    std::string name() const;

   private:
    uint64_t low_ = 0, high_ = 0;
  };

  std::optional<ptx::CompiledKernel> find(const Key& key);
  void keep(const Key& key, const ptx::CompiledKernel& kernel) EXCLUDES(mutex_);

 private:
  bool usable() EXCLUDES(mutex_);
  std::string path(const Key& key) const;
  void make_room();

  const std::string directory_;
  const uint64_t capacity_;
  Mutex mutex_;
  std::optional<bool> usable_ GUARDED_BY(mutex_);
  // Written since the last look at all of it; the first write looks.
  std::atomic<uint64_t> written_{UINT64_MAX / 2};
};

}  // namespace cuvette::device
