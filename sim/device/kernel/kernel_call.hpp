// SPDX-License-Identifier: Apache-2.0
// KernelCall: a kernel with its parameters and the shape of its grid, checked.
//
// Threads: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/recycled.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/kernel/module.hpp"

namespace cuvette::device {

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;      // bytes
  uint32_t cluster[3] = {0, 0, 0};  // blocks; 0: not specified
  bool cooperative = false;

  uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  uint64_t threads() const { return uint64_t{block[0]} * block[1] * block[2]; }
};

// The values of a kernel's parameters: each at an address, or all in one block.
struct ParameterValues {
  void* const* each = nullptr;
  const void* block = nullptr;
  size_t block_bytes = 0;
};

class KernelCall final : public Counted, public Recycled<KernelCall> {
 public:
  // Checks the launch, compiles the kernel if necessary, and copies the parameters.
  // Errors: invalid_value for shapes and parameters, launch_out_of_resources for too many bytes of
  // parameters, cooperative_launch_too_large, invalid_cluster_size, not_supported for clusters of
  // several blocks; as Function::compiled().
  static Result<Ref<KernelCall>> make(Ref<Function> function, const LaunchShape& shape,
                                      const ParameterValues& values);
  // Returns how many blocks a cluster of the launch has. Errors: invalid_cluster_size.
  static Result<uint64_t> blocks_of_cluster(const Function& function, const LaunchShape& shape);
  // Makes a call without a function, unchecked, for `code` that its caller keeps.
  KernelCall(const Profile& profile, const CompiledCode& code, const LaunchShape& shape,
             std::span<const std::byte> parameters);

  const Ref<Function>& function() const { return function_; }
  const CompiledCode& code() const { return code_; }
  const LaunchShape& shape() const { return shape_; }
  std::span<const std::byte> parameters() const { return {parameters_, parameter_bytes_}; }
  std::string_view name() const;
  uint64_t most_resident() const { return most_resident_; }
  // The bindings of the module's references at the launch.
  const BoundReferences& references() const { return references_; }
  // Whether the kernel may have to wait before it has finished.
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

// Checks the shape against the device's and the kernel's limits. Errors: as KernelCall::make.
Result<> check_shape(const Function& function, const CompiledCode& code, const LaunchShape& shape);

}  // namespace cuvette::device
