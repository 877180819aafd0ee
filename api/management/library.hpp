// SPDX-License-Identifier: Apache-2.0
// The library's state: who uses it, and the devices of the machine.
//
// Threads: any. Its lock is held for a few instructions, and while the devices are listed once.
//
// Invariants: devices are listed once and stay, so a handle is valid until the process ends. The
// driver is not needed, and never started: a program that asks what there is, and forks then, can
// still use CUDA in its children.
#pragma once

#include <span>

#include "api/management/nvml.hpp"
#include "sim/device/model/device_list.hpp"

// The object that a handle points to.
struct nvmlDevice_st {
  cuvette::device::ListedDevice listed;
  unsigned index;

  const cuvette::device::Profile& profile() const { return *listed.profile; }
  const cuvette::device::Identity& identity() const { return listed.identity; }
};

namespace cuvette::management {

using Device = nvmlDevice_st;

// Whether this process has called nvmlInit more often than nvmlShutdown. A child of a fork has not
// (measured).
bool initialised() noexcept;

// All devices, in the order of the PCI bus. Call it only while the library is initialised.
std::span<Device> devices() noexcept;

// Returns the device of a handle, null if it is none.
const Device* find(nvmlDevice_t handle) noexcept;

}  // namespace cuvette::management
