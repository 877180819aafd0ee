// SPDX-License-Identifier: Apache-2.0
#include "sim/os/device_access.hpp"

#include <sys/mman.h>

#include <mutex>

#include "sim/base/config.hpp"

namespace cuvette::os {

namespace detail {
int device_key = -1;
uint32_t device_key_bits = 0;
}  // namespace detail

bool set_up_device_key(bool gate) {
  static std::once_flag once;
  std::call_once(once, [gate] {
    if (config().host_access == HostAccess::allow) return;
    // A new thread's rights already deny every key but 0; the argument denies this one to the
    // calling thread.
    const int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
    if (key < 0) {
      if (gate) DeviceGate::set_up();
      return;
    }
    detail::device_key = key;
    detail::device_key_bits = 3u << (2 * key);
  });
  return has_device_key();
}

}  // namespace cuvette::os
