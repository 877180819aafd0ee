// SPDX-License-Identifier: Apache-2.0
// The UUIDs of CUDA's devices, as cuDeviceGetUuid reports them to a program with this environment.
// Nothing has to be started for that: which devices there are is data (sim/device/model).
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace cuvette::vulkan_layer {

// Device 0 first; empty if the program sees no device.
std::span<const std::array<uint8_t, 16>> cuda_uuids();

}  // namespace cuvette::vulkan_layer
