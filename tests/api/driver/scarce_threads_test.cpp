// SPDX-License-Identifier: Apache-2.0
// Programs that the system gives few threads, or only their own, and threads with small stacks. The
// test program itself never calls cuInit: each test is a child.
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

// Loads the compiler of kernels as the library will, by its path beside libcuda.so.1. What is
// loaded is not looked for again, so it may lie in a folder that other users cannot read: a clone
// in root's home.
bool load_compiler() {
  Dl_info library{};
  if (!dladdr(reinterpret_cast<const void*>(&cuInit), &library)) return false;
  const std::string path = library.dli_fname;
  return dlopen((path.substr(0, path.rfind('/')) + "/libcuvette-jit.so").c_str(), RTLD_NOW);
}

// Becomes an unprivileged user who may start `count` more threads; false if this process cannot.
bool allow_threads(unsigned count) {
  if (!load_compiler()) return false;
  const uid_t user = 200'000 + static_cast<uid_t>(getpid());
  const rlimit limit{1 + count, 1 + count};
  return setrlimit(RLIMIT_NPROC, &limit) == 0 && setresuid(user, user, user) == 0;
}

constexpr const char* module_text =
    ".version 6.4\n.target sm_50\n.address_size 64\n"
    ".visible .entry store(.param .u64 memory, .param .u32 value) {\n"
    " .reg .b32 %r<3>; .reg .b64 %d<4>;\n"
    " ld.param.u64 %d0,[memory]; ld.param.u32 %r0,[value]; cvta.to.global.u64 %d1,%d0;\n"
    " mov.u32 %r1,%tid.x; mul.wide.u32 %d2,%r1,4; add.s64 %d3,%d1,%d2; st.global.u32 [%d3],%r0;\n"
    " ret; }\n";

void count(void* data) { ++*static_cast<std::atomic<int>*>(data); }

// A user who exists for one test has a register of processes that no one else will remove.
const uid_t first_user = geteuid();
struct RegisterRemover {
  ~RegisterRemover() {
    const uid_t user = geteuid();
    if (user != first_user) shm_unlink(("/cuvette-register-1." + std::to_string(user)).c_str());
  }
};

// Uses a bit of everything, and waits both by synchronising and by polling.
void use_the_device() {
  const RegisterRemover remover;
  OK(cuInit(0));
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  const CUstream one = new_stream(), two = new_stream(CU_STREAM_DEFAULT);
  const CUevent event = new_event();
  constexpr size_t size = 16 << 20;  // copied in pieces
  const CUdeviceptr memory = new_memory(size), copy = new_memory(size);
  std::atomic<int> called{0};
  for (int i = 1; i <= 20; ++i) {
    OK(cuMemsetD8Async(memory, static_cast<unsigned char>(i), size, one));
    OK(cuEventRecord(event, one));
    OK(cuStreamWaitEvent(two, event, 0));
    OK(cuMemcpyDtoDAsync(copy, memory, size, two));
    OK(cuLaunchHostFunc(two, count, &called));
    OK(cuLaunchHostFunc(nullptr, count, &called));
    OK(cuEventRecord(event, two));
    if (i % 2) {
      OK(cuEventSynchronize(event));
      OK(cuCtxSynchronize());
    } else {
      // No thread waits in the driver; polling must notice the end nevertheless.
      ASSERT_TRUE(eventually([&] { return cuEventQuery(event) == CUDA_SUCCESS; }));
      ASSERT_TRUE(eventually([&] { return cuStreamQuery(nullptr) == CUDA_SUCCESS; }));
    }
    unsigned char last = 0;
    OK(cuMemcpyDtoH(&last, copy + size - 1, 1));
    ASSERT_EQ(last, i);
    ASSERT_EQ(called, 2 * i);
  }
  CUgraph graph;
  CUgraphExec exec;
  OK(cuGraphCreate(&graph, 0));
  for (int i = 0; i < 10; ++i) {
    CUgraphNode node, after;
    const CUDA_HOST_NODE_PARAMS call = {count, &called};
    OK(cuGraphAddHostNode(&node, graph, nullptr, 0, &call));
    const CUDA_MEMSET_NODE_PARAMS fill = {memory + 4 * i, 0, 7, 4, 1, 1};
    OK(cuGraphAddMemsetNode(&after, graph, &node, 1, &fill, context));
  }
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  called = 0;
  for (int i = 0; i < 5; ++i) OK(cuGraphLaunch(exec, one));
  OK(cuStreamSynchronize(one));
  EXPECT_EQ(called, 50);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));

  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, module_text));
  OK(cuModuleGetFunction(&function, module, "store"));
  CUdeviceptr at = memory;
  unsigned value = 77;
  void* parameters[] = {&at, &value};
  OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, one, parameters, nullptr));
  OK(cuStreamSynchronize(one));
  unsigned words[64];
  OK(cuMemcpyDtoH(words, memory, sizeof words));
  EXPECT_TRUE(std::all_of(words, words + 64, [](unsigned word) { return word == 77; }));
  OK(cuModuleUnload(module));
  OK(cuDevicePrimaryCtxReset(0));
}

TEST(Threads, MayBeFewOrNone) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which counts.";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user with other limits";
  for (const unsigned threads : {0u, 1u, 2u, 3u}) {
    const std::string text =
        run_in_child({{"CUVETTE_WORKERS", "4"}, {"CUVETTE_CACHE", "off"}}, [&] {
          ASSERT_TRUE(allow_threads(threads));
          use_the_device();
        });
    EXPECT_EQ(text.find("provides no thread to run the device's work") != std::string::npos,
              threads == 0)
        << threads << " threads: " << text;
  }
}

TEST(Threads, MayBeFewOrNoneUnderASchedule) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which counts.";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user with other limits";
  for (const unsigned threads : {0u, 1u, 2u})
    run_in_child({{"CUVETTE_SCHEDULE", "eager"}, {"CUVETTE_CACHE", "off"}}, [&] {
      ASSERT_TRUE(allow_threads(threads));
      use_the_device();
    });
}

// Runs `body` in a thread with a stack of `kibibytes` KiB.
void run_on_stack(size_t kibibytes, void* (*body)(void*), void* data) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kibibytes << 10), 0);
  pthread_t thread;
  const int failure = pthread_create(&thread, &attributes, body, data);
  pthread_attr_destroy(&attributes);
  // The stack is too small even for what the C library keeps for each thread.
  if (failure != 0) return;
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
}

// Either the stack is large enough, or cuInit fails with a message.
TEST(Threads, MayHaveSmallStacks) {
#if defined(CUVETTE_ADDRESS_SANITIZER) || defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "Instrumented frames are larger.";
#endif
  for (const size_t kibibytes : {16, 20, 24, 32, 48, 64, 80, 96, 100, 112, 128, 160, 256, 512}) {
    CUresult answer = CUDA_ERROR_UNKNOWN;
    const std::string text = run_in_child({{"CUVETTE_CACHE", "off"}}, [&] {
      run_on_stack(
          kibibytes,
          [](void* data) -> void* {
            auto& answer = *static_cast<CUresult*>(data);
            answer = cuInit(0);
            if (answer == CUDA_SUCCESS) use_the_device();
            return nullptr;
          },
          &answer);
      if (answer == CUDA_ERROR_UNKNOWN) return;
      if (kibibytes >= 128) {
        EXPECT_EQ(answer, CUDA_SUCCESS) << kibibytes;
      } else if (answer != CUDA_SUCCESS) {
        EXPECT_EQ(answer, CUDA_ERROR_OUT_OF_MEMORY) << kibibytes;
        // Other threads can still use the device.
        use_the_device();
      }
    });
    if (kibibytes <= 64) {
      EXPECT_NE(text.find("KiB of stack left calls CUDA"), std::string::npos)
          << kibibytes << ": " << text;
    }
  }
}

}  // namespace
