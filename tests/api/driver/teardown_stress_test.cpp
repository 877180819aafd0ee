// SPDX-License-Identifier: Apache-2.0
// Contexts are reset and destroyed, and modules unloaded, while four threads use them in every way.
// Nothing may hang or crash, and calls may fail only because the objects they name are gone.
//
// Takes some seconds; minutes with CUVETTE_TEST_MINUTES.
#include <cuda.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <random>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/semaphores.hpp"

namespace {

constexpr const char* kernels =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter;\n"
    ".visible .entry none() { ret; }\n"
    // Takes a while and uses no memory, so a reset cannot take any away from it.
    ".visible .entry sleep() { .reg .b32 %r; mov.u32 %r, 50000; nanosleep.u32 %r; ret; }\n"
    // memory[thread] += 1
    ".visible .entry add(.param .u64 memory) {\n"
    " .reg .b32 %r<3>; .reg .b64 %d<4>;\n"
    " ld.param.u64 %d0,[memory]; cvta.to.global.u64 %d1,%d0; mov.u32 %r0,%tid.x;\n"
    " mul.wide.u32 %d2,%r0,4; add.s64 %d3,%d1,%d2; ld.global.u32 %r1,[%d3]; add.u32 %r2,%r1,1;\n"
    " st.global.u32 [%d3],%r2; ret; }\n";
constexpr size_t words = 256;

// Calls fail here whenever another thread has destroyed the objects that they name; these results
// are allowed.
bool expected(CUresult result) {
  switch (result) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_NOT_READY:
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_NOT_FOUND:
    // Another thread captures a stream of the same context.
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    // A reset frees the memory of a running kernel; later calls fail, too.
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

// A thread's work: it creates and destroys streams, events, modules, pools and graphs in whatever
// context is current.
class User {
 public:
  // `kernel`: `add`, which writes to memory that a reset may take away, or `sleep`.
  User(unsigned seed, const char* kernel) : random_(seed), kernel_(kernel) {}

  void step() {
    switch (random_() % 16) {
      case 0:
        return forget();
      case 1:
        check(cuStreamSynchronize(stream_));
        return;
      case 2:
        check(cuStreamQuery(stream_));
        check(cuEventQuery(event_));
        return;
      case 3:
      case 4:
      case 5:
        return call_host();
      case 6:
        return copy();
      case 7:
      case 8:
        return launch();
      case 9:
        return graph();
      case 10:
        return capture();
      case 11:
        return pool();
      case 12:
        check(cuEventRecord(event_, stream_));
        check(cuStreamWaitEvent(nullptr, event_, 0));
        return;
      case 13:
        return semaphore();
      case 14:
        return wait_for_value();
      case 15:
        if (module_) check(cuModuleUnload(std::exchange(module_, nullptr)));
        return;
    }
  }

  // Drops everything of the previous context, destroying what still exists.
  void forget() {
    if (graph_exec_) check(cuGraphExecDestroy(std::exchange(graph_exec_, nullptr)));
    if (stream_) check(cuStreamDestroy(std::exchange(stream_, nullptr)));
    if (event_) check(cuEventDestroy(std::exchange(event_, nullptr)));
    if (memory_) check(cuMemFree(std::exchange(memory_, 0)));
    if (module_) check(cuModuleUnload(std::exchange(module_, nullptr)));
    make();
  }

  int refused() const { return refused_; }

 private:
  void check(CUresult result) {
    EXPECT_TRUE(expected(result)) << result;
    if (result != CUDA_SUCCESS) ++refused_;
  }

  void make() {
    check(cuStreamCreate(&stream_, random_() % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
    check(cuEventCreate(&event_, random_() % 2 ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT));
    check(cuMemAlloc(&memory_, 4 * words));
  }
  void call_host() {
    const int count = 1 + random_() % 4;
    for (int i = 0; i < count; ++i)
      check(cuLaunchHostFunc(
          stream_, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &called_));
  }
  void copy() {
    check(cuMemsetD32Async(memory_, random_(), words, stream_));
    check(cuMemcpyDtoHAsync(host_, memory_, sizeof host_, stream_));
    check(cuMemcpyHtoDAsync(memory_, host_, sizeof host_, stream_));
    check(cuStreamSynchronize(stream_));
  }
  // Waits only for a value that is sure to come. The word must stay this thread's: device memory
  // would not, since its address can be given to another thread after a reset.
  void wait_for_value() {
    const CUresult registered = cuMemHostRegister(page_, sizeof page_, 0);
    if (registered != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) check(registered);
    const auto word = reinterpret_cast<CUdeviceptr>(page_);
    const CUresult written = cuStreamWriteValue32(stream_, word, 1, 0);
    check(written);
    if (written == CUDA_SUCCESS)
      check(cuStreamWaitValue32(stream_, word, 1, CU_STREAM_WAIT_VALUE_EQ));
  }
  CUfunction function(const char* name) {
    if (!module_) check(cuModuleLoadData(&module_, kernels));
    CUfunction function = nullptr;
    if (module_) check(cuModuleGetFunction(&function, module_, name));
    return function;
  }
  void launch() {
    if (const CUfunction none = function("none"))
      check(cuLaunchKernel(none, 8, 1, 1, 32, 1, 1, 0, stream_, nullptr, nullptr));
    void* parameters[] = {&memory_};
    if (const CUfunction kernel = function(kernel_))
      check(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr));
  }
  void graph() {
    if (graph_exec_) {
      check(cuGraphLaunch(graph_exec_, stream_));
      return;
    }
    CUgraph graph;
    check(cuGraphCreate(&graph, 0));
    CUgraphNode nodes[2];
    const CUDA_HOST_NODE_PARAMS call = {[](void* data) { ++*static_cast<std::atomic<int>*>(data); },
                                        &called_};
    check(cuGraphAddHostNode(&nodes[0], graph, nullptr, 0, &call));
    check(cuGraphAddEmptyNode(&nodes[1], graph, nodes, 1));
    if (cuGraphInstantiateWithFlags(&graph_exec_, graph, 0) != CUDA_SUCCESS) graph_exec_ = nullptr;
    check(cuGraphDestroy(graph));
  }
  void capture() {
    if (const CUresult begun = cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED);
        begun != CUDA_SUCCESS)
      return check(begun);
    cuMemsetD32Async(memory_, 1, words, stream_);
    CUgraph graph = nullptr;
    cuStreamEndCapture(stream_, &graph);
    if (graph) check(cuGraphDestroy(graph));
  }
  void pool() {
    CUdeviceptr memory = 0;
    if (const CUresult got = cuMemAllocAsync(&memory, 1 << 16, stream_); got != CUDA_SUCCESS)
      return check(got);
    check(cuMemsetD8Async(memory, 1, 1 << 16, stream_));
    check(cuMemFreeAsync(memory, stream_));
  }
  void semaphore();

  std::mt19937 random_;
  const char* const kernel_;
  CUstream stream_ = nullptr;
  CUevent event_ = nullptr;
  CUdeviceptr memory_ = 0;
  CUmodule module_ = nullptr;
  CUgraphExec graph_exec_ = nullptr;
  const HostSemaphore host_semaphore_{CUVETTE_SEMAPHORE_TIMELINE};
  uint64_t signalled_ = 0;
  unsigned host_[words] = {};
  alignas(4096) unsigned page_[1024] = {};
  std::atomic<int> called_{0};
  int refused_ = 0;
};

void User::semaphore() {
  CUexternalSemaphore imported = nullptr;
  const int fd = dup(host_semaphore_.fd());
  if (const CUresult got = import_fd(&imported, fd, as_timeline); got != CUDA_SUCCESS) {
    close(fd);
    return check(got);
  }
  const CUresult signalled = signal(imported, ++signalled_, stream_);
  check(signalled);
  if (signalled == CUDA_SUCCESS) check(wait(imported, signalled_, stream_));
  check(cuDestroyExternalSemaphore(imported));
}

std::chrono::milliseconds how_long() {
  const char* const minutes = getenv("CUVETTE_TEST_MINUTES");
  return minutes ? std::chrono::milliseconds(atoi(minutes) * 60'000)
                 : std::chrono::milliseconds(2'000);
}

// Runs until the time is up; a call that hangs ends the process with a message.
class Watched {
 public:
  Watched()
      : end_(std::chrono::steady_clock::now() + how_long()), watch_([this] {
          uint64_t seen = steps;
          auto since = std::chrono::steady_clock::now();
          while (!over) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            const auto now = std::chrono::steady_clock::now();
            if (steps != seen) {
              seen = steps;
              since = now;
            } else if (now - since > std::chrono::seconds(100)) {
              fprintf(stderr, "No call has returned for 100 s.\n");
              abort();
            }
          }
        }) {}
  ~Watched() {
    over = true;
    watch_.join();
  }
  bool goes_on() {
    ++steps;
    return std::chrono::steady_clock::now() < end_ && !testing::Test::HasFailure();
  }

  std::atomic<uint64_t> steps{0};
  std::atomic<bool> over{false};

 private:
  const std::chrono::steady_clock::time_point end_;
  std::thread watch_;
};

// Once it is retained, the context can be used again.
void reset() {
  CUcontext again;
  EXPECT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&again, 0), CUDA_SUCCESS);
}

// A host function may never run between two resets on a loaded machine; after the last reset it
// must.
void expect_to_go_on(CUcontext context) {
  bool called = false;
  OK(cuCtxSetCurrent(context));
  OK(cuLaunchHostFunc(
      nullptr, [](void* data) { *static_cast<bool*>(data) = true; }, &called));
  OK(cuCtxSynchronize());
  EXPECT_TRUE(called);
}

// Three threads use the primary context with the named kernel, while a fourth calls `reset` over
// and over.
template <typename F>
void reset_under_load(CUcontext primary, const char* kernel, const F& reset) {
  Watched watched;
  std::vector<std::unique_ptr<User>> users;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    users.push_back(std::make_unique<User>(t, kernel));
    threads.emplace_back([&, user = users.back().get()] {
      OK(cuCtxSetCurrent(primary));
      user->forget();
      while (watched.goes_on()) user->step();
    });
  }
  threads.emplace_back([&] {
    while (watched.goes_on()) {
      reset();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (std::thread& thread : threads) thread.join();
}

TEST(TeardownStress, ThePrimaryContextIsResetUnderLoad) {
  OK(cuInit(0));
  CUcontext primary;
  OK(cuDevicePrimaryCtxRetain(&primary, 0));
  reset_under_load(primary, "add", [] { EXPECT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS); });
  // Unless a kernel lost its memory to a reset, in which case the error stays with the process.
  if (const CUresult again = cuDevicePrimaryCtxRetain(&primary, 0); again != CUDA_SUCCESS) {
    EXPECT_EQ(again, CUDA_ERROR_ILLEGAL_ADDRESS);
    return;
  }
  expect_to_go_on(primary);
  OK(cuDevicePrimaryCtxReset(0));
  OK(cuDevicePrimaryCtxRelease(0));
}

// Objects made before a reset are used in a context that lives again.
TEST(TeardownStress, ThePrimaryContextIsResetAndRetainedUnderLoad) {
  OK(cuInit(0));
  CUcontext primary;
  OK(cuDevicePrimaryCtxRetain(&primary, 0));
  reset_under_load(primary, "sleep", [] { reset(); });
  expect_to_go_on(primary);
  OK(cuDevicePrimaryCtxReset(0));
}

TEST(TeardownStress, ContextsAreDestroyedUnderLoad) {
  OK(cuInit(0));
  Watched watched;
  std::atomic<CUcontext> current{nullptr};
  std::vector<std::unique_ptr<User>> users;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    users.push_back(std::make_unique<User>(100 + t, "add"));
    threads.emplace_back([&, user = users.back().get()] {
      CUcontext last = nullptr;
      while (watched.goes_on()) {
        const CUcontext now = current;
        if (now != last) {
          // The context may be gone already.
          if (cuCtxSetCurrent(now) != CUDA_SUCCESS) continue;
          user->forget();
          last = now;
        }
        if (last) user->step();
      }
    });
  }
  threads.emplace_back([&] {
    while (watched.goes_on()) {
      CUcontext context = nullptr;
      EXPECT_EQ(cuCtxCreate(&context, nullptr, 0, 0), CUDA_SUCCESS);
      current = context;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
    }
  });
  for (std::thread& thread : threads) thread.join();
}

// A context is reset while two threads only launch host functions. A stress test of mixed work
// finds this mistake only about once an hour.
TEST(cuDevicePrimaryCtxReset, LeavesNoHostFunctionBehind) {
  OK(cuInit(0));
  CUcontext primary;
  OK(cuDevicePrimaryCtxRetain(&primary, 0));
  Watched watched;
  std::atomic<int> called{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      OK(cuCtxSetCurrent(primary));
      while (watched.goes_on()) {
        if (cuLaunchHostFunc(
                nullptr, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &called) !=
            CUDA_SUCCESS)
          continue;
        const CUresult waited = cuStreamSynchronize(nullptr);
        EXPECT_TRUE(expected(waited)) << waited;
      }
    });
  threads.emplace_back([&] {
    while (watched.goes_on()) reset();
  });
  for (std::thread& thread : threads) thread.join();
  expect_to_go_on(primary);
  OK(cuDevicePrimaryCtxRelease(0));
}

}  // namespace
