// SPDX-License-Identifier: Apache-2.0
// KernelProfile: what all launches of a kernel have counted so far, as a line of JSON.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "sim/base/ref.hpp"
#include "sim/device/kernel/kernel_call.hpp"
#include "sim/device/model/profile.hpp"
#include "sim/exec/grid_counts.hpp"
#include "sim/ptx/program/program.hpp"

namespace cuvette::profile {

class KernelProfile {
 public:
  // `call` has a function.
  KernelProfile(const device::KernelCall& call, const device::Profile& device);

  // A launch has ended.
  void add(const device::KernelCall& call, const exec::Counts& counts);
  std::string json() const;

 private:
  // Launches that differ in nothing that decides how many blocks a multiprocessor holds.
  struct Shape {
    std::array<uint32_t, 3> grid{}, block{};
    uint32_t dynamic_shared = 0;
    auto operator<=>(const Shape&) const = default;
  };
  static constexpr size_t most_shapes = 256;

  std::string launches_json() const;
  std::string places_json() const;

  const Ref<ptx::Program> program_;  // keeps the machine code
  const std::string name_;
  const device::Profile& device_;
  uint32_t static_shared_ = 0, registers_ = 0;  // 0: unknown
  std::map<Shape, uint64_t> launches_;
  uint64_t other_launches_ = 0;  // of shapes that were one too many
  std::map<const ptx::MachineCode*, exec::Counts> counts_;
};

}  // namespace cuvette::profile
