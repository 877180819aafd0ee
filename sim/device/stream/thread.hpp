// SPDX-License-Identifier: Apache-2.0
// Thread: what CUDA keeps for each host thread: its stack of current contexts, its per-thread
// streams, and whether it is inside a host function.
//
// Threads: each object belongs to its thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/ref.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::device {

class Thread {
 public:
  // The calling thread's; made on first use, gone with the thread.
  static Thread& current() {
    if (Thread* thread = current_) [[likely]]
      return *thread;
    return make_current();
  }

  // The current context, destroyed or not; null if there is none.
  Context* context() const { return contexts_.empty() ? nullptr : contexts_.back().get(); }
  void push(Ref<Context> context) { contexts_.push_back(std::move(context)); }
  Ref<Context> pop();
  // Replaces the top of the stack, or removes it for a null context.
  void set(Ref<Context> context);

  // Why this thread may not call CUDA, if it may not.
  enum class Barred : uint8_t { no, in_host_function, in_destructor, small_stack };
  Barred barred() const { return barred_; }

  // While it lives the thread is inside a host function, or the destructor of a user object, where
  // CUDA may not be called.
  class HostFunctionScope {
   public:
    explicit HostFunctionScope(Barred inside = Barred::in_host_function)
        : before_(std::exchange(current().barred_, inside)) {}
    ~HostFunctionScope() { current().barred_ = before_; }
    HostFunctionScope(const HostFunctionScope&) = delete;
    HostFunctionScope& operator=(const HostFunctionScope&) = delete;

   private:
    const Barred before_;
  };

  // Set by the `_ptsz` and `_ptds` entry points: null stream handles mean the per-thread stream.
  bool per_thread_default_stream = false;
  // CUstreamCaptureMode: which calls other captures forbid this thread.
  int capture_mode = 0;
  // Where the program made the call that is running: what reports name.
  const void* call_site = nullptr;

  // This thread's stream in `context`, made on first use.
  Ref<Stream> per_thread_stream(Context& context);

 private:
  Thread() = default;
  static Thread& make_current();

  // Read on every call: a plain pointer in static TLS is one instruction away.
  static thread_local Thread* current_ __attribute__((tls_model("initial-exec")));

  struct PerThreadStream {
    uint64_t context_generation;
    Ref<Stream> stream;
  };

  std::vector<Ref<Context>> contexts_;
  std::vector<PerThreadStream> streams_;
  Barred barred_ = Barred::no;
};

}  // namespace cuvette::device
