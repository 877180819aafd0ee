// SPDX-License-Identifier: Apache-2.0
// Digests: what the host gets, as lines of the order log, so that two runs can be compared.
//
//   copied  LANE.NUMBER[.STEP]  DIGEST  BYTES       what a copy to the host's memory wrote
//   shared  WAIT.PLACE  DIGEST  BYTES  CALL SITE    memory that the host shares with devices, as it
//                                                   is when the program has waited for everything
//
// Kernels may write to memory that the host reads: pinned, registered, managed. Their writes are
// not known, so all of such memory is compared, but only where a correct program gives the same in
// each order: when the host has waited for every command of every stream, and kernels have run.
// WAIT counts these moments, PLACE counts the allocations in the order in which they were made.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/check/log/log_file.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check::log {

class Digests final : public device::Observer {
 public:
  explicit Digests(const LogFile& file) : file_(file) {}

  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override;
  void waited_for(const device::Stream& stream, uint64_t number) override EXCLUDES(mutex_);
  void synchronised(const device::Context& context, device::Streams which) override
      EXCLUDES(mutex_);
  void ended(const device::Stream& stream) override EXCLUDES(mutex_);

 private:
  struct Progress {
    uint64_t context = 0, submitted = 0, waited = 0;
  };
  void look_if_all_is_waited_for() REQUIRES(mutex_);

  const LogFile& file_;
  Mutex mutex_;
  std::unordered_map<uint64_t, Progress> streams_ GUARDED_BY(mutex_);  // by their ids
  bool kernels_ran_ GUARDED_BY(mutex_) = false;                        // since the last look
  uint64_t waits_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::check::log
