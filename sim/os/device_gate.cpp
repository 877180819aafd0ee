// SPDX-License-Identifier: Apache-2.0
#include "sim/os/device_gate.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sim/os/clock.hpp"

namespace cuvette::os {

namespace detail {
constinit bool device_gate = false;
}

namespace {

// What may always be spent, so that short programs are guarded throughout, and how much of the
// program's time may be spent beyond that.
constexpr int64_t always_affordable_ns = 200'000'000;
constexpr int64_t affordable_part = 4;

// initial-exec, as in fault.cpp.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool inside = false;

// Past the interceptors of sanitizers, as in reservation.cpp.
bool protect(uint64_t begin, uint64_t end, int protection) {
  return syscall(SYS_mprotect, begin, end - begin, protection) == 0;
}

}  // namespace

DeviceGate& DeviceGate::get() {
  static DeviceGate* const gate = new DeviceGate;
  return *gate;
}

void DeviceGate::set_up() {
  if (has_device_gate()) return;
  DeviceGate& gate = get();
  MutexLock lock(gate.mutex_);
  gate.since_ns_ = now_ns();
  detail::device_gate = true;
}

void DeviceGate::enter() {
  if (inside) return;
  inside = true;
  MutexLock lock(mutex_);
  ++inside_;
  open();
}

void DeviceGate::leave() {
  if (!inside) return;
  inside = false;
  MutexLock lock(mutex_);
  if (--inside_ == 0 && affordable()) close();
}

void DeviceGate::let_through() {
  MutexLock lock(mutex_);
  open();
}

bool DeviceGate::guards(uint64_t address) {
  MutexLock lock(mutex_);
  const auto next = guarded_.upper_bound(address);
  return next != guarded_.begin() && address < std::prev(next)->second.end;
}

uint64_t DeviceGate::closings() {
  MutexLock lock(mutex_);
  return closings_;
}

bool DeviceGate::affordable() const {
  return spent_ns_ < always_affordable_ns + (now_ns() - since_ns_) / affordable_part;
}

void DeviceGate::open() {
  if (open_) return;
  const int64_t begin = now_ns();
  open_ = true;
  for (const auto& [address, guarded] : guarded_)
    if (!protect(address, guarded.end, guarded.protection))
      fprintf(stderr, "cuvette: device memory at 0x%llx cannot be opened to commands: %s.\n",
              static_cast<unsigned long long>(address), strerror(errno));
  spent_ns_ += now_ns() - begin;
}

void DeviceGate::close() {
  const int64_t begin = now_ns();
  // Where it fails (too many mappings), host threads are not stopped.
  for (const auto& [address, guarded] : guarded_) protect(address, guarded.end, PROT_NONE);
  open_ = false;
  ++closings_;
  spent_ns_ += now_ns() - begin;
}

void DeviceGate::cut(uint64_t at) {
  const auto next = guarded_.lower_bound(at);
  if (next == guarded_.begin()) return;
  Guarded& before = std::prev(next)->second;
  if (before.end <= at) return;
  guarded_.emplace_hint(next, at, Guarded{before.end, before.protection});
  before.end = at;
}

DeviceGate::Change::Change(DeviceGate* gate) : gate_(gate) {
  if (gate_) gate_->mutex_.lock();
}

DeviceGate::Change::~Change() {
  if (gate_) gate_->mutex_.unlock();
}

int DeviceGate::Change::now(int protection) const {
  return gate_ && !gate_->open_ ? PROT_NONE : protection;
}

void DeviceGate::Change::guard(uint64_t address, size_t size, int protection) {
  if (!gate_) return;
  forget(address, size);
  gate_->guarded_.emplace(address, Guarded{address + size, protection});
}

void DeviceGate::Change::forget(uint64_t address, size_t size) {
  if (!gate_) return;
  gate_->cut(address);
  gate_->cut(address + size);
  gate_->guarded_.erase(gate_->guarded_.lower_bound(address),
                        gate_->guarded_.lower_bound(address + size));
}

}  // namespace cuvette::os
