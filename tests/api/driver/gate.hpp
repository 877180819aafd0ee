// SPDX-License-Identifier: Apache-2.0
// Shared by tests of order: a current context, a gate that holds up a stream until the test opens
// it, a log of what ran, and a wait with a timeout.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#define OK(call) ASSERT_EQ(call, CUDA_SUCCESS)

// Waits until `condition` holds. Returns false after a time that no working program needs.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

// Gives something that must not happen the time to happen.
inline void let_things_happen() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

// While it lives, the primary context is current. It leaves nothing behind for the next test.
class Scene {
 public:
  Scene() {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  }
  ~Scene() {
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  CUcontext context = nullptr;
};

// Handles that nobody has given out.
inline CUstream fake_stream(uintptr_t number) { return reinterpret_cast<CUstream>(number); }
inline CUevent fake_event(uintptr_t number) { return reinterpret_cast<CUevent>(number); }

inline CUstream new_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreate(&stream, flags), CUDA_SUCCESS);
  return stream;
}
inline CUevent new_event(unsigned flags = CU_EVENT_DISABLE_TIMING) {
  CUevent event = nullptr;
  EXPECT_EQ(cuEventCreate(&event, flags), CUDA_SUCCESS);
  return event;
}
inline CUdeviceptr new_memory(size_t size) {
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemAlloc(&memory, size), CUDA_SUCCESS);
  return memory;
}

// Holds up a stream until open(). It occupies its context's host thread: other host functions of
// that context wait, too.
class Gate {
 public:
  explicit Gate(CUstream stream) { EXPECT_EQ(cuLaunchHostFunc(stream, wait, this), CUDA_SUCCESS); }
  ~Gate() {
    open();
    EXPECT_TRUE(eventually([this] { return left_.load(); }));
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() { open_ = true; }
  bool entered() const { return entered_; }

 private:
  static void wait(void* data) {
    auto* gate = static_cast<Gate*>(data);
    gate->entered_ = true;
    while (!gate->open_) std::this_thread::sleep_for(std::chrono::microseconds(100));
    gate->left_ = true;
  }
  std::atomic<bool> open_{false}, entered_{false}, left_{false};
};

// Numbers that host functions append, in the order in which they run.
class Log {
 public:
  void note(CUstream stream, int what) {
    auto* entry = new Entry{this, what};
    EXPECT_EQ(cuLaunchHostFunc(stream, write, entry), CUDA_SUCCESS);
  }
  void append(int what) {
    std::lock_guard lock(mutex_);
    entries_.push_back(what);
  }
  std::vector<int> entries() const {
    std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  struct Entry {
    Log* log;
    int what;
  };
  static void write(void* data) {
    auto* entry = static_cast<Entry*>(data);
    entry->log->append(entry->what);
    delete entry;
  }
  mutable std::mutex mutex_;
  std::vector<int> entries_;
};
