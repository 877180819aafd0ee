// SPDX-License-Identifier: Apache-2.0
// Memory faults: SIGSEGV and SIGBUS at addresses that belong to devices.
//
// The handlers chain. A fault is ours if its address is in a watched range; every other one goes to
// the handler that was there before, with its semantics (SA_SIGINFO, SA_RESETHAND, SA_ONSTACK,
// default and ignored dispositions).
//
// Threads: any. Code in the handler is async-signal-safe: no locks, no allocation.
#pragma once

#include <cstdint>

namespace cuvette::os {

enum class FaultKind {
  denied,    // a host thread without the right to device memory
  unmapped,  // an address of a reservation with nothing mapped there
  lost,      // a page that its file no longer has: the file was shrunk (SIGBUS)
};

struct MemoryFault {
  FaultKind kind;
  uint64_t address;
  bool write;
  const void* instruction;  // of the access
  bool in_command;          // the thread is inside a FaultScope
};

enum class FaultAction {
  chain,  // as if we were not there
  allow,  // for `denied` only: give this thread the right until its next DeviceAccess ends, or
          // open the gate
  replace_page,  // not for `denied`: put a zero page of this process's own there, go on as with
                 // `allow`
};

// Decides what happens to a fault; called in the signal handler.
using FaultHook = FaultAction (*)(const MemoryFault& fault);

// Puts our handlers in front of all others, including any that the program has installed since;
// cheap if they are there already.
void watch_faults(FaultHook hook);

// Add and remove a range (a reservation): faults in it are ours. At most 64 are watched at a time;
// further ones are ignored.
void watch_range(uint64_t begin, uint64_t end);
void unwatch_range(uint64_t begin, uint64_t end);

// While a FaultScope lives, faults of the calling thread belong to a device command: a lost or
// unmapped page is replaced so that the command can end, and faulted() says so. It does not nest.
class FaultScope {
 public:
  FaultScope();
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
  bool faulted() const;
  // Returns the first fault, if faulted().
  MemoryFault first() const;
  // Keeps the value that `number` has at the first fault, because the thread may change it before
  // it asks. If it is null, none is kept.
  void keep(const uint32_t* number) { number_ = number; }
  uint32_t kept() const { return kept_; }

 private:
  friend struct FaultHandler;
  void record(const MemoryFault& fault);  // in the handler, in the thread that the scope belongs to

  volatile bool faulted_ = false;
  MemoryFault first_{};
  const uint32_t* volatile number_ = nullptr;
  uint32_t kept_ = 0;
};

}  // namespace cuvette::os
