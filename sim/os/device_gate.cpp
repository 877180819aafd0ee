// SPDX-License-Identifier: Apache-2.0
#include "sim/os/device_gate.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/os/clock.hpp"
#include "sim/os/output.hpp"
#include "sim/os/page.hpp"

namespace cuvette::os {

namespace detail {
constinit bool device_gate = false;
}

namespace {

// The time that may always be spent, so that short programs are guarded throughout, and how much of
// the program's time may be spent beyond that.
constexpr int64_t always_affordable_ns = 200'000'000;
constexpr int64_t affordable_part = 4;

// How much is opened at once: as much as windows are apart at first, and twice as much after every
// so many pieces that are open, up to 1 GiB.
constexpr uint64_t first_piece = 64 << 10;
constexpr size_t pieces_before_doubling = 32, most_doubled = 14;

// initial-exec, as in fault.cpp.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool inside = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool was_blocked = false;  // SIGSEGV

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

void DeviceGate::before_entry(void (*call)(), int64_t fault_ns) {
  before_entry_.store(call);
  MutexLock lock(mutex_);
  fault_ns_ = fault_ns;
}

void DeviceGate::enter() {
  if (inside) return;
  inside = true;
  // A fault with a blocked signal ends the process.
  sigset_t faults, before;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &faults, &before);
  was_blocked = sigismember(&before, SIGSEGV) == 1;
  if (const auto call = before_entry_.load()) call();
  MutexLock lock(mutex_);
  ++inside_;
}

void DeviceGate::leave() {
  if (!inside) return;
  inside = false;
  {
    MutexLock lock(mutex_);
    if (--inside_ == 0 && !opened_.empty() && affordable()) close();
  }
  if (!was_blocked) return;
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  pthread_sigmask(SIG_BLOCK, &faults, nullptr);
}

bool DeviceGate::is_inside() { return inside; }

bool DeviceGate::open_at(uint64_t address, bool write) {
  MutexLock lock(mutex_);
  const auto range = guarded_.find(address);
  if (range == guarded_.end()) return false;
  const Guarded& guarded = range->second.value;
  if ((guarded.protection & (write ? PROT_WRITE : PROT_READ)) == 0) return false;
  if (guarded.open) return true;  // another thread was faster
  // A thread that touches much faults seldom.
  const size_t doubled = std::min(opened_.size() / pieces_before_doubling, most_doubled);
  const uint64_t piece = first_piece << doubled;
  const uint64_t begin = address & ~(piece - 1), end = begin + piece;
  cut(begin);
  cut(end);
  return open(guarded_.find(address));
}

void DeviceGate::open_all(uint64_t address, size_t size) {
  const uint64_t mask = uint64_t{page_size()} - 1;
  const uint64_t first = address & ~mask, last = (address + size + mask) & ~mask;
  MutexLock lock(mutex_);
  cut(first);
  cut(last);
  const Ranges::Part part = guarded_.isolate(first, last);
  for (auto range = part.begin(); range != part.end(); ++range)
    if (!range->second.value.open) open(range);
}

bool DeviceGate::guards(uint64_t address) {
  MutexLock lock(mutex_);
  return guarded_.find(address) != guarded_.end();
}

bool DeviceGate::affordable() const {
  return spent_ns_ < always_affordable_ns + (now_ns() - since_ns_) / affordable_part;
}

bool DeviceGate::open(Ranges::iterator range) {
  const int64_t begin = now_ns();
  Guarded& guarded = range->second.value;
  if (!protect_pages(range->first, range->second.end(), guarded.protection)) {
    say("device memory at 0x%llx cannot be opened to commands: %s.",
        static_cast<unsigned long long>(range->first), strerror(errno));
    return false;
  }
  guarded.open = true;
  opened_.push_back(range->first);
  spent_ns_ += now_ns() - begin + fault_ns_;
  return true;
}

void DeviceGate::close() {
  const int64_t begin = now_ns();
  for (const uint64_t address : opened_) {
    // It may have been mapped anew since, or be a part of another.
    const auto range = guarded_.find_begin(address);
    if (range == guarded_.end() || !range->second.value.open) continue;
    // Where it fails (too many mappings), host threads are not stopped.
    protect_pages(address, range->second.end(), PROT_NONE);
    range->second.value.open = false;
    guarded_.join_around(range, [](const Guarded& one, const Guarded& next) {
      return !one.open && !next.open && one.protection == next.protection;
    });
  }
  opened_.clear();
  spent_ns_ += now_ns() - begin;
}

void DeviceGate::cut(uint64_t at) {
  const auto rest = guarded_.cut(at);
  if (rest != guarded_.end() && rest->second.value.open) opened_.push_back(at);
}

DeviceGate::Change::Change(DeviceGate* gate) : gate_(gate) {
  if (gate_) gate_->mutex_.lock();
}

DeviceGate::Change::~Change() {
  if (gate_) gate_->mutex_.unlock();
}

int DeviceGate::Change::at_first(int protection) const { return gate_ ? PROT_NONE : protection; }

void DeviceGate::Change::guard(uint64_t address, size_t size, int protection) {
  if (!gate_) return;
  forget(address, size);
  if (size != 0) gate_->guarded_.assign(address, address + size, {protection});
}

void DeviceGate::Change::forget(uint64_t address, size_t size) {
  if (!gate_) return;
  gate_->cut(address);
  gate_->cut(address + size);
  gate_->guarded_.erase(address, address + size);
}

}  // namespace cuvette::os
