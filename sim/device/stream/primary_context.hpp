// SPDX-License-Identifier: Apache-2.0
// PrimaryContext: the one context of a device that all of a process's libraries share, and who
// retains it.
//
// Threads: any. Its lock is held while the context comes up and is torn down.
#pragma once

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::device {

class PrimaryContext {
 public:
  // The device's; it lives as long as the process.
  static PrimaryContext& of(Device& device);

  struct State {
    unsigned flags;
    bool active;
  };
  State state() EXCLUDES(mutex_);
  // Returns the context with one more reference; makes it or brings it back if it is not alive.
  // Errors: the error that poisoned the device.
  Result<Ref<Context>> retain() EXCLUDES(mutex_);
  // Returns the context as it is, torn down or not; null if there never was one.
  Ref<Context> context() EXCLUDES(mutex_);
  // Ends the context with its last reference. Errors: invalid_context if there is none.
  Result<> release() EXCLUDES(mutex_);
  // Ends the context regardless of references, which remain and must be released.
  void reset() EXCLUDES(mutex_);
  void set_flags(unsigned flags) EXCLUDES(mutex_);

 private:
  explicit PrimaryContext(Device& device) : device_(device) {}
  ~PrimaryContext() = default;
  void end() REQUIRES(mutex_);

  Device& device_;
  Mutex mutex_;
  Ref<Context> context_ GUARDED_BY(mutex_);
  unsigned references_ GUARDED_BY(mutex_) = 0;
  unsigned flags_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::device
