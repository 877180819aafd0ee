// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/thread.hpp"

#include <algorithm>
#include <string>

#include "sim/os/output.hpp"
#include "sim/os/thread_exit.hpp"
#include "sim/os/thread_limit.hpp"

namespace cuvette::device {

namespace {

// The most stack that calls need; kernels are compiled and modules read in another thread if need
// be.
constexpr size_t least_stack = size_t{96} << 10;

}  // namespace

thread_local Thread* Thread::current_ __attribute__((tls_model("initial-exec"))) = nullptr;

Thread& Thread::make_current() {
  current_ = new Thread;
  if (const size_t left = os::stack_left(); left < least_stack) {
    current_->barred_ = Barred::small_stack;
    os::write_to_stderr(
        "cuvette: a thread with " + std::to_string(left >> 10) +
        " KiB of stack left calls CUDA: its calls are refused, because they need up to " +
        std::to_string(least_stack >> 10) + " KiB (pthread_attr_setstacksize).\n");
  }
  os::at_thread_exit(
      [](void* thread) {
        current_ = nullptr;
        delete static_cast<Thread*>(thread);
      },
      current_);
  return *current_;
}

Ref<Context> Thread::pop() {
  if (contexts_.empty()) return nullptr;
  Ref<Context> top = std::move(contexts_.back());
  contexts_.pop_back();
  return top;
}

void Thread::set(Ref<Context> context) {
  if (!contexts_.empty()) contexts_.pop_back();
  if (context) contexts_.push_back(std::move(context));
}

Ref<Stream> Thread::per_thread_stream(Context& context) {
  const uint64_t generation = context.generation();
  for (const PerThreadStream& known : streams_)
    if (known.context_generation == generation) return known.stream;
  // Removes entries of contexts that are gone, because a long-lived thread may see many.
  std::erase_if(streams_, [](const PerThreadStream& known) {
    return known.stream->context().generation() != known.context_generation ||
           !known.stream->context().alive();
  });
  Ref<Stream> stream = context.make_stream(StreamKind::per_thread, 0);
  streams_.push_back({generation, stream});
  return stream;
}

}  // namespace cuvette::device
