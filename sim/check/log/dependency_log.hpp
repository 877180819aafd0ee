// SPDX-License-Identifier: Apache-2.0
// DependencyLog: writes the lines of the order log from which `cuvette explore` knows which orders
// are the same.
//
// Two commands may change places without a difference if they touch different memory, or only read
// it. Lines, after the `queued` line of a command:
//
//   after    LANE.NUMBER  LANE.NUMBER ...   it waits for these commands of other streams
//   touches  LANE.NUMBER  read|write  MEMORY  BEGIN  END
//                                           bytes of an allocation or a segment
//   seen     LANE.NUMBER                    the host may see these bytes at any time
//   opaque   LANE.NUMBER  [kernels]         it may touch anything; `kernels`: because of kernels
//   steps    LANE.NUMBER                    steps of its graph that nothing orders may touch the
//                                           same memory
//   watched  LANE.NUMBER                    it has run, and what its kernels touched was written
//   waited   LANE.NUMBER  THREAD            a thread knows that it is completed
//   waited   *  CONTEXT  THREAD             and so is everything that the context had
//
// Threads: any.
#pragma once

#include <string>

#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/log/log_file.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check::log {

class DependencyLog final : public device::Observer, public watch::KernelObserver {
 public:
  // `kernels_are_watched`: what they touch will be known.
  DependencyLog(const LogFile& file, bool kernels_are_watched)
      : file_(file), kernels_are_watched_(kernels_are_watched) {}

  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override;
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override;
  void kernel_touched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::Footprint& footprint) override;
  void waited_for(const device::Stream& stream, uint64_t number) override;
  void synchronised(const device::Context& context, device::Streams which) override;
  bool wants_edges() const override { return true; }

 private:
  const LogFile& file_;
  const bool kernels_are_watched_;
};

}  // namespace cuvette::check::log
