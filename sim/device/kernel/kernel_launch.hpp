// SPDX-License-Identifier: Apache-2.0
// KernelLaunch: the operation that runs a kernel.
//
// Threads: its runner's; the workers that join in call it back (exec::GridHost).
// Invariant: a launch that exists counts in its context, so memory that it might touch waits for
// it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/kernel/graph_conditions.hpp"
#include "sim/device/kernel/kernel_call.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/exec/grid.hpp"

namespace cuvette::device {

class Context;
class KernelTextures;
class Stream;

class KernelLaunch final : public OperationOf<KernelLaunch>, private exec::GridHost {
 public:
  // `conditions` outlives it; null for a launch that is not a step of a graph.
  KernelLaunch(Ref<KernelCall> call, Context& context, GraphConditions* conditions,
               const void* call_site);
  KernelLaunch(KernelLaunch&& other) noexcept;  // before it has begun
  ~KernelLaunch() override;

  const KernelCall& call() const { return *call_; }
  const Context& context() const { return *context_; }
  Progress step(OperationRunner& runner) override;
  bool may_block() const override { return call_->may_wait(); }

 private:
  // The state from the first block to the last; on the stack for a kernel that never waits.
  struct Running;

  std::optional<exec::GridRange> range_of(uint64_t address, bool write) override;
  uint32_t system_call(exec::Block& block, ptx::SystemCall function, uint64_t* results,
                       const uint64_t* parameters, uint32_t mask, uint32_t warp,
                       uint64_t location) override;
  uint32_t texture(exec::Block& block, uint32_t operation, const uint64_t* handles,
                   const uint32_t* operands, uint32_t* results, uint32_t mask, uint32_t warp,
                   uint64_t location) override;
  uint32_t surface(exec::Block& block, uint32_t operation, const uint64_t* handles,
                   const uint32_t* operands, uint32_t* texels, uint32_t mask, uint32_t warp,
                   uint64_t location) override;
  KernelTextures& textures();
  // Called when it has run to its end, or to this fault. `running`: null if it has not begun.
  Progress ended(const exec::GridFault* fault, Running* running);

  Ref<KernelCall> call_;
  Context* context_;  // null: it was moved from
  GraphConditions* const conditions_;
  std::unique_ptr<Running> running_;
  OperationRunner* runner_ = nullptr;               // once it has begun
  std::atomic<KernelTextures*> textures_{nullptr};  // once it has read one
};

// Makes `call` the next work of `stream`. Errors: as check_launch().
Result<> launch(Stream& stream, Ref<KernelCall> call, const void* call_site);
// Checks that `call` can be launched in `stream`. Errors: invalid_handle for a kernel of another
// context.
Result<> check_launch(const Stream& stream, const KernelCall& call);

// Returns the name of an operation's kernel, as its module has it; empty if it runs none.
std::string_view kernel_name(const Operation& operation);
// Returns "copy", "kernel add(int*)" and the like.
std::string describe(const Operation& operation);

// The error that a fault leaves in its context.
Error error_of(exec::GridFault::Kind kind);

}  // namespace cuvette::device
