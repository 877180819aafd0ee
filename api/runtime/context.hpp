// SPDX-License-Identifier: Apache-2.0
// The context in which a call of the runtime works: the one that the driver API made current, or
// else the primary context of the thread's device, which the first call that needs one brings up.
//
// Reference: CUDA Runtime API, "Interactions with the CUDA Driver API".
// Threads: any.
#pragma once

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

struct Thread;

// Initialises the driver if that has not happened. Fails with cudaErrorInsufficientDriver where
// there is none.
Status need_driver() noexcept;

// Makes a context current unless one is. `thread` is the calling thread's.
Status need_context(const Thread& thread) noexcept;

// Returns the number of devices; 0 before need_driver() has succeeded.
int count_devices() noexcept;

// Fails with cudaErrorInvalidDevice unless there is a device of that ordinal.
Status check_device(int device) noexcept;

// Brings up the device's primary context and returns it in `context`.
Status find_primary(int device, CUcontext* context) noexcept;

// Makes `device` the calling thread's, and its primary context current.
Status choose_device(int device) noexcept;

// Brings the current context up again if it is a primary context that another caller has reset.
// Returns whether it was.
bool revive_primary() noexcept;

// Returns in `device` the device that the calling thread's next call works on.
Status find_device(int* device) noexcept;

// The current context of the calling thread.
enum class Current {
  nothing,
  primary,
  created,  // by the program, with the driver API
  reset,    // one that has ended: a primary context was reset or released by all, or another
            // thread has destroyed a created one
};
Status find_current(Current* current) noexcept;

// Makes `device` the calling thread's as choose_device() does, and brings its primary context up if
// another caller has reset it.
Status choose_device_again(int device) noexcept;

// Resets the primary context that is current in the calling thread, if one is: measured on an H200.
Status reset_device() noexcept;

}  // namespace cuvette::runtime
