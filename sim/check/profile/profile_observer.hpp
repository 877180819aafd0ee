// SPDX-License-Identifier: Apache-2.0
// ProfileObserver: adds up what kernels count, and keeps it in a file of this process in the folder
// of CUVETTE_PROFILE, which `cuvette profile` reads.
//
// The file is a line of JSON about the process, and one for each kernel. It is replaced as a whole
// when kernels have ended, as often as takes a small part of the time, and at the end of the
// process; so what a process that is killed has counted is there but for its last moments.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/profile/kernel_profile.hpp"

namespace cuvette::profile {

class ProfileObserver final : public watch::KernelObserver {
 public:
  // The process's, never destroyed; null if CUVETTE_PROFILE does not ask for it.
  static ProfileObserver* get();

  explicit ProfileObserver(std::string folder);

  void kernel_counted(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const exec::Counts& counts) override EXCLUDES(mutex_);
  // Writes what has not been written yet.
  void process_ends() EXCLUDES(mutex_);

 private:
  void write() REQUIRES(mutex_);

  const std::string file_, head_;
  Mutex mutex_;
  using Key = std::pair<const ptx::Program*, std::string>;  // and the kernel's name
  std::map<Key, std::unique_ptr<KernelProfile>> kernels_ GUARDED_BY(mutex_);
  bool changed_ GUARDED_BY(mutex_) = false, failed_ GUARDED_BY(mutex_) = false;
  int64_t written_at_ GUARDED_BY(mutex_) = 0, took_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::profile
