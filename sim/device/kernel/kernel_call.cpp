// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/kernel_call.hpp"

#include <algorithm>
#include <cstring>

#include "sim/base/refusal.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/model/occupancy.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::device {

Result<> check_shape(const Function& function, const CompiledCode& code, const LaunchShape& shape) {
  const Profile& profile = function.context()->device().profile();
  constexpr Attribute grid_limits[] = {Attribute::MAX_GRID_DIM_X, Attribute::MAX_GRID_DIM_Y,
                                       Attribute::MAX_GRID_DIM_Z};
  constexpr Attribute block_limits[] = {Attribute::MAX_BLOCK_DIM_X, Attribute::MAX_BLOCK_DIM_Y,
                                        Attribute::MAX_BLOCK_DIM_Z};
  for (int i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.grid[i] > profile.amount(grid_limits[i]))
      return refuse(Error::invalid_value, "The grid size is %u in %c; it must be 1 to %zu.",
                    shape.grid[i], 'x' + i, profile.amount(grid_limits[i]));
    if (shape.block[i] == 0 || shape.block[i] > profile.amount(block_limits[i]))
      return refuse(Error::invalid_value, "The block size is %u in %c; it must be 1 to %zu.",
                    shape.block[i], 'x' + i, profile.amount(block_limits[i]));
  }
  const uint64_t threads = shape.threads();
  if (threads > profile.amount(Attribute::MAX_THREADS_PER_BLOCK))
    return refuse(Error::invalid_value, "A block of %llu threads is too large: the limit is %zu.",
                  static_cast<unsigned long long>(threads),
                  profile.amount(Attribute::MAX_THREADS_PER_BLOCK));
  const ptx::Function& syntax = function.syntax();
  // .maxntid and .reqntid are promises about the kernel's launches.
  const uint64_t most = uint64_t{std::max(syntax.maxntid[0], 1u)} *
                        std::max(syntax.maxntid[1], 1u) * std::max(syntax.maxntid[2], 1u);
  if (syntax.maxntid[0] > 0 && threads > most)
    return refuse(
        Error::invalid_value,
        "A block of %llu threads is too large: the kernel is compiled for at most %llu (.maxntid).",
        static_cast<unsigned long long>(threads), static_cast<unsigned long long>(most));
  for (int i = 0; i < 3; ++i)
    if (syntax.reqntid[0] > 0 && shape.block[i] != std::max(syntax.reqntid[i], 1u))
      return refuse(Error::invalid_value,
                    "The block size is %u in %c, but the kernel requires %u (.reqntid).",
                    shape.block[i], 'x' + i, std::max(syntax.reqntid[i], 1u));

  const size_t allowed = function.settings().most_dynamic_shared();
  if (shape.dynamic_shared > allowed)
    return refuse(
        // Measured.
        shape.cooperative ? Error::cooperative_launch_too_large : Error::invalid_value,
        "%u bytes of dynamic shared memory are more than the kernel may have (%zu): raise the "
        "limit with cuFuncSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).",
        shape.dynamic_shared, allowed);

  if (const uint64_t blocks = TRY(KernelCall::blocks_of_cluster(function, shape)); blocks > 1)
    return refuse(Error::not_supported,
                  "Clusters of several thread blocks (distributed shared memory) are not "
                  "implemented; the cluster has %llu blocks.",
                  static_cast<unsigned long long>(blocks));
  if (shape.cooperative) {
    const uint64_t resident =
        uint64_t{blocks_per_multiprocessor(profile, threads,
                                           size_t{code.shared_bytes} + shape.dynamic_shared)} *
        profile.amount(Attribute::MULTIPROCESSOR_COUNT);
    if (shape.blocks() > resident)
      return refuse(Error::cooperative_launch_too_large,
                    "A cooperative grid of %llu blocks is too large: the device can hold %llu such "
                    "blocks at a time.",
                    static_cast<unsigned long long>(shape.blocks()),
                    static_cast<unsigned long long>(resident));
  }
  return {};
}

Result<uint64_t> KernelCall::blocks_of_cluster(const Function& function, const LaunchShape& shape) {
  constexpr uint64_t portable = 8, most = 16;
  const bool any = function.settings().non_portable_cluster.load(std::memory_order_relaxed) != 0;
  const uint64_t allowed = any ? most : portable;
  uint32_t required[3];
  TRY(function.settings().required_cluster(required));
  uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    const uint32_t wanted = std::max(shape.cluster[i] ? shape.cluster[i] : required[i], 1u);
    if (shape.grid[i] % wanted != 0)
      return refuse(Error::invalid_cluster_size,
                    "A grid of %u blocks in %c does not consist of clusters of %u.", shape.grid[i],
                    'x' + i, wanted);
    // At most 16 times what a grid has in one direction, so the product does not wrap.
    blocks *= wanted;
    if (blocks > allowed) break;
  }
  if (blocks > allowed)
    return refuse(Error::invalid_cluster_size,
                  "A cluster of %llu blocks or more is too large: the limit is %llu on all "
                  "devices, and %llu with CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED.",
                  static_cast<unsigned long long>(blocks),
                  static_cast<unsigned long long>(portable), static_cast<unsigned long long>(most));
  return blocks;
}

KernelCall::KernelCall(Ref<Function> function, const Profile& profile, const CompiledCode& code,
                       const LaunchShape& shape, size_t parameter_bytes)
    : function_(std::move(function)), code_(code), shape_(shape) {
  multiprocessors_ = static_cast<uint32_t>(profile.amount(Attribute::MULTIPROCESSOR_COUNT));
  clock_khz_ = static_cast<uint32_t>(profile.amount(Attribute::CLOCK_RATE));
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
  const ptx::ParameterLayout& layout = function->parameters();
  if (values.each && values.block)
    return refuse(Error::invalid_value,
                  "Pass parameters either one by one or in a buffer, not both.");
  if (!layout.parameters.empty() && !values.each && !values.block)
    return refuse(Error::invalid_value, "The kernel has %zu parameters, but none were passed.",
                  layout.parameters.size());
  // As on an H100: parameters past the end of a short buffer are zero, and a buffer that is too
  // long is not an invalid value.
  if (values.block && values.block_bytes == 0 && layout.bytes > 0)
    return refuse(Error::invalid_value, "The buffer of parameters is empty.");
  if (values.block && values.block_bytes > layout.bytes)
    return refuse(Error::launch_out_of_resources,
                  "The parameter buffer has %zu bytes, but the kernel's parameters take %zu.",
                  values.block_bytes, size_t{layout.bytes});
  const CompiledCode* const code =
      TRY(function->compiled(ptx::BlockClass::of(shape.block[0], shape.block[1], shape.block[2])));
  if (const Result<> good = check_shape(*function, *code, shape); !good.ok())
    return !keeps_sentences()
               ? good.error()
               : refused_about(good.error(),
                               ("The launch of " +
                                callsite::readable_name(std::string(function->name()).c_str()))
                                   .c_str());
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
      const ptx::ParameterLayout::Parameter& one = layout.parameters[i];
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

}  // namespace cuvette::device
