// SPDX-License-Identifier: Apache-2.0
// What the host has waited for when it touches memory, and what it has not.
#include <pthread.h>

#include <atomic>

#include "tests/wrong/host/host.hpp"

void waits_for_another_stream(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  p.from_device(buffer, p.a);
  NEED(cuStreamSynchronize(twin == Twin::wrong ? p.b : p.a));
  static_cast<void>(buffer[0]);
}

// An event that another stream has waited for is as good.
void waits_for_an_event_before_the_copy(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  const CUevent event = new_event(), last = new_event();
  if (twin == Twin::wrong) NEED(cuEventRecord(event, p.a));
  p.from_device(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuEventRecord(event, p.a));
  NEED(cuStreamWaitEvent(p.b, event, 0));
  NEED(cuEventRecord(last, p.b));
  NEED(cuEventSynchronize(last));
  static_cast<void>(buffer[0]);
}

void does_not_look_at_the_query(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  p.from_device(buffer, p.a);
  if (twin == Twin::wrong)
    static_cast<void>(cuStreamQuery(p.b));
  else
    while (cuStreamQuery(p.a) != CUDA_SUCCESS) {
    }
  static_cast<void>(buffer[0]);
}

// A host function comes after the work before it in its stream, and whatever that waits for.
void touches_in_a_host_function_of_another_stream(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  p.from_device(buffer, p.a);
  if (twin == Twin::repaired) {
    const CUevent event = new_event();
    NEED(cuEventRecord(event, p.a));
    NEED(cuStreamWaitEvent(p.b, event, 0));
  }
  const auto touch = [](void* memory) { *static_cast<volatile char*>(memory) = 1; };
  NEED(cuLaunchHostFunc(p.b, touch, const_cast<char*>(buffer)));
  NEED(cuStreamSynchronize(p.b));
}

// The copy is submitted while the host function runs, and must come after it.
void writes_in_a_host_function_for_another_stream(Twin twin) {
  const Program p;
  struct Job {
    volatile char* buffer;
    std::atomic<bool> submitted{false};
  };
  static Job job{p.pinned()};
  const auto write = [](void*) {
    while (!job.submitted) {
    }
    job.buffer[0] = 1;
  };
  NEED(cuLaunchHostFunc(p.b, write, nullptr));
  if (twin == Twin::repaired) {
    const CUevent event = new_event();
    NEED(cuEventRecord(event, p.b));
    NEED(cuStreamWaitEvent(p.a, event, 0));
  }
  p.to_device(job.buffer, p.a);
  job.submitted = true;
  NEED(cuCtxSynchronize());
}

namespace {
void* touch_in_thread(void* memory) {
  *static_cast<volatile char*>(memory) = 1;
  return nullptr;
}
}  // namespace

void touches_in_another_thread(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  p.to_device(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  pthread_t thread;
  pthread_create(&thread, nullptr, touch_in_thread, const_cast<char*>(buffer));
  pthread_join(thread, nullptr);
}

// The null stream does not wait for streams that do not block.
void waits_for_the_null_stream_only(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  p.to_device(buffer, p.a);
  NEED(twin == Twin::wrong ? cuStreamSynchronize(nullptr) : cuCtxSynchronize());
  buffer[0] = 1;
}
