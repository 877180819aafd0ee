// SPDX-License-Identifier: Apache-2.0
#include "sim/os/fault.hpp"

#include <cpuid.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/held_pages.hpp"
#include "sim/os/page_move.hpp"
#include "sim/os/reservation.hpp"

namespace cuvette::os {
namespace {

// A handler that was there before ours. Links are never freed: a handler may be reading them.
struct Link {
  struct sigaction action;
  const Link* older;
  const Link* replaced;  // the link of the same handler, installed earlier; kept, not called
  mutable std::atomic<bool> spent{false};  // SA_RESETHAND: it has been called
};

// One per signal: SIGSEGV, SIGBUS.
constinit std::atomic<const Link*> newest[2];
std::atomic<const Link*>& newest_for(int signal) { return newest[signal == SIGBUS]; }

constinit std::atomic<FaultHook> hook{nullptr};
constinit std::atomic<uint32_t> pkru_offset{0};  // into the XSAVE area; 0: none

struct Range {
  std::atomic<uint64_t> begin{0}, end{0};  // begin 0: free
};
constinit Range ranges[64];

bool watched(uint64_t address) {
  for (const Range& range : ranges) {
    const uint64_t begin = range.begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address < range.end.load(std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

// The state of this thread's handler. initial-exec, because the first use of a dynamic
// thread-local may allocate, which a signal handler must not do.
struct ThreadState {
  FaultScope* scope;
  // The fault that is being passed on to an earlier handler, so that we notice if it is passed back
  // to us.
  const void* context;
  uintptr_t frame;
  const Link* link;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadState thread_state{};

// --- The interrupted thread's rights -------------------------------------------------------------

constexpr uint32_t xsave_magic = 0x46505853;  // FP_XSTATE_MAGIC1
constexpr size_t xsave_software_bytes = 464;  // of the 512 of the legacy area
constexpr size_t xsave_header = 512;
constexpr uint64_t pkru_feature = uint64_t{1} << 9;

// The kernel's description of the frame's XSAVE area, at xsave_software_bytes.
struct SoftwareBytes {
  uint32_t magic, extended_size;
  uint64_t features;
  uint32_t size;
};

// Returns where the interrupted thread's PKRU lies in the signal frame, or null.
char* frame_pkru(const ucontext_t& context) {
  const uint32_t offset = pkru_offset.load(std::memory_order_relaxed);
  auto* const area = reinterpret_cast<char*>(context.uc_mcontext.fpregs);
  if (offset == 0 || !area) return nullptr;
  SoftwareBytes kernel;
  __builtin_memcpy(&kernel, area + xsave_software_bytes, sizeof kernel);
  if (kernel.magic != xsave_magic || !(kernel.features & pkru_feature) ||
      offset + 4 > kernel.size) {
    return nullptr;
  }
  // If the register is in its initial state it is not in the frame, and its value is 0.
  uint64_t present;
  __builtin_memcpy(&present, area + xsave_header, sizeof present);
  if (!(present & pkru_feature)) {
    present |= pkru_feature;
    __builtin_memcpy(area + xsave_header, &present, sizeof present);
    __builtin_memset(area + offset, 0, 4);
  }
  return area + offset;
}

bool allow(const ucontext_t& context) {
  char* const at = frame_pkru(context);
  if (!at) return false;
  uint32_t rights;
  __builtin_memcpy(&rights, at, sizeof rights);
  rights &= ~detail::device_key_bits;
  __builtin_memcpy(at, &rights, sizeof rights);
  return true;
}

bool replace_page(uint64_t address) {
  const size_t size = page_size();
  const uint64_t page = address & ~(uint64_t{size} - 1);
  const int protection = PROT_READ | PROT_WRITE;
  if (syscall(SYS_mmap, page, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) <
      0) {
    return false;
  }
  if (has_device_key()) syscall(SYS_pkey_mprotect, page, size, protection, detail::device_key);
  syscall(SYS_madvise, page, size, MADV_DONTFORK);
  return true;
}

// --- The handlers that were there before ---------------------------------------------------------

void take_default(int signal, const siginfo_t& info) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  // A fault happens again when the handler returns; a signal that was sent does not.
  if (info.si_code <= 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

void call(const Link& link, int signal, siginfo_t* info, void* context) {
  sigset_t mask = link.action.sa_mask, before;
  if (!(link.action.sa_flags & SA_NODEFER)) sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, &before);
  if (link.action.sa_flags & SA_SIGINFO) {
    link.action.sa_sigaction(signal, info, context);
  } else {
    link.action.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Passes the signal on. A program's handler that was installed after ours may pass it back to ours,
// which then stands on both sides of it: the second time, the handler before that one is next. It
// is the second time if the same signal frame arrives deeper in the stack. A handler that left by
// siglongjmp leaves thread_state set, but the next fault has another frame, or one at the same
// place that is not deeper.
void chain(int signal, siginfo_t* info, void* context, uintptr_t frame) {
  const ThreadState before = thread_state;
  const bool again = before.link && before.context == context && frame < before.frame;
  const Link* const link =
      again ? before.link->older : newest_for(signal).load(std::memory_order_acquire);
  if (!link || (!(link->action.sa_flags & SA_SIGINFO) && link->action.sa_handler == SIG_DFL)) {
    return take_default(signal, *info);
  }
  if (!(link->action.sa_flags & SA_SIGINFO) && link->action.sa_handler == SIG_IGN) {
    // A fault cannot be ignored: the kernel would end the program.
    if (info->si_code > 0) take_default(signal, *info);
    return;
  }
  if ((link->action.sa_flags & static_cast<int>(SA_RESETHAND)) && link->spent.exchange(true)) {
    return take_default(signal, *info);
  }
  thread_state.context = context;
  thread_state.frame = frame;
  thread_state.link = link;
  call(*link, signal, info, context);
  thread_state.context = before.context;
  thread_state.frame = before.frame;
  thread_state.link = before.link;
}

}  // namespace

// The signal handler itself.
struct FaultHandler {
  static HeldTouch held_touch(uint64_t address, bool write, const ucontext_t& context) {
    const auto& registers = context.uc_mcontext.gregs;
    return {address, write, reinterpret_cast<const void*>(registers[REG_RIP]),
            *reinterpret_cast<const void* const*>(registers[REG_RSP])};
  }

  static bool handled(int signal, const siginfo_t& info, const ucontext_t& context) {
    const auto address = reinterpret_cast<uint64_t>(info.si_addr);
    const auto error = static_cast<uint64_t>(context.uc_mcontext.gregs[REG_ERR]);
    constexpr uint64_t error_write = 2, error_fetch = 16;
    if (signal == SIGSEGV && info.si_code == SEGV_ACCERR && pages_held() &&
        HeldPages::get().let_through(held_touch(address, error & error_write, context),
                                     thread_state.scope != nullptr))
      return true;
    if (info.si_code <= 0 || !watched(address)) return false;
    if (error & error_fetch) return false;  // a jump into device memory: no page would help it
    if (signal == SIGSEGV && info.si_code == SEGV_ACCERR && detail::wait_for_move()) return true;
    if (signal == SIGSEGV && info.si_code == SEGV_ACCERR && has_device_gate() &&
        DeviceGate::is_inside() && DeviceGate::get().open_at(address, error & error_write))
      return true;
    FaultScope* const scope = thread_state.scope;
    const bool at_gate = !scope && signal == SIGSEGV && info.si_code == SEGV_ACCERR &&
                         has_device_gate() && DeviceGate::get().guards(address);
    // si_code says so reliably; the error code's bit for keys is clear where the page was not
    // present.
    const FaultKind kind = signal == SIGBUS                         ? FaultKind::lost
                           : info.si_code == SEGV_PKUERR || at_gate ? FaultKind::denied
                                                                    : FaultKind::unmapped;
    const MemoryFault fault{kind, address, (error & error_write) != 0,
                            reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]),
                            scope != nullptr};
    FaultAction action = FaultAction::chain;
    if (scope && kind != FaultKind::denied) {
      scope->record(fault);
      action = FaultAction::replace_page;
    } else if (const FaultHook decide = hook.load(std::memory_order_acquire)) {
      if (scope) scope->record(fault);
      action = decide(fault);
    }
    switch (action) {
      case FaultAction::chain:
        return false;
      case FaultAction::allow:
        if (at_gate) return DeviceGate::get().open_at(address, fault.write);
        return kind == FaultKind::denied && allow(context);
      case FaultAction::replace_page:
        // A page that is only denied still has its data.
        if (kind == FaultKind::denied || !replace_page(address)) return false;
        // The page has the device key: without the right a host thread would fault again.
        if (has_device_key()) allow(context);
        return true;
    }
    return false;
  }

  static void on_signal(int signal, siginfo_t* info, void* context) {
    const int saved = errno;
    const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const ThreadState& state = thread_state;
    const bool passed_back = state.link && state.context == context && frame < state.frame;
    if (passed_back || !handled(signal, *info, *static_cast<const ucontext_t*>(context))) {
      chain(signal, info, context, frame);
    }
    errno = saved;
  }

  static void install(int signal) {
    struct sigaction ours {
    }, found{};
    if (sigaction(signal, nullptr, &found) != 0 || is_ours(found)) return;
    ours.sa_sigaction = on_signal;
    // NODEFER: an earlier handler gets the mask that it asked for, and no larger one.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    // The link is there before our handler is in front, because a fault may come at once.
    push(signal, found);
    struct sigaction replaced {};
    if (sigaction(signal, &ours, &replaced) == 0 && !is_ours(replaced) && !same(replaced, found)) {
      push(signal, replaced);  // another thread installed it just now
    }
  }

 private:
  static bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_signal;
  }
  static bool same(const struct sigaction& a, const struct sigaction& b) {
    return a.sa_sigaction == b.sa_sigaction;  // in one union with sa_handler
  }
  // Adds a link; if the newest link is of the same handler, replaces it.
  static void push(int signal, const struct sigaction& action) {
    std::atomic<const Link*>& head = newest_for(signal);
    const Link* older = head.load(std::memory_order_relaxed);
    const Link* replaced = nullptr;
    if (older && same(older->action, action)) {
      replaced = older;
      older = older->older;
    }
    head.store(new Link{action, older, replaced}, std::memory_order_release);
  }
};

// Measures what it costs to open a page at the gate by a fault.
static int64_t fault_ns() {
  const size_t size = page_size();
  const auto page = static_cast<uint64_t>(
      syscall(SYS_mmap, nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (page == ~uint64_t{0}) return 0;
  DeviceGate::Change(device_gate()).guard(page, size, PROT_READ);
  watch_range(page, page + size);
  int64_t ns = 0;
  {
    const DeviceAccess access;
    const int64_t begin = now_ns();
    static_cast<void>(*reinterpret_cast<const volatile char*>(page));
    ns = now_ns() - begin;
  }
  unwatch_range(page, page + size);
  DeviceGate::Change(device_gate()).forget(page, size);
  syscall(SYS_munmap, page, size);
  return ns;
}

void watch_faults(FaultHook decide) {
  static Mutex* const mutex = new Mutex;
  MutexLock lock(*mutex);
  if (pkru_offset.load(std::memory_order_relaxed) == 0 && has_device_key()) {
    uint32_t size = 0, offset = 0, c = 0, d = 0;
    if (__get_cpuid_count(0xD, 9, &size, &offset, &c, &d) && size >= 4) {
      pkru_offset.store(offset, std::memory_order_relaxed);
    }
  }
  hook.store(decide, std::memory_order_release);
  FaultHandler::install(SIGSEGV);
  FaultHandler::install(SIGBUS);
  static bool at_gate = false;
  if (has_device_gate() && !std::exchange(at_gate, true))
    DeviceGate::get().before_entry([] { watch_faults(hook.load(std::memory_order_acquire)); },
                                   fault_ns());
}

void watch_range(uint64_t begin, uint64_t end) {
  for (Range& range : ranges) {
    uint64_t vacant = 0;
    if (range.end.compare_exchange_strong(vacant, end)) {
      range.begin.store(begin, std::memory_order_release);
      return;
    }
  }
}

void unwatch_range(uint64_t begin, uint64_t end) {
  for (Range& range : ranges) {
    uint64_t expected = begin;
    if (range.end.load() == end && range.begin.compare_exchange_strong(expected, 0)) {
      range.end.store(0);
      return;
    }
  }
}

FaultScope::FaultScope() {
  thread_state.scope = this;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

FaultScope::~FaultScope() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_state.scope = nullptr;
}

bool FaultScope::faulted() const {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return faulted_;
}

MemoryFault FaultScope::first() const {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return first_;
}

void FaultScope::record(const MemoryFault& fault) {
  if (faulted_) return;
  first_ = fault;
  if (const uint32_t* const number = number_) kept_ = *number;
  faulted_ = true;
}

}  // namespace cuvette::os
