// SPDX-License-Identifier: Apache-2.0
// KernelCall: a kernel with its parameters and the shape of its grid, checked; KernelLaunch: the
// operation that runs it.
//
// Threads: a call is immutable; a launch is its runner's, the workers that join in call it back
// (exec::GridHost).
// Invariant: a launch that exists counts in its context: memory that it might touch waits for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "sim/device/module.hpp"
#include "sim/device/operation.hpp"
#include "sim/error.hpp"
#include "sim/exec/grid.hpp"
#include "sim/recycled.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

class Context;
class KernelTextures;
class Stream;

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;      // bytes
  uint32_t cluster[3] = {0, 0, 0};  // blocks; 0: nothing said
  bool cooperative = false;

  uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  uint64_t threads() const { return uint64_t{block[0]} * block[1] * block[2]; }
};

// Where the values of a kernel's parameters are: each at an address, or all in a block.
struct ParameterValues {
  void* const* each = nullptr;
  const void* block = nullptr;
  size_t block_bytes = 0;
};

class KernelCall final : public Counted, public Recycled<KernelCall> {
 public:
  // Checks what it can be launched with, compiles it if need be, and copies the parameters.
  // Errors: invalid_value for shapes and parameters, launch_out_of_resources for too many bytes of
  // these, cooperative_launch_too_large, invalid_cluster_size, not_supported for clusters of
  // several blocks; as of Function::compiled().
  static Result<Ref<KernelCall>> make(Ref<Function> function, const LaunchShape& shape,
                                      const ParameterValues& values);
  // As it is, for `code` that somebody else keeps, of no function.
  KernelCall(const Profile& profile, const CompiledCode& code, const LaunchShape& shape,
             std::span<const std::byte> parameters);

  const Ref<Function>& function() const { return function_; }
  const CompiledCode& code() const { return code_; }
  const LaunchShape& shape() const { return shape_; }
  std::span<const std::byte> parameters() const { return {parameters_, parameter_bytes_}; }
  std::string_view name() const;
  uint64_t most_resident() const { return most_resident_; }
  // What the module's references named when it was launched.
  const BoundReferences& references() const { return references_; }
  // Whether it may have to be left before it has finished.
  bool may_wait() const { return code_.frame_bytes > 0; }

 private:
  friend class KernelLaunch;
  ~KernelCall() override = default;  // by its references
  KernelCall(Ref<Function> function, const Profile& profile, const CompiledCode& code,
             const LaunchShape& shape, size_t parameter_bytes);

  const Ref<Function> function_;
  const CompiledCode code_;
  const LaunchShape shape_;
  uint64_t most_resident_ = 1;
  uint32_t multiprocessors_ = 1;
  uint32_t clock_khz_ = 1;
  size_t parameter_bytes_ = 0;
  alignas(16) std::byte few_[128];
  std::unique_ptr<std::byte[]> many_;
  std::byte* parameters_ = few_;
  BoundReferences references_;
};

// What a kernel may decide of the executable graph that it is a step of.
class GraphConditions {
 public:
  // Gives the condition with this handle its value. False: the graph has none.
  virtual bool set_condition(uint64_t handle, uint32_t value) = 0;

 protected:
  ~GraphConditions() = default;
};

class KernelLaunch final : public OperationOf<KernelLaunch>, private exec::GridHost {
 public:
  // `conditions` outlives it; null for a launch that is no step of a graph.
  KernelLaunch(Ref<KernelCall> call, Context& context, GraphConditions* conditions,
               const void* call_site);
  KernelLaunch(KernelLaunch&& other) noexcept;  // before it has begun
  ~KernelLaunch() override;

  Progress step(OperationRunner& runner) override;
  bool may_block() const override { return call_->may_wait(); }

 private:
  // What exists from the first block to the last one. Of a kernel that never waits, on the stack.
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
  // It has run to its end, or to this fault.
  Progress ended(const exec::GridFault* fault);

  Ref<KernelCall> call_;
  Context* context_;  // null: it was moved from
  GraphConditions* const conditions_;
  std::unique_ptr<Running> running_;
  OperationRunner* runner_ = nullptr;               // once it has begun
  std::atomic<KernelTextures*> textures_{nullptr};  // once it has read one
};

// Checks the shape against the device's and the kernel's limits. Errors: as of KernelCall::make.
Result<> check_shape(const Function& function, const CompiledCode& code, const LaunchShape& shape);

// Makes `call` the next work of `stream`. Captures take it as a node. Errors: those of captures,
// invalid_handle for a kernel of another context.
Result<> launch(Stream& stream, Ref<KernelCall> call, const void* call_site);

// What compiled code calls.
const ptx::Helpers& kernel_helpers();
// The error that a fault leaves in its context.
Error error_of(exec::GridFault::Kind kind);

}  // namespace cuvette::device
