// SPDX-License-Identifier: Apache-2.0
// The machine's devices, as CUVETTE_DEVICE, CUVETTE_DEVICES and CUVETTE_MEMORY describe them: all
// of them, even if CUDA_VISIBLE_DEVICES hides them from the program.
//
// Threads: any; plain values.
//
// Invariant: they are listed in the order of their PCI addresses.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/base/config.hpp"
#include "sim/device/model/identity.hpp"
#include "sim/device/model/profile.hpp"

namespace cuvette::device {

struct ListedDevice {
  const Profile* profile;
  Identity identity;
  size_t memory;  // bytes that programs can allocate
};

// The valid values of CUVETTE_DEVICE, as the end of a sentence.
inline constexpr const char* wanted_devices =
    "a profile of `cuvette info --profiles`, or up to 16 with commas between them";

// Returns the devices; none if CUVETTE_DEVICE names a profile that does not exist, or too many.
std::vector<ListedDevice> device_list(const Config& knobs);

}  // namespace cuvette::device
