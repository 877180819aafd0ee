// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "sim/config.hpp"
#include "sim/device/capture.hpp"
#include "sim/device/device.hpp"
#include "sim/device/kernel_system_calls.hpp"
#include "sim/device/kernel_textures.hpp"
#include "sim/device/machine.hpp"
#include "sim/device/occupancy.hpp"
#include "sim/exec/kernel_helpers.hpp"
#include "sim/exec/poller.hpp"

namespace cuvette::device {
namespace {

using exec::GridFault;
using memory::Allocation;
using memory::AllocationKind;

bool memcheck() {
  static const bool wanted = config().memcheck;
  return wanted;
}

size_t value(const Profile& profile, Attribute attribute) {
  return static_cast<size_t>(profile.value(attribute));
}

}  // namespace

Error error_of(GridFault::Kind kind) {
  switch (kind) {
    case GridFault::Kind::illegal_address:
    case GridFault::Kind::lost_page:
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

// --- The call ------------------------------------------------------------------------------------

namespace {

Result<> check_cluster(const Function& function, const LaunchShape& shape) {
  uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    const uint32_t wanted =
        std::max(shape.cluster[i] ? shape.cluster[i] : function.syntax().reqnctapercluster[i], 1u);
    if (shape.grid[i] % wanted != 0)
      return refuse(Error::invalid_cluster_size,
                    "A grid of %u blocks in %c does not consist of clusters of %u.", shape.grid[i],
                    'x' + i, wanted);
    blocks *= wanted;
  }
  constexpr uint64_t portable = 8, most = 16;
  const bool any = function.settings().non_portable_cluster.load(std::memory_order_relaxed) != 0;
  if (blocks > (any ? most : portable))
    return refuse(Error::invalid_cluster_size,
                  "A cluster of %llu blocks: %llu are possible on all devices, and %llu with "
                  "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED.",
                  static_cast<unsigned long long>(blocks),
                  static_cast<unsigned long long>(portable), static_cast<unsigned long long>(most));
  if (blocks > 1)
    return refuse(Error::not_supported,
                  "Clusters of several thread blocks (distributed shared memory) are not "
                  "implemented: the cluster has %llu.",
                  static_cast<unsigned long long>(blocks));
  return {};
}

}  // namespace

Result<> check_shape(const Function& function, const CompiledCode& code, const LaunchShape& shape) {
  const Profile& profile = function.context()->device().profile();
  constexpr Attribute grid_limits[] = {Attribute::MAX_GRID_DIM_X, Attribute::MAX_GRID_DIM_Y,
                                       Attribute::MAX_GRID_DIM_Z};
  constexpr Attribute block_limits[] = {Attribute::MAX_BLOCK_DIM_X, Attribute::MAX_BLOCK_DIM_Y,
                                        Attribute::MAX_BLOCK_DIM_Z};
  for (int i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.grid[i] > value(profile, grid_limits[i]))
      return refuse(Error::invalid_value, "A grid of %u blocks in %c: 1 to %zu are possible.",
                    shape.grid[i], 'x' + i, value(profile, grid_limits[i]));
    if (shape.block[i] == 0 || shape.block[i] > value(profile, block_limits[i]))
      return refuse(Error::invalid_value, "A block of %u threads in %c: 1 to %zu are possible.",
                    shape.block[i], 'x' + i, value(profile, block_limits[i]));
  }
  const uint64_t threads = shape.threads();
  if (threads > value(profile, Attribute::MAX_THREADS_PER_BLOCK))
    return refuse(Error::invalid_value, "A block of %llu threads: %zu are the most.",
                  static_cast<unsigned long long>(threads),
                  value(profile, Attribute::MAX_THREADS_PER_BLOCK));
  const ptx::Function& syntax = function.syntax();
  // .maxntid and .reqntid: a promise of the kernel's launches.
  const uint64_t most = uint64_t{std::max(syntax.maxntid[0], 1u)} *
                        std::max(syntax.maxntid[1], 1u) * std::max(syntax.maxntid[2], 1u);
  if (syntax.maxntid[0] > 0 && threads > most)
    return refuse(Error::invalid_value,
                  "A block of %llu threads: the kernel is made for %llu at most (.maxntid).",
                  static_cast<unsigned long long>(threads), static_cast<unsigned long long>(most));
  for (int i = 0; i < 3; ++i)
    if (syntax.reqntid[0] > 0 && shape.block[i] != std::max(syntax.reqntid[i], 1u))
      return refuse(Error::invalid_value,
                    "A block of %u threads in %c: the kernel asks for %u (.reqntid).",
                    shape.block[i], 'x' + i, std::max(syntax.reqntid[i], 1u));

  const size_t allowed = function.settings().most_dynamic_shared();
  if (shape.dynamic_shared > allowed)
    return refuse(
        Error::invalid_value,
        "%u bytes of dynamic shared memory: the kernel may have %zu; "
        "cuFuncSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) allows more.",
        shape.dynamic_shared, allowed);

  TRY(check_cluster(function, shape));
  if (shape.cooperative) {
    const uint64_t resident =
        uint64_t{blocks_per_multiprocessor(profile, threads,
                                           size_t{code.shared_bytes} + shape.dynamic_shared)} *
        value(profile, Attribute::MULTIPROCESSOR_COUNT);
    if (shape.blocks() > resident)
      return refuse(Error::cooperative_launch_too_large,
                    "A cooperative grid of %llu blocks: the device holds %llu such blocks at a "
                    "time.",
                    static_cast<unsigned long long>(shape.blocks()),
                    static_cast<unsigned long long>(resident));
  }
  return {};
}

KernelCall::KernelCall(Ref<Function> function, const Profile& profile, const CompiledCode& code,
                       const LaunchShape& shape, size_t parameter_bytes)
    : function_(std::move(function)), code_(code), shape_(shape) {
  multiprocessors_ = static_cast<uint32_t>(value(profile, Attribute::MULTIPROCESSOR_COUNT));
  clock_khz_ = static_cast<uint32_t>(value(profile, Attribute::CLOCK_RATE));
  if (may_wait())
    most_resident_ =
        std::max(1u, blocks_per_multiprocessor(profile, shape.threads(),
                                               size_t{code.shared_bytes} + shape.dynamic_shared)) *
        uint64_t{multiprocessors_};
  parameter_bytes_ = parameter_bytes;
  // Code may read the last one with more bytes than it has.
  const size_t room = (parameter_bytes + 15) / 16 * 16 + 16;
  if (room > sizeof few_) {
    many_ = std::make_unique<std::byte[]>(room);
    parameters_ = many_.get();
  } else {
    memset(few_, 0, room);
  }
}

KernelCall::KernelCall(const Profile& profile, const CompiledCode& code, const LaunchShape& shape,
                       std::span<const std::byte> parameters)
    : KernelCall(nullptr, profile, code, shape, parameters.size()) {
  std::copy(parameters.begin(), parameters.end(), parameters_);
}

Result<Ref<KernelCall>> KernelCall::make(Ref<Function> function, const LaunchShape& shape,
                                         const ParameterValues& values) {
  const ParameterLayout& layout = function->parameters();
  if (values.each && values.block)
    return refuse(Error::invalid_value,
                  "Parameters come one by one or in a buffer, and not in both ways.");
  if (!layout.parameters.empty() && !values.each && !values.block)
    return refuse(Error::invalid_value, "The kernel has %zu parameters, and none is given.",
                  layout.parameters.size());
  // As an H100 has it: what a buffer does not reach is zero, and one that is too long is no error
  // of the value.
  if (values.block && values.block_bytes == 0 && layout.bytes > 0)
    return refuse(Error::invalid_value, "The buffer of parameters has no bytes.");
  if (values.block && values.block_bytes > layout.bytes)
    return refuse(Error::launch_out_of_resources,
                  "A buffer of %zu bytes of parameters: the kernel has %zu.", values.block_bytes,
                  size_t{layout.bytes});
  const CompiledCode* const code =
      TRY(function->compiled(ptx::BlockClass::of(shape.block[0], shape.block[1], shape.block[2])));
  TRY(check_shape(*function, *code, shape));
  const Profile& profile = function->context()->device().profile();
  BoundReferences references;
  if (function->module()->has_references()) references = TRY(function->module()->bind_references());
  auto call = Ref<KernelCall>::adopt(
      new KernelCall(std::move(function), profile, *code, shape, layout.bytes));
  call->references_ = std::move(references);
  if (values.block) {
    memcpy(call->parameters_, values.block, std::min<size_t>(values.block_bytes, layout.bytes));
  } else {
    for (size_t i = 0; i < layout.parameters.size(); ++i) {
      const ParameterLayout::Parameter& one = layout.parameters[i];
      if (!values.each[i])
        return refuse(Error::invalid_value, "The address of parameter %zu is null.", i);
      memcpy(call->parameters_ + one.offset, values.each[i], one.bytes);
    }
  }
  return call;
}

std::string_view KernelCall::name() const {
  if (!function_) return "?";
  return function_->name();
}

// --- The launch ----------------------------------------------------------------------------------

Result<> launch(Stream& stream, Ref<KernelCall> call, const void* call_site) {
  Context& context = stream.context();
  if (call->function() && call->function()->context().get() != &context)
    return refuse(Error::invalid_handle,
                  "The stream is another context's than the kernel's module.");
  if (TRY(Capture::takes(stream)))
    return Capture::add(stream, NodeType::kernel, KernelWork{std::move(call), nullptr});
  context.prints().flush();
  context.submit(stream, KernelLaunch(std::move(call), context, nullptr, call_site));
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

// Behind a thread's variables. What a call keeps there is more than what the GPU's compiler keeps,
// so that what is deep enough there is so here.
uint32_t stack_bytes(const Context& context, const CompiledCode& code) {
  constexpr int stack_size = 0;  // CU_LIMIT_STACK_SIZE
  constexpr size_t per_byte = 4, most = 16 << 20;
  if (!code.machine || !code.machine->facts.uses_stack) return 0;
  const auto limit = context.limit(stack_size);
  return static_cast<uint32_t>(std::min(most, per_byte * (limit.ok() ? limit.value() : 1024)));
}

// How much of shared memory a block may touch. An H200 gives it out in whole units, behind what it
// keeps for itself, and lets kernels read and write all of that.
uint32_t shared_bytes(uint32_t reserved, uint32_t wanted) {
  if (memcheck()) return reserved + wanted;
  const size_t units = (size_t{wanted} + shared_unit - 1) / shared_unit;
  return reserved + static_cast<uint32_t>(units * shared_unit);
}

}  // namespace

struct KernelLaunch::Running {
  explicit Running(KernelLaunch& run) : launch(launch_of(run)), grid(launch, run) {}

  static exec::GridLaunch launch_of(const KernelLaunch& run) {
    static constinit std::atomic<uint64_t> grids{0};
    const KernelCall& call = *run.call_;
    const LaunchShape& shape = call.shape_;
    const memory::AddressSpace& memory = Machine::get().memory();
    exec::GridLaunch launch;
    launch.entry = call.code_.entry;
    launch.needs.frame_bytes = call.code_.frame_bytes;
    launch.needs.local_bytes = call.code_.local_bytes + stack_bytes(*run.context_, call.code_);
    launch.needs.shared_bytes =
        shared_bytes(call.code_.shared_reserved, call.code_.shared_bytes + shape.dynamic_shared);
    launch.needs.fill_shared = memory.fill() == memory::Fill::all;
    std::copy_n(shape.grid, 3, launch.grid);
    std::copy_n(shape.block, 3, launch.block);
    launch.dynamic_shared_bytes = shape.dynamic_shared;
    launch.parameters = call.parameters();
    launch.symbols = call.code_.symbols;
    launch.helpers = &kernel_helpers();
    if (!memcheck()) {
      const auto window = memory.window(run.context_->device().ordinal());
      launch.window_base = window.begin;
      launch.window_bytes = window.size;
    }
    launch.grid_id = grids.fetch_add(1, std::memory_order_relaxed) + 1;
    launch.multiprocessors = call.multiprocessors_;
    launch.clock_khz = call.clock_khz_;
    launch.most_resident = shape.cooperative ? shape.blocks() : call.most_resident_;
    launch.cooperative = shape.cooperative;
    if (call.function_) launch.block_ns = &call.function_->block_ns;
    return launch;
  }

  const exec::GridLaunch launch;
  exec::Grid grid;
};

Progress KernelLaunch::step(OperationRunner& runner) {
  // A fault ends all kernels of its context, those that wait for others, too.
  if (context_->error()) return ended(nullptr);
  runner_ = &runner;
  if (!call_->may_wait()) {
    Running running(*this);
    while (running.grid.run() == exec::Grid::Progress::waiting) {
    }
    return ended(running.grid.fault());
  }
  if (!running_) running_ = std::make_unique<Running>(*this);
  if (running_->grid.run() == exec::Grid::Progress::waiting)
    return Progress::blocked(running_->grid.pause());
  return ended(running_->grid.fault());
}

Progress KernelLaunch::ended(const GridFault* fault) {
  if (fault) {
    // First: a program that sees the error and ends at once has been told why.
    const Observers& observers = Machine::get().observers();
    const Stream& stream = runner_->stream();
    const uint64_t number = runner_->number();
    const Operation& self = *this;
    if (fault->kind == GridFault::Kind::lost_page) {
      observers.notify(&Observer::faulted, stream, number, self, fault->memory);
    } else {
      observers.notify(&Observer::kernel_faulted, stream, number, self, *call_, *fault);
    }
    context_->fail(error_of(fault->kind));
  }
  // Where it is a step of a loop, the next launch is a new one.
  delete textures_.exchange(nullptr, std::memory_order_acq_rel);
  running_ = nullptr;
  return Progress::done();
}

std::optional<exec::GridRange> KernelLaunch::range_of(uint64_t address, bool write) {
  Machine& machine = Machine::get();
  if (const auto heap = context_->heap().find(address))
    return exec::GridRange{heap->begin, heap->end, true};
  const Ref<Allocation> found = machine.memory().find(address);
  if (!found || !machine.peers().may_access(*context_, *found)) return std::nullopt;
  bool writable = true;
  if (found->kind == AllocationKind::mapping) {
    const memory::Access access = found->access.load(std::memory_order_acquire);
    if (access == memory::Access::none) return std::nullopt;
    writable = access == memory::Access::read_write;
  }
  constexpr uint32_t read_only = 8;  // CU_MEMHOSTREGISTER_READ_ONLY
  if (found->kind == AllocationKind::registered && (found->flags & read_only)) writable = false;
  if (write && !writable) return std::nullopt;
  if (found->kind == AllocationKind::external || found->kind == AllocationKind::imported ||
      found->kind == AllocationKind::shared)
    // Who shrinks its file raises SIGBUS in the kernel: our handler must be in front.
    os::watch_faults(machine.fault_hook());
  return exec::GridRange{found->address, found->end(), writable};
}

uint32_t KernelLaunch::system_call(exec::Block& block, ptx::SystemCall function, uint64_t* results,
                                   const uint64_t* parameters, uint32_t mask, uint32_t warp,
                                   uint64_t location) {
  return kernel_system_call(*context_, conditions_, block, function, results, parameters, mask,
                            warp, location);
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
