// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of the library's use.
#include "api/management/library.hpp"

#include <atomic>
#include <new>
#include <string>
#include <vector>

#include "sim/base/config.hpp"
#include "sim/base/mutex.hpp"
#include "sim/os/output.hpp"

namespace cuvette::management {
namespace {

// One word, so that a query needs no lock: the process in the upper half, its users in the lower.
std::atomic<uint64_t> state{0};

Mutex& mutex() {
  static Mutex* const mutex = new Mutex;
  return *mutex;
}

// Filled by the first nvmlInit; not touched afterwards.
std::vector<Device>& list() {
  static auto* const list = new std::vector<Device>;
  return *list;
}

uint64_t state_of(uint32_t users) { return static_cast<uint64_t>(os::process_id()) << 32 | users; }

uint32_t users() {
  const uint64_t now = state.load(std::memory_order_acquire);
  return now >> 32 == state_of(0) >> 32 ? static_cast<uint32_t>(now) : 0;
}

// Reports on stderr what is wrong with the environment, as cuInit does.
bool knobs_are_good() {
  const std::string complaint = environment_complaint();
  if (!complaint.empty()) os::say("%s", complaint.c_str());
  return complaint.empty();
}

nvmlReturn_t begin() {
  MutexLock lock(mutex());
  if (list().empty()) {
    if (!knobs_are_good()) return NVML_ERROR_DRIVER_NOT_LOADED;
    const std::vector<device::ListedDevice> listed = device::device_list(config());
    if (listed.empty()) {
      os::say("CUVETTE_DEVICE is '%s'; it should be %s.", config().device.c_str(),
              device::wanted_devices);
      return NVML_ERROR_DRIVER_NOT_LOADED;
    }
    for (const device::ListedDevice& device : listed)
      list().push_back({device, static_cast<unsigned>(list().size())});
  }
  state.store(state_of(users() + 1), std::memory_order_release);
  return NVML_SUCCESS;
}

nvmlReturn_t begin_or_say_why() noexcept {
  try {
    return begin();
  } catch (const std::bad_alloc&) {
    return NVML_ERROR_MEMORY;
  }
}

}  // namespace

bool initialised() noexcept { return users() != 0; }

std::span<Device> devices() noexcept { return list(); }

const Device* find(nvmlDevice_t handle) noexcept {
  for (const Device& device : devices())
    if (&device == handle) return &device;
  return nullptr;
}

}  // namespace cuvette::management

using namespace cuvette::management;

extern "C" {

nvmlReturn_t nvmlInit_v2() { return begin_or_say_why(); }

nvmlReturn_t nvmlInit() { return begin_or_say_why(); }

// Measured: unknown flags are not an error.
nvmlReturn_t nvmlInitWithFlags(unsigned int) { return begin_or_say_why(); }

nvmlReturn_t nvmlShutdown() {
  cuvette::MutexLock lock(mutex());
  if (users() == 0) return NVML_ERROR_UNINITIALIZED;
  state.store(state_of(users() - 1), std::memory_order_release);
  return NVML_SUCCESS;
}

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
#define ERROR(name, text) \
  case name:              \
    return text;
#include "api/management/errors.def"
  }
  return "Unknown Error";  // measured, for numbers that are not codes
}

}  // extern "C"
