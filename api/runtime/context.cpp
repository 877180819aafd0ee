// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/context.hpp"

#include <atomic>
#include <mutex>

#include "api/runtime/driver.hpp"
#include "api/runtime/thread.hpp"

namespace cuvette::runtime {
namespace {

// A device's primary context as the runtime holds it: once for the whole process, however many
// threads and calls use it.
struct Primary {
  std::atomic<CUcontext> context{nullptr};  // the last one that was retained
  std::atomic<bool> held{false};
};

// The most devices of a machine; higher ordinals are not found.
constexpr int most_devices = 64;
Primary primaries[most_devices];
std::mutex holding;

std::atomic<bool> initialised{false};
// The number of devices, once the driver is initialised. The child of a process that has
// initialised it still gets this number, although no driver answers there: measured on an H200.
std::atomic<int> devices{0};

// A kernel's fault ends the device for the process, and a reset does not help: measured on an H200.
// The other errors say that this process or thread may not call.
Status error_of_retain(Status status) {
  switch (status.error()) {
    case cudaSuccess:
    case cudaErrorMemoryAllocation:
    case cudaErrorInitializationError:
    case cudaErrorCudartUnloading:
    case cudaErrorNotPermitted:
      return status;
    default:
      return cudaErrorDevicesUnavailable;
  }
}

Status hold(int device, CUcontext* context) {
  Primary& primary = primaries[device];
  const std::lock_guard lock(holding);
  if (!primary.held.load()) {
    CUcontext retained = nullptr;
    CHECK(error_of_retain(DRIVER(cuDevicePrimaryCtxRetain)(&retained, device)));
    primary.context.store(retained);
    primary.held.store(true);
  }
  *context = primary.context.load();
  return {};
}

// Returns the record of a primary context that the runtime has retained, or null.
Primary* find_record(CUcontext context) {
  if (context == nullptr) return nullptr;
  for (Primary& primary : primaries)
    if (primary.context.load(std::memory_order_relaxed) == context) return &primary;
  return nullptr;
}

// Whether `context` is a primary context that was reset since it was made current.
bool was_reset(CUcontext context) {
  const Primary* const primary = find_record(context);
  return primary != nullptr && !primary->held.load(std::memory_order_relaxed);
}

bool is_active(int device) {
  unsigned flags = 0;
  int active = 0;
  return DRIVER(cuDevicePrimaryCtxGetState)(device, &flags, &active) == CUDA_SUCCESS && active;
}

}  // namespace

Status need_driver() noexcept {
  if (initialised.load(std::memory_order_acquire)) [[likely]]
    return {};
  if (!driver_found()) return cudaErrorInsufficientDriver;
  CHECK(DRIVER(cuInit)(0));
  int count = 0;
  CHECK(DRIVER(cuDeviceGetCount)(&count));
  devices.store(count, std::memory_order_relaxed);
  initialised.store(true, std::memory_order_release);
  return {};
}

Status need_context(const Thread& thread) noexcept {
  CHECK(need_driver());
  CUcontext current = nullptr;
  CHECK(DRIVER(cuCtxGetCurrent)(&current));
  const Primary& own = primaries[thread.device];
  if (current != nullptr) [[likely]] {
    if (current == own.context.load(std::memory_order_relaxed) &&
        own.held.load(std::memory_order_relaxed)) [[likely]]
      return {};
    if (!was_reset(current)) return {};
  }
  return choose_device(thread.device);
}

int count_devices() noexcept { return devices.load(std::memory_order_relaxed); }

Status check_device(int device) noexcept {
  return device < 0 || device >= count_devices() || device >= most_devices ? cudaErrorInvalidDevice
                                                                           : cudaSuccess;
}

Status find_primary(int device, CUcontext* context) noexcept { return hold(device, context); }

Status choose_device(int device) noexcept {
  CHECK(need_driver());
  CHECK(check_device(device));
  CUcontext context = nullptr;
  CHECK(hold(device, &context));
  CHECK(DRIVER(cuCtxSetCurrent)(context));
  Thread::current().device = device;
  return {};
}

Status choose_device_again(int device) noexcept {
  {
    const std::lock_guard lock(holding);
    if (!is_active(device)) primaries[device].held.store(false);
  }
  return choose_device(device);
}

bool revive_primary() noexcept {
  CUcontext current = nullptr;
  if (DRIVER(cuCtxGetCurrent)(&current) != CUDA_SUCCESS || current == nullptr) return false;
  for (int device = 0; device < most_devices; ++device) {
    Primary& primary = primaries[device];
    if (primary.context.load() != current) continue;
    return !is_active(device) && choose_device_again(device).ok();
  }
  return false;
}

Status find_device(int* device) noexcept {
  CHECK(need_driver());
  CUcontext current = nullptr;
  CHECK(DRIVER(cuCtxGetCurrent)(&current));
  if (current == nullptr || was_reset(current)) {
    *device = Thread::current().device;
    return {};
  }
  return DRIVER(cuCtxGetDevice)(device);
}

Status find_current(Current* current) noexcept {
  *current = Current::nothing;
  CHECK(need_driver());
  CUcontext context = nullptr;
  CHECK(DRIVER(cuCtxGetCurrent)(&context));
  if (context == nullptr) return {};
  *current = Current::reset;
  unsigned long long id = 0;
  if (was_reset(context) || DRIVER(cuCtxGetId)(context, &id) == CUDA_ERROR_CONTEXT_IS_DESTROYED)
    return {};
  *current = Current::primary;
  if (find_record(context) != nullptr) return {};
  // It is one that the driver API created, unless the driver API has retained the primary context.
  // That is asked for only where it is active, so asking does not bring it up.
  *current = Current::created;
  int device = 0;
  CHECK(DRIVER(cuCtxGetDevice)(&device));
  if (!is_active(device)) return {};
  CUcontext primary = nullptr;
  CHECK(DRIVER(cuDevicePrimaryCtxRetain)(&primary, device));
  CHECK(DRIVER(cuDevicePrimaryCtxRelease)(device));
  if (primary == context) *current = Current::primary;
  return {};
}

Status reset_device() noexcept {
  CHECK(need_driver());
  Current current = Current::nothing;
  CHECK(find_current(&current));
  if (current == Current::nothing || current == Current::created) return {};
  int device = 0;
  CHECK(find_device(&device));
  const std::lock_guard lock(holding);
  CHECK(DRIVER(cuDevicePrimaryCtxReset)(device));
  primaries[device].held.store(false);
  return {};
}

}  // namespace cuvette::runtime
