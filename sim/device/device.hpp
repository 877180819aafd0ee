// SPDX-License-Identifier: Apache-2.0
// Device: one simulated GPU: its profile, its identity, its primary context.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sim/device/context.hpp"
#include "sim/device/identity.hpp"
#include "sim/device/profile.hpp"
#include "sim/error.hpp"
#include "sim/mutex.hpp"

namespace cuvette::device {

class Device {
 public:
  // `index` is its place among all devices of the machine, `ordinal` among the visible ones.
  Device(const Profile& profile, const Identity& identity, unsigned index, unsigned ordinal);

  const Profile& profile() const { return profile_; }
  const Identity& identity() const { return identity_; }
  unsigned index() const { return index_; }
  unsigned ordinal() const { return ordinal_; }

  // --- The primary context ---
  struct PrimaryState {
    unsigned flags;
    bool active;
  };
  PrimaryState primary_state() EXCLUDES(mutex_);
  // The primary context, made or brought back if it is not alive, with one more reference.
  // Errors: the error that poisoned the device.
  Result<Ref<Context>> retain_primary() EXCLUDES(mutex_);
  // The primary context as it is, torn down or not; null if there never was one.
  Ref<Context> primary() EXCLUDES(mutex_);
  // Ends the primary context with its last reference. Errors: invalid_context if there is none.
  Result<> release_primary() EXCLUDES(mutex_);
  // Ends the primary context whoever holds references; they remain, to be released.
  void reset_primary() EXCLUDES(mutex_);
  void set_primary_flags(unsigned flags) EXCLUDES(mutex_);

  // --- Errors ---
  // After a fault "the process must be terminated and relaunched": no new context comes up.
  std::optional<Error> poisoned() const;
  void poison(Error error);

 private:
  void end_primary() REQUIRES(mutex_);

  const Profile& profile_;
  const Identity identity_;
  const unsigned index_;
  const unsigned ordinal_;
  std::atomic<int> poison_{0};
  Mutex mutex_;
  Ref<Context> primary_ GUARDED_BY(mutex_);
  unsigned primary_references_ GUARDED_BY(mutex_) = 0;
  unsigned primary_flags_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::device
