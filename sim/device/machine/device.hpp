// SPDX-License-Identifier: Apache-2.0
// Device: one simulated GPU: its profile, its identity, and whether it still works.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/device/model/identity.hpp"
#include "sim/device/model/profile.hpp"

namespace cuvette::device {

class Device {
 public:
  // `index` is its place among all devices of the machine, `ordinal` among the visible ones.
  Device(const Profile& profile, const Identity& identity, unsigned index, unsigned ordinal);

  const Profile& profile() const { return profile_; }
  const Identity& identity() const { return identity_; }
  unsigned index() const { return index_; }
  unsigned ordinal() const { return ordinal_; }

  // Returns how many of the device's `total` bytes its first context takes: as many as on the real
  // device, or the same share if CUVETTE_MEMORY makes the device smaller.
  size_t context_memory(size_t total) const;

  // --- Errors ---
  // After a fault "the process must be terminated and relaunched": no new context comes up.
  std::optional<Error> poisoned() const;
  void poison(Error error);

 private:
  const Profile& profile_;
  const Identity identity_;
  const unsigned index_;
  const unsigned ordinal_;
  std::atomic<int> poison_{0};
};

}  // namespace cuvette::device
