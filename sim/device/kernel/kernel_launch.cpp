// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/kernel_launch.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "sim/callsite/symbol.hpp"
#include "sim/device/kernel/kernel_helpers.hpp"
#include "sim/device/kernel/kernel_system_calls.hpp"
#include "sim/device/kernel/kernel_textures.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/model/occupancy.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/operation_fault.hpp"
#include "sim/device/stream/peer_access.hpp"
#include "sim/exec/grid_tracks.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/os/clock.hpp"

namespace cuvette::device {
namespace {

using exec::GridFault;
using memory::Allocation;
using memory::AllocationKind;

bool needs(Needs::Kind kind) { return Machine::get().needs().has(kind); }

// A kernel's accesses to host memory are known when it has run. So that the host's next accesses
// there are seen in any case, a launch returns when the kernel has ended, if that is soon: a kernel
// may wait for the program's next action, and a schedule may hold it back.
void let_run(const Stream& stream, uint64_t number) {
  constexpr int64_t soon_ns = 100'000'000;
  if (exec::Scheduler::get() || !stream.reached(number - 1)) return;
  const int64_t end = os::now_ns() + soon_ns;
  while (!stream.reached(number) && os::now_ns() < end) std::this_thread::yield();
}

}  // namespace

Error error_of(GridFault::Kind kind) {
  switch (kind) {
    case GridFault::Kind::illegal_address:
    case GridFault::Kind::lost_page:
    case GridFault::Kind::no_function:
      return Error::illegal_address;
    case GridFault::Kind::misaligned:
      return Error::misaligned_address;
    case GridFault::Kind::assertion:
      return Error::assert;
    case GridFault::Kind::stuck:
      return Error::launch_timeout;
    case GridFault::Kind::not_supported:
      return Error::not_supported;
    case GridFault::Kind::trap:
    case GridFault::Kind::breakpoint:
      break;
  }
  return Error::launch_failed;
}

std::string_view kernel_name(const Operation& operation) {
  if (operation.kind != OperationKind::kernel) return {};
  return static_cast<const KernelLaunch&>(operation).call().name();
}

std::string describe(const Operation& operation) {
  const std::string kernel(kernel_name(operation));
  return name(operation.kind) +
         (kernel.empty() ? "" : " " + callsite::readable_name(kernel.c_str()));
}

Result<> check_launch(const Stream& stream, const KernelCall& call) {
  if (call.function() && call.function()->context().get() != &stream.context())
    return refuse(Error::invalid_handle,
                  "The stream and the kernel's module belong to different contexts.");
  return {};
}

Result<> launch(Stream& stream, Ref<KernelCall> call, const void* call_site) {
  TRY(check_launch(stream, *call));
  Context& context = stream.context();
  context.prints().flush();
  const uint64_t number =
      context.submit(stream, KernelLaunch(std::move(call), context, nullptr, call_site));
  if (needs(Needs::host_threads)) [[unlikely]]
    let_run(stream, number);
  return {};
}

KernelLaunch::KernelLaunch(Ref<KernelCall> call, Context& context, GraphConditions* conditions,
                           const void* call_site)
    : OperationOf(OperationKind::kernel, call_site),
      call_(std::move(call)),
      context_(&context),
      conditions_(conditions) {
  context_->kernels.begin();
}

KernelLaunch::KernelLaunch(KernelLaunch&& other) noexcept
    : OperationOf(std::move(other)),
      call_(std::move(other.call_)),
      context_(std::exchange(other.context_, nullptr)),
      conditions_(other.conditions_) {}

KernelLaunch::~KernelLaunch() {
  delete textures_.load(std::memory_order_acquire);
  if (context_) context_->kernels.end();
}

namespace {

// The stack after a thread's variables. Calls need more of it than on a GPU, so it is larger: a
// recursion that fits there fits here.
uint32_t stack_bytes(const Context& context, const CompiledCode& code) {
  constexpr size_t per_byte = 4, most = 16 << 20;
  if (!code.machine || !code.machine->facts.uses_stack) return 0;
  const auto limit = context.limit(Limit::stack_size);
  return static_cast<uint32_t>(std::min(most, per_byte * (limit.ok() ? limit.value() : 1024)));
}

// How much shared memory a block may touch. An H200 allocates it in whole units, after a part that
// it keeps for itself, and lets kernels read and write all of it.
uint32_t shared_bytes(uint32_t reserved, uint32_t wanted) {
  if (needs(Needs::bounds)) return reserved + wanted;
  const size_t units = (size_t{wanted} + shared_unit - 1) / shared_unit;
  return reserved + static_cast<uint32_t>(units * shared_unit);
}

}  // namespace

struct KernelLaunch::Running {
  explicit Running(KernelLaunch& run)
      : watch(watch_of(run)), launch(launch_of(run, watch.get())), grid(launch, run) {}

  // Returns null if nothing observes this launch.
  static std::unique_ptr<LaunchWatch> watch_of(const KernelLaunch& run) {
    if (!Machine::get().needs().launches()) [[likely]]
      return nullptr;
    return observers().ask(&Observer::watch_launch, run.runner_->stream(), run.runner_->number(),
                           run);
  }

  static memory::AddressSpace::Window window_of(const KernelLaunch& run) {
    if (needs(Needs::bounds)) return {};
    return Machine::get().memory().window(run.context_->device().ordinal());
  }

  static exec::GridLaunch launch_of(const KernelLaunch& run, LaunchWatch* watch) {
    static constinit std::atomic<uint64_t> grids{0};
    const KernelCall& call = *run.call_;
    const LaunchShape& shape = call.shape_;
    const memory::AddressSpace& memory = Machine::get().memory();
    exec::GridLaunch launch;
    launch.entry = call.code_.entry;
    launch.needs.frame_bytes = call.code_.frame_bytes;
    launch.needs.local_bytes = call.code_.local_bytes + stack_bytes(*run.context_, call.code_);
    launch.needs.alignment = call.code_.memory_alignment;
    launch.needs.shared_bytes =
        shared_bytes(call.code_.shared_reserved, call.code_.shared_bytes + shape.dynamic_shared);
    launch.needs.fill_shared = memory.fill() == memory::Fill::all;
    std::copy_n(shape.grid, 3, launch.grid);
    std::copy_n(shape.block, 3, launch.block);
    launch.dynamic_shared_bytes = shape.dynamic_shared;
    launch.parameters = call.parameters();
    launch.symbols = call.code_.symbols;
    launch.helpers = &kernel_helpers();
    if (watch) [[unlikely]] {
      launch.watch = watch->accesses();
      launch.tracks = watch->tracks();
      launch.counts = watch->counts();
    }
    const auto window = window_of(run);
    launch.window_base = window.begin;
    // Tracks in the window go to sheets.
    launch.window_bytes = launch.tracks && launch.tracks->bytes() == 0 ? 0 : window.size;
    launch.grid_id = grids.fetch_add(1, std::memory_order_relaxed) + 1;
    launch.multiprocessors = call.multiprocessors_;
    launch.clock_khz = call.clock_khz_;
    launch.most_resident = shape.cooperative ? shape.blocks() : call.most_resident_;
    launch.cooperative = shape.cooperative;
    if (call.function_) launch.block_ns = &call.function_->block_ns;
    launch.order = order_of(run);
    return launch;
  }

  // A schedule decides in which order its blocks and warps run.
  static exec::KernelOrder order_of(const KernelLaunch& run) {
    exec::Scheduler* const scheduler = exec::Scheduler::get();
    if (!scheduler) [[likely]]
      return 0;
    const Stream& stream = run.runner_->stream();
    const LaunchShape& shape = run.call_->shape();
    const uint64_t warps = (shape.threads() + ptx::warp_size - 1) / ptx::warp_size;
    if (!stream.lane() || shape.blocks() * warps == 1) return 0;
    const uint64_t number = run.runner_->number();
    const exec::KernelOrder order = scheduler->kernel_order(*stream.lane(), number);
    observers().notify(&Observer::grid_started, stream, number, shape.blocks(), warps, order);
    return order;
  }

  const std::unique_ptr<LaunchWatch> watch;
  const exec::GridLaunch launch;
  exec::Grid grid;
};

Progress KernelLaunch::step(OperationRunner& runner) {
  // A fault ends all kernels of its context, including kernels that wait for others. Their watches
  // may have seen why they waited.
  if (context_->error()) return ended(nullptr, running_.get());
  runner_ = &runner;
  if (call_->function()) context_->kernels.runs(call_->function()->kept_name());
  if (!call_->may_wait()) {
    Running running(*this);
    while (running.grid.run() == exec::Grid::Progress::waiting) {
    }
    return ended(running.grid.fault(), &running);
  }
  if (!running_) running_ = std::make_unique<Running>(*this);
  if (running_->grid.run() == exec::Grid::Progress::waiting) {
    exec::Edge pause = running_->grid.pause();
    if (running_->watch) running_->watch->pauses(running_->grid);
    return Progress::blocked(std::move(pause));
  }
  return ended(running_->grid.fault(), running_.get());
}

Progress KernelLaunch::ended(const GridFault* fault, Running* running) {
  context_->kernels.runs(nullptr);
  if (running && running->watch) running->watch->ends();
  if (fault) {
    const Operation& self = *this;
    if (fault->kind == GridFault::Kind::lost_page) {
      report_fault(*runner_, self, fault->memory);
    } else {
      // First, so that a program which sees the error and ends at once has already got the report.
      observers().notify(&Observer::kernel_faulted, runner_->stream(), runner_->number(), self,
                         *fault);
      context_->fail(error_of(fault->kind));
    }
  }
  // In the body of a loop the next launch is a new one.
  delete textures_.exchange(nullptr, std::memory_order_acq_rel);
  running_ = nullptr;
  return Progress::done();
}

std::optional<exec::GridRange> KernelLaunch::range_of(uint64_t address, bool write) {
  Machine& machine = Machine::get();
  if (context_->heap().contains(address)) {
    const auto part = context_->heap().accessible(address);
    if (!part) return std::nullopt;
    return exec::GridRange{part->begin, part->end, true, part->lasts};
  }
  const Ref<Allocation> found = machine.memory().find_in_use(address);
  if (!found || !may_access(*context_, *found)) return std::nullopt;
  if (needs(Needs::bounds) && found->is_absent()) return std::nullopt;
  bool writable = true;
  if (found->kind == AllocationKind::mapping) {
    // Mappings lie outside of every window, so each access to them asks, and windows cost nothing.
    const memory::Access access = found->access_of(context_->device().ordinal());
    if (access == memory::Access::none) return std::nullopt;
    writable = access == memory::Access::read_write;
  }
  if (found->kind == AllocationKind::registered &&
      (found->flags & memory::register_flag::read_only))
    writable = false;
  if (write && !writable) return std::nullopt;
  if (found->kind == AllocationKind::external || found->kind == AllocationKind::imported ||
      found->kind == AllocationKind::shared)
    // A process that shrinks the file causes SIGBUS in the kernel: our handler must be in front.
    os::watch_faults(machine.fault_hook());
  return exec::GridRange{found->address, found->end(), writable};
}

uint32_t KernelLaunch::system_call(exec::Block& block, ptx::SystemCall function, uint64_t* results,
                                   const uint64_t* parameters, uint32_t mask, uint32_t warp,
                                   uint64_t location) {
  const SystemCaller caller{*context_,         call_->name(),     conditions_,
                            runner_->stream(), runner_->number(), call_site};
  const uint32_t status =
      kernel_system_call(caller, block, function, results, parameters, mask, warp, location);
  // The device runtime's functions that answer through a pointer.
  if (block.watch && function >= ptx::SystemCall::__cudaCDP2DeviceGetAttribute &&
      function <= ptx::SystemCall::__cudaCDP2Malloc && ptx::parameters_of(function) > 0)
    for (uint32_t lane = 0; lane < ptx::warp_size; ++lane)
      if (mask >> lane & 1) block.watch->written(block, parameters[lane], sizeof(uint64_t));
  return status;
}

KernelTextures& KernelLaunch::textures() {
  KernelTextures* known = textures_.load(std::memory_order_acquire);
  if (known) [[likely]]
    return *known;
  auto made = std::make_unique<KernelTextures>(*context_, *call_, runner_->stream(),
                                               runner_->number(), call_site);
  if (textures_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *known;
}

uint32_t KernelLaunch::texture(exec::Block& block, uint32_t operation, const uint64_t* handles,
                               const uint32_t* operands, uint32_t* results, uint32_t mask,
                               uint32_t warp, uint64_t location) {
  return textures().read(block, operation, handles, operands, results, mask, warp, location);
}

uint32_t KernelLaunch::surface(exec::Block& block, uint32_t operation, const uint64_t* handles,
                               const uint32_t* operands, uint32_t* texels, uint32_t mask,
                               uint32_t warp, uint64_t location) {
  return textures().access(block, operation, handles, operands, texels, mask, warp, location);
}

}  // namespace cuvette::device
