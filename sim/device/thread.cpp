// SPDX-License-Identifier: Apache-2.0
#include "sim/device/thread.hpp"

#include <algorithm>

#include "sim/os/thread_exit.hpp"

namespace cuvette::device {

thread_local Thread* Thread::current_ __attribute__((tls_model("initial-exec"))) = nullptr;

Thread& Thread::make_current() {
  current_ = new Thread;
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
  // Contexts come and go in a long-lived thread: those that are gone make room.
  std::erase_if(streams_, [](const PerThreadStream& known) {
    return known.stream->context().generation() != known.context_generation ||
           !known.stream->context().alive();
  });
  Ref<Stream> stream = context.make_stream(StreamKind::per_thread, 0);
  streams_.push_back({generation, stream});
  return stream;
}

}  // namespace cuvette::device
