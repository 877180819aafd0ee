// SPDX-License-Identifier: Apache-2.0
// CommandRecorder: puts streams, commands, what orders them and what they touch into the record of
// this process.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/log/semaphore_edges.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::check::log {

class CommandRecorder final : public device::Observer, public watch::KernelObserver {
 public:
  // Records the devices.
  explicit CommandRecorder(record::Recorder& recorder);

  void created(const device::Stream& stream) override;
  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override;
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override;
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override;
  void kernel_touched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::Footprint& footprint) override;
  void waited_for(const device::Stream& stream, uint64_t number) override;
  void synchronising(const device::Context& context, device::Streams which) override;
  void synchronised(const device::Context& context, device::Streams which) override;
  void ended(const device::Stream& stream) override;
  bool wants_edges() const override { return true; }

 private:
  uint32_t word_of(device::OperationKind kind);
  uint32_t step_of(const device::Operation& operation) const;
  uint64_t time_of_instant(const device::Stream& stream, const device::Operation& operation,
                           const record_format::Command& command) const;
  void add_edges(const device::Stream& stream, uint64_t number, const device::Operation& operation);
  void add_touches(const device::Stream& stream, uint64_t number, uint32_t step,
                   const device::Operation& operation);

  void add_semaphores(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation);

  record::Recorder& recorder_;
  // Numbers of texts, by kind.
  std::array<std::atomic<uint32_t>, static_cast<size_t>(device::last_operation_kind) + 1> words_{};
  SemaphoreEdges semaphores_;
};

}  // namespace cuvette::check::log
