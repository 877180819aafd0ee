// SPDX-License-Identifier: Apache-2.0
// Which devices of the machine a program sees, and in what order: CUDA_VISIBLE_DEVICES and
// CUDA_DEVICE_ORDER.
//
// Threads: any; a pure function.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/device/model/identity.hpp"

namespace cuvette::device {

// Returns the visible devices as indices into `devices`, the program's device 0 first. If the list
// is empty, the program sees no device: cuInit answers CUDA_ERROR_NO_DEVICE.
//
// `order` is CUDA_DEVICE_ORDER: FASTEST_FIRST or PCI_BUS_ID; another value gives
// Error::invalid_device, as cuInit does on NVIDIA's driver. `list` is
// CUDA_VISIBLE_DEVICES, nothing if it is not set. The driver (580.159.04, two H200s) reads it as
// follows:
// - Entries are separated by commas. The first one decides how all are read: as ordinals in
//   `order`, or as "GPU-" (or "MIG-") and the first digits of a UUID, in upper or lower case, with
//   or without dashes. An entry of the other kind is not valid.
// - The first entry that is not valid (no number, out of range, no such UUID or more than one)
//   ends the list; nothing is reported.
// - Text between a number or a whole UUID and the comma is ignored: "1gpu" is 1. White
//   space before a number is skipped; before a UUID it makes the entry invalid.
// - A device named twice before the list ends gives Error::invalid_device.
Result<std::vector<int>> visible_devices(std::optional<std::string_view> list,
                                         std::string_view order, std::span<const Identity> devices);

}  // namespace cuvette::device
