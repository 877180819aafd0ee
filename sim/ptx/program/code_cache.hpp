// SPDX-License-Identifier: Apache-2.0
// CodeCache: compiled kernels on disk, for the next run and for other processes.
//
// A file's name is the hash of everything that its contents depend on, so a file that is found is
// right, and none ever needs to be invalidated. Files appear as a whole, and each ends with a
// checksum: a damaged file counts as missing.
//
// Threads: any; other processes may use the same directory.
// Invariant: the directory belongs to this user alone, because what is in it is executed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/mutex.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::ptx {

class CodeCache {
 public:
  // Returns the cache that CUVETTE_CACHE and CUVETTE_CACHE_SIZE describe.
  static CodeCache& get();

  // Keeps at most `capacity` bytes in `directory`, nothing if `directory` is empty.
  CodeCache(std::string directory, uint64_t capacity)
      : directory_(std::move(directory)), capacity_(capacity) {}

  // Hashes everything that it is given into a file's name.
  class Key {
   public:
    Key& add(std::string_view text);
    Key& add(uint64_t number);
    std::string name() const;

   private:
    uint64_t low_ = 0, high_ = 0;
  };

  std::optional<CompiledKernel> find(const Key& key);
  void keep(const Key& key, const CompiledKernel& kernel) EXCLUDES(mutex_);

 private:
  bool usable() EXCLUDES(mutex_);
  std::string path(const Key& key) const;
  void make_room();

  const std::string directory_;
  const uint64_t capacity_;
  Mutex mutex_;
  std::optional<bool> usable_ GUARDED_BY(mutex_);
  // Bytes written since the directory was last searched; starts so high that the first write
  // searches it.
  std::atomic<uint64_t> written_{UINT64_MAX / 2};
};

}  // namespace cuvette::ptx
