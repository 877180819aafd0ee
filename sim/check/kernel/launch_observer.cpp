// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/launch_observer.hpp"

#include <utility>

#include "sim/base/config.hpp"
#include "sim/check/kernel/aliased_memory.hpp"
#include "sim/check/kernel/tracks.hpp"
#include "sim/check/kernel/written_memory.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/exec/grid.hpp"
#include "sim/exec/grid_counts.hpp"

namespace cuvette::watch {

using device::KernelLaunch;
using device::Machine;
using memory::AddressSpace;

namespace {

std::span<const ptx::NumberedAccess> accesses_of(const KernelLaunch& launch) {
  const ptx::MachineCode* const code = launch.call().code().machine;
  return code ? std::span(code->facts.accesses) : std::span<const ptx::NumberedAccess>();
}

AddressSpace::Window window_of(const KernelLaunch& launch) {
  return Machine::get().memory().window(launch.context().device().ordinal());
}

std::unique_ptr<KernelWatch> watch_of(const KernelLaunch& launch, bool notes_touched) {
  Machine& machine = Machine::get();
  const Needs needs = machine.needs();
  if (!needs.has(Needs::accesses)) return nullptr;
  WatchFor what;
  what.races = notes_touched || needs.has(Needs::footprints);
  what.meetings = needs.has(Needs::meetings);
  what.adversary = config().aliases == Aliases::adversary;
  if (what.adversary || needs.has(Needs::aliases)) what.aliases = aliased_memory(machine.memory());
  what.written = WrittenMemory::get();
  const AddressSpace::Window window = window_of(launch);
  what.window = {window.begin, window.size};
  what.accesses = accesses_of(launch);
  return std::make_unique<KernelWatch>(static_cast<uint32_t>(launch.call().shape().threads()),
                                       std::move(what));
}

std::unique_ptr<Tracks> tracks_of(const KernelLaunch& launch) {
  const Needs needs = Machine::get().needs();
  if (!needs.tracks()) return nullptr;
  const AddressSpace::Window window =
      needs.has(Needs::bounds) ? AddressSpace::Window{} : window_of(launch);
  return std::make_unique<Tracks>(window.begin, window.size, accesses_of(launch));
}

std::unique_ptr<exec::GridCounts> counts_of(const KernelLaunch& launch) {
  const ptx::MachineCode* const code = launch.call().code().machine;
  if (!code || !Machine::get().needs().has(Needs::counts)) return nullptr;
  return std::make_unique<exec::GridCounts>(code->facts.counters);
}

}  // namespace

class LaunchObserver::Watch final : public device::LaunchWatch {
 public:
  Watch(const device::ObserverList<KernelObserver>& observers, const device::Stream& stream,
        uint64_t number, const KernelLaunch& launch)
      : observers_(observers),
        stream_(stream),
        number_(number),
        launch_(launch),
        watch_(watch_of(launch, observers.any(&KernelObserver::wants_touched))),
        tracks_(tracks_of(launch)),
        counts_(counts_of(launch)) {}

  exec::GridWatch* accesses() override { return watch_.get(); }
  exec::GridTracks* tracks() override { return tracks_.get(); }
  exec::GridCounts* counts() override { return counts_.get(); }

  void pauses(exec::Grid& grid) override {
    if (!watch_) return;
    if (watch_->goes_on(grid.waited_ns())) grid.has_moved();
    grid.each_waiting([this](exec::Block& block) { watch_->follow_changes(block); });
    tell(&KernelObserver::kernel_waits, *watch_, grid.waited_ns());
  }

  void ends() override {
    const device::LaunchShape& shape = launch_.call().shape();
    if (watch_) {
      watch_->end(shape.blocks() * shape.threads());
      tell(&KernelObserver::kernel_watched, *watch_);
      if (Machine::get().needs().has(Needs::footprints))
        tell<Footprint>(&KernelObserver::kernel_touched, watch_->races());
    }
    if (tracks_) {
      tracks_->end();
      tell<Footprint>(&KernelObserver::kernel_touched, *tracks_);
    }
    if (counts_) tell<exec::Counts>(&KernelObserver::kernel_counted, counts_->sum());
  }

 private:
  template <typename Seen, typename Member, typename... More>
  void tell(Member member, const Seen& seen, const More&... more) const {
    observers_.notify(member, stream_, number_, static_cast<const device::Operation&>(launch_),
                      launch_.call(), seen, more...);
  }

  const device::ObserverList<KernelObserver>& observers_;
  const device::Stream& stream_;
  const uint64_t number_;
  const KernelLaunch& launch_;
  const std::unique_ptr<KernelWatch> watch_;
  const std::unique_ptr<Tracks> tracks_;
  const std::unique_ptr<exec::GridCounts> counts_;
};

LaunchObserver& LaunchObserver::get() {
  static auto* const instance = new LaunchObserver;
  return *instance;
}

std::unique_ptr<device::LaunchWatch> LaunchObserver::watch_launch(
    const device::Stream& stream, uint64_t number, const device::Operation& operation) {
  return std::make_unique<Watch>(observers_, stream, number,
                                 static_cast<const KernelLaunch&>(operation));
}

}  // namespace cuvette::watch
