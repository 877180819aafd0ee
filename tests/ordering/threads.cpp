// SPDX-License-Identifier: Apache-2.0
// Threads of a program hand work to each other.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/ordering/ordering.hpp"

namespace {

// Runs `body` from beginning to end in a new thread with the program's context.
template <typename Body>
void in_a_thread(const Program& program, const Body& body) {
  std::thread([&] {
    NEED(cuCtxSetCurrent(program.context));
    body();
  }).join();
}

// An event that happens once, which threads can wait for.
class Signal {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace

// The thread has ended, but the work that it submitted has not.
int joins_the_thread_and_not_its_stream(Form form) {
  const Program program;
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  in_a_thread(program, [&] {
    const CUstream stream = new_stream();
    NEED(cuMemcpyDtoHAsync(host, device, size, stream));
    if (form == Form::right) NEED(cuStreamSynchronize(stream));
  });
  return sees("the download", host, 7);
}

// Each thread has its own per-thread stream.
int hands_over_between_per_thread_streams(Form form) {
  const Program program;
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUevent done = new_event();
  in_a_thread(program, [&] {
    NEED(cuMemsetD8Async(made, 7, size, CU_STREAM_PER_THREAD));
    NEED(cuEventRecord(done, CU_STREAM_PER_THREAD));
  });
  in_a_thread(program, [&] {
    if (form == Form::right) NEED(cuStreamWaitEvent(CU_STREAM_PER_THREAD, done, 0));
    NEED(cuMemcpyDtoDAsync(used, made, size, CU_STREAM_PER_THREAD));
  });
  return finds("the copy", used, 7);
}

// Synchronising the per-thread stream means that of the calling thread.
int waits_for_its_own_per_thread_stream(Form form) {
  const Program program;
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  in_a_thread(program, [&] {
    NEED(cuMemcpyDtoHAsync(host, device, size, CU_STREAM_PER_THREAD));
    if (form == Form::right) NEED(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  });
  if (form == Form::wrong) NEED(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  return sees("the download", host, 7);
}

// A mutex and a join order the submissions, but not the work.
int hands_over_without_an_event(Form form) {
  const Program program;
  const CUstream maker = new_stream(), user = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  in_a_thread(program, [&] { NEED(cuMemsetD8Async(made, 7, size, maker)); });
  in_a_thread(program, [&] {
    if (form == Form::right) order(maker, user);
    NEED(cuMemcpyDtoDAsync(used, made, size, user));
  });
  return finds("the copy", used, 7);
}

// A host function wakes the program, but comes before the download.
int is_woken_before_the_download(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  static Signal signal;
  const auto set = [](void* data) { static_cast<Signal*>(data)->set(); };
  if (form == Form::wrong) NEED(cuLaunchHostFunc(stream, set, &signal));
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuLaunchHostFunc(stream, set, &signal));
  signal.wait();
  return sees("the download", host, 7);
}

// A callback wakes the program, but is in another stream.
int is_woken_by_another_stream(Form form) {
  const Program program;
  const CUstream download = new_stream(), other = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  static Signal signal;
  NEED(cuMemcpyDtoHAsync(host, device, size, download));
  NEED(cuStreamAddCallback(
      form == Form::right ? download : other,
      [](CUstream, CUresult, void* data) { static_cast<Signal*>(data)->set(); }, &signal, 0));
  signal.wait();
  return sees("the download", host, 7);
}

// Two threads record the same event in turn; the wait means the second one's record.
int shares_an_event_between_threads(Form form) {
  const Program program;
  const CUstream left = new_stream(), right = new_stream(), user = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUevent first = new_event(), second = form == Form::right ? new_event() : first;
  in_a_thread(program, [&] {
    NEED(cuMemsetD8Async(made, 7, size / 2, left));
    NEED(cuEventRecord(first, left));
  });
  in_a_thread(program, [&] {
    NEED(cuMemsetD8Async(made + size / 2, 7, size / 2, right));
    NEED(cuEventRecord(second, right));
  });
  NEED(cuStreamWaitEvent(user, first, 0));
  NEED(cuStreamWaitEvent(user, second, 0));
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}
