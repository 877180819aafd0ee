// SPDX-License-Identifier: Apache-2.0
// The protection key that keeps host threads off device memory, and the right to touch it.
//
// Device mappings carry one protection key. Linux starts every thread without the right to it, so
// host threads are denied by default; a thread holds a DeviceAccess while it runs a device command.
// Leaving always denies and never restores: a right that a signal handler has left ends there.
// Where the processor or the kernel has no protection keys, the gate takes their place if
// it is asked for (device_gate.hpp); otherwise all of this does nothing.
//
// Threads: set_up_device_key() once, before the others. The right belongs to the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/os/device_gate.hpp"

namespace cuvette::os {

namespace detail {
extern int device_key;            // -1: none
extern uint32_t device_key_bits;  // the two bits of this key in PKRU; 0 without a key

inline uint32_t read_pkru() {
  uint32_t value, zero;
  asm volatile(".byte 0x0f,0x01,0xee" : "=a"(value), "=d"(zero) : "c"(0));
  return value;
}
inline void write_pkru(uint32_t value) {
  asm volatile(".byte 0x0f,0x01,0xef" : : "a"(value), "c"(0), "d"(0) : "memory");
}
}  // namespace detail

// Takes a protection key from the kernel on the first call; if there is none, sets the gate up
// where `gate` asks for it. Returns false if no key exists (or none is left), or if
// CUVETTE_HOST_ACCESS=allow lets host threads touch device memory.
bool set_up_device_key(bool gate = false);
inline bool has_device_key() { return detail::device_key >= 0; }

// While a DeviceAccess lives, the calling thread may touch device memory. It does not nest: the end
// of an inner one denies access.
class DeviceAccess {
 public:
  DeviceAccess() { allow(); }
  ~DeviceAccess() { deny(); }
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;

  // Gives the right back to a thread that holds a DeviceAccess, after code that may have made and
  // ended another one.
  static void allow() {
    if (detail::device_key_bits)
      detail::write_pkru(detail::read_pkru() & ~detail::device_key_bits);
    else if (has_device_gate()) [[unlikely]]
      DeviceGate::get().enter();
  }
  static void deny() {
    if (detail::device_key_bits)
      detail::write_pkru(detail::read_pkru() | detail::device_key_bits);
    else if (has_device_gate()) [[unlikely]]
      DeviceGate::get().leave();
  }
};

}  // namespace cuvette::os
