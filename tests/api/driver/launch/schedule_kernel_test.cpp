// SPDX-License-Identifier: Apache-2.0
// Kernels under a schedule. A kernel that runs by itself finishes before anything else begins,
// however often it sleeps or yields. A kernel that waits, however it asks, lets other work run in
// between; so it does with a single worker and no schedule.
#include <cuda.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

constexpr const char* text =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    // times[0] and times[1] are its beginning and end, by a clock that all work advances.
    ".visible .entry sleep(.param .u64 clock, .param .u64 times, .param .u32 turns) {\n"
    " .reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p;\n"
    " ld.param.u64 %d0,[clock]; ld.param.u64 %d1,[times]; ld.param.u32 %r0,[turns];\n"
    " atom.sys.add.u32 %r1,[%d0],1; st.u32 [%d1],%r1; mov.u32 %r2,0;\n"
    "again: nanosleep.u32 1000; add.u32 %r2,%r2,1; setp.lt.u32 %p,%r2,%r0; @%p bra again;\n"
    " atom.sys.add.u32 %r1,[%d0],1; st.u32 [%d1+4],%r1; ret; }\n"
    // Runs until a certain time, polling a word meanwhile.
    ".visible .entry sleep_until(.param .u64 clock, .param .u64 times, .param .u32 turns) {\n"
    " .reg .b32 %r<4>; .reg .b64 %d<5>; .reg .pred %p;\n"
    " ld.param.u64 %d0,[clock]; ld.param.u64 %d1,[times]; ld.param.u32 %r0,[turns];\n"
    " atom.sys.add.u32 %r1,[%d0],1; st.u32 [%d1],%r1; mov.u64 %d2,%globaltimer;\n"
    " mul.wide.u32 %d3,%r0,100; add.u64 %d2,%d2,%d3;\n"
    "again: ld.volatile.u32 %r3,[%d1]; nanosleep.u32 1000; mov.u64 %d4,%globaltimer;\n"
    " setp.lt.u64 %p,%d4,%d2; @%p bra again;\n"
    " atom.sys.add.u32 %r1,[%d0],1; st.u32 [%d1+4],%r1; ret; }\n"
    // Each of 128 threads, in two blocks, takes the lock once.
    ".visible .entry lock(.param .u64 clock, .param .u64 times, .param .u32 turns) {\n"
    " .reg .b32 %r<6>; .reg .b64 %d<2>; .reg .pred %p;\n"
    " ld.param.u64 %d0,[clock]; ld.param.u64 %d1,[times];\n"
    " mov.u32 %r4,%tid.x; mov.u32 %r5,%ctaid.x; or.b32 %r4,%r4,%r5; setp.ne.u32 %p,%r4,0;\n"
    " @%p bra take; atom.sys.add.u32 %r1,[%d0],1; st.u32 [%d1],%r1; mov.u32 %r2,0;\n"
    "take: atom.cas.b32 %r1,[%d1+8],0,1; setp.ne.u32 %p,%r1,0; @%p nanosleep.u32 100;\n"
    " @%p bra take; ld.volatile.u32 %r1,[%d1+12]; add.u32 %r1,%r1,1;\n"
    " st.volatile.u32 [%d1+12],%r1; atom.exch.b32 %r2,[%d1+8],0;\n"
    " setp.ne.u32 %p,%r1,128; @%p ret;\n"
    " atom.sys.add.u32 %r1,[%d0],1; st.u32 [%d1+4],%r1; ret; }\n";

// Sets the second word to 1, waits until the first one has the given value, then sets the second to
// that value, too.
std::string waiting_kernel(const char* asks) {
  return std::string(
             ".version 7.8\n.target sm_80\n.address_size 64\n"
             ".visible .entry wait(.param .u64 words, .param .u32 value) {\n"
             " .reg .b32 %r<3>; .reg .b64 %d; .reg .pred %p;\n"
             " ld.param.u64 %d,[words]; ld.param.u32 %r1,[value];\n"
             " mov.u32 %r2,1; st.volatile.u32 [%d+4],%r2;\n"
             "again: ") +
         asks +
         " setp.ne.u32 %p,%r0,%r1; @%p bra again;\n"
         " st.volatile.u32 [%d+4],%r1; ret; }\n"
         ".visible .entry set(.param .u64 words, .param .u32 value) {\n"
         " .reg .b32 %r; .reg .b64 %d;\n"
         " ld.param.u64 %d,[words]; ld.param.u32 %r,[value]; st.volatile.u32 [%d],%r; ret; }\n";
}

constexpr const char* ways[] = {
    "ld.volatile.u32 %r0,[%d];",    "ld.cg.u32 %r0,[%d];",
    "atom.add.u32 %r0,[%d],0;",     "atom.sys.or.b32 %r0,[%d],0; nanosleep.u32 1000;",
    "membar.sys; ld.u32 %r0,[%d];", "ld.acquire.sys.u32 %r0,[%d]; nanosleep.u32 100;"};

constexpr const char* schedules[] = {"eager",    "lazy",       "starve:0",     "starve:1",
                                     "starve:2", "starve:1/1", "switch:1:2:1", "random:1",
                                     "random:2", "random:7",   "pct:1:3",      "pct:2:5"};

class Program {
 public:
  Program() {
    EXPECT_EQ(cuModuleLoadData(&module_, text), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAllocManaged(&memory_, words * 4, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    memset(word(0), 0, words * 4);
  }
  ~Program() {
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree(memory_), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
  }
  uint32_t* word(size_t n) const { return reinterpret_cast<uint32_t*>(memory_) + n; }
  CUfunction function(const char* name) const {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module_, name), CUDA_SUCCESS);
    return function;
  }

  // The next piece of work keeps its times in four words of its own.
  CUDA_KERNEL_NODE_PARAMS kernel(const char* name, uint32_t turns) {
    Launch& one = *launches_.emplace_back(new Launch);
    one.clock = memory_;
    one.times = memory_ + 4 * next();
    one.turns = turns;
    CUDA_KERNEL_NODE_PARAMS node{};
    node.func = function(name);
    node.gridDimX = 2 - (strcmp(name, "lock") != 0);
    node.blockDimX = strcmp(name, "lock") != 0 ? 1 : 64;
    node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
    node.kernelParams = one.values;
    return node;
  }
  void launch(const char* name, uint32_t turns, CUstream stream) {
    const CUDA_KERNEL_NODE_PARAMS node = kernel(name, turns);
    OK(cuLaunchKernel(node.func, node.gridDimX, 1, 1, node.blockDimX, 1, 1, 0, stream,
                      node.kernelParams, nullptr));
  }
  CUDA_HOST_NODE_PARAMS host() {
    Call& one = *calls_.emplace_back(new Call{word(0), word(next())});
    return {tell, &one};
  }
  void call(CUstream stream) {
    const CUDA_HOST_NODE_PARAMS node = host();
    OK(cuLaunchHostFunc(stream, node.fn, node.userData));
  }

  // No piece of work began or ended between the beginning and the end of another.
  void expect_one_by_one() const {
    EXPECT_EQ(*word(0), 2 * pieces_);
    for (uint32_t i = 0; i < pieces_; ++i)
      EXPECT_EQ(word(4 + 4 * i)[1], word(4 + 4 * i)[0] + 1) << "piece " << i;
  }
  // All ran in the order of submission.
  void expect_in_order() const {
    for (uint32_t i = 0; i < pieces_; ++i) EXPECT_EQ(word(4 + 4 * i)[0], 2 * i) << "piece " << i;
  }

 private:
  static constexpr size_t words = 1024;
  struct Launch {
    CUdeviceptr clock = 0, times = 0;
    uint32_t turns = 0;
    void* values[3] = {&clock, &times, &turns};
  };
  struct Call {
    uint32_t *clock, *times;
  };
  static void tell(void* data) {
    const auto& call = *static_cast<Call*>(data);
    call.times[0] = (*call.clock)++;
    call.times[1] = (*call.clock)++;
  }
  size_t next() { return 4 + 4 * pieces_++; }

  CUmodule module_ = nullptr;
  CUdeviceptr memory_ = 0;
  uint32_t pieces_ = 0;
  std::vector<std::unique_ptr<Launch>> launches_;
  std::vector<std::unique_ptr<Call>> calls_;
};

constexpr const char* kernels[] = {"sleep", "sleep_until", "lock"};
constexpr uint32_t turns = 30'000;

void for_each_schedule(const std::function<void()>& body) {
  for (const char* const schedule : schedules) {
    SCOPED_TRACE(schedule);
    const std::string said = run_in_child({{"CUVETTE_SCHEDULE", schedule}}, body);
    EXPECT_EQ(said, "");
  }
}

TEST(CUVETTE_SCHEDULE, NothingOvertakesAKernelThatSleeps) {
  for_each_schedule([] {
    const Scene scene;
    Program program;
    const CUstream a = new_stream(), b = new_stream();
    for (const char* const kernel : kernels) {
      program.launch(kernel, turns, a);
      program.launch("sleep", 1, b);
      program.call(b);
      program.launch(kernel, turns, b);
      program.call(a);
      program.launch("sleep", 1, a);
    }
    OK(cuCtxSynchronize());
    program.expect_one_by_one();
    if (std::string(getenv("CUVETTE_SCHEDULE")) == "eager") program.expect_in_order();
    OK(cuStreamDestroy(a));
    OK(cuStreamDestroy(b));
  });
}

TEST(CUVETTE_SCHEDULE, NothingOvertakesAStepThatSleeps) {
  for_each_schedule([] {
    const Scene scene;
    Program program;
    const CUstream a = new_stream(), b = new_stream();
    CUgraph graph = nullptr;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode node = nullptr;
    for (const char* const kernel : kernels) {
      const CUDA_KERNEL_NODE_PARAMS sleeps = program.kernel(kernel, turns);
      OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &sleeps));
      const CUDA_HOST_NODE_PARAMS host = program.host();
      OK(cuGraphAddHostNode(&node, graph, nullptr, 0, &host));
    }
    CUgraphExec exec = nullptr;
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, a));
    program.launch("sleep", turns, b);
    program.call(b);
    OK(cuCtxSynchronize());
    program.expect_one_by_one();
    if (std::string(getenv("CUVETTE_SCHEDULE")) == "eager") program.expect_in_order();
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(a));
    OK(cuStreamDestroy(b));
  });
}

// Returns two of the ways; which ones depends on the schedule.
std::vector<const char*> some_ways() {
  const char* const schedule = getenv("CUVETTE_SCHEDULE");
  const size_t n = schedule ? std::hash<std::string>()(schedule) : 0;
  return {ways[n % 6], ways[(n / 6) % 6]};
}

// Memory shared by host and kernels, and a kernel that waits for one of its words.
class Waiting {
 public:
  explicit Waiting(const char* way, bool managed) : managed_(managed) {
    EXPECT_EQ(cuModuleLoadData(&module_, waiting_kernel(way).c_str()), CUDA_SUCCESS);
    if (managed) {
      EXPECT_EQ(cuMemAllocManaged(&memory_, 64, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
      words_ = reinterpret_cast<uint32_t*>(memory_);
    } else {
      void* host = nullptr;
      EXPECT_EQ(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
      words_ = static_cast<uint32_t*>(host);
      EXPECT_EQ(cuMemHostGetDevicePointer(&memory_, host, 0), CUDA_SUCCESS);
    }
    memset(words_, 0, 64);
  }
  ~Waiting() {
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(managed_ ? cuMemFree(memory_) : cuMemFreeHost(words_), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
  }
  CUDA_KERNEL_NODE_PARAMS kernel(const char* name, uint32_t value) {
    CUDA_KERNEL_NODE_PARAMS node{};
    EXPECT_EQ(cuModuleGetFunction(&node.func, module_, name), CUDA_SUCCESS);
    value_ = value;
    node.gridDimX = 2;
    node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
    node.blockDimX = 32;
    node.kernelParams = parameters_;
    return node;
  }
  void launch(const char* name, uint32_t value, CUstream stream) {
    const CUDA_KERNEL_NODE_PARAMS node = kernel(name, value);
    OK(cuLaunchKernel(node.func, 2, 1, 1, 32, 1, 1, 0, stream, parameters_, nullptr));
  }
  uint32_t seen() const { return __atomic_load_n(words_ + 1, __ATOMIC_SEQ_CST); }
  void write(uint32_t value) { __atomic_store_n(words_, value, __ATOMIC_SEQ_CST); }
  CUdeviceptr place() const { return memory_; }

 private:
  const bool managed_;
  CUmodule module_ = nullptr;
  CUdeviceptr memory_ = 0;
  uint32_t* words_ = nullptr;
  uint32_t value_ = 0;
  void* parameters_[2] = {&memory_, &value_};
};

void in_each_setting(const std::function<void()>& body) {
  for_each_schedule(body);
  SCOPED_TRACE("one worker");
  EXPECT_EQ(run_in_child({{"CUVETTE_SCHEDULE", nullptr}, {"CUVETTE_WORKERS", "1"}}, body), "");
}

TEST(CUVETTE_SCHEDULE, AKernelThatWaitsLetsOthersCome) {
  in_each_setting([] {
    const Scene scene;
    const CUstream a = new_stream(), b = new_stream();
    for (const char* const way : some_ways()) {
      Waiting waiting(way, false);
      uint32_t value = 10;
      for (const bool later_first : {false, true}) {
        const CUstream first = later_first ? b : a, second = later_first ? a : b;
        waiting.launch("wait", ++value, first);
        waiting.launch("set", value, second);
        OK(cuStreamSynchronize(first));
        EXPECT_EQ(waiting.seen(), value);
        waiting.launch("wait", ++value, first);
        OK(cuMemsetD32Async(waiting.place(), value, 1, second));
        OK(cuCtxSynchronize());
        EXPECT_EQ(waiting.seen(), value);
        waiting.launch("wait", 1000, first);
        OK(cuLaunchHostFunc(
            second, [](void* to) { static_cast<Waiting*>(to)->write(1000); }, &waiting));
        OK(cuStreamSynchronize(first));
        EXPECT_EQ(waiting.seen(), 1000u);
        OK(cuStreamSynchronize(second));
      }
    }
    OK(cuStreamDestroy(a));
    OK(cuStreamDestroy(b));
  });
}

TEST(CUVETTE_SCHEDULE, AStepThatWaitsLetsOthersCome) {
  in_each_setting([] {
    const Scene scene;
    const CUstream stream = new_stream();
    for (const char* const way : some_ways()) {
      Waiting waiting(way, true);
      CUgraph graph = nullptr;
      OK(cuGraphCreate(&graph, 0));
      CUgraphNode node = nullptr;
      const CUDA_KERNEL_NODE_PARAMS waits = waiting.kernel("wait", 5);
      OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &waits));
      const CUDA_KERNEL_NODE_PARAMS sets = waiting.kernel("set", 5);
      OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &sets));
      CUgraphExec exec = nullptr;
      OK(cuGraphInstantiate(&exec, graph, 0));
      OK(cuGraphLaunch(exec, stream));
      OK(cuStreamSynchronize(stream));
      EXPECT_EQ(waiting.seen(), 5u);
      OK(cuGraphExecDestroy(exec));
      OK(cuGraphDestroy(graph));
    }
    OK(cuStreamDestroy(stream));
  });
}

TEST(CUVETTE_SCHEDULE, AKernelThatWaitsForTheProgramGoesOn) {
  in_each_setting([] {
    const Scene scene;
    const CUstream stream = new_stream();
    for (const bool managed : {false, true})
      for (const char* const way : some_ways()) {
        Waiting waiting(way, managed);
        waiting.launch("wait", 7, stream);
        // The kernel has begun, as the program finds out by polling.
        EXPECT_TRUE(eventually([&] {
          EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
          return waiting.seen() == 1;
        }));
        waiting.write(7);
        OK(cuStreamSynchronize(stream));
        EXPECT_EQ(waiting.seen(), 7u);
      }
    OK(cuStreamDestroy(stream));
  });
}

// If the program makes no calls, a watch takes the next step.
TEST(CUVETTE_SCHEDULE, AKernelThatWaitsForAProgramThatSpinsGoesOn) {
  for (const char* const schedule : {"eager", "lazy"}) {
    const std::string said = run_in_child({{"CUVETTE_SCHEDULE", schedule}}, [] {
      const Scene scene;
      Waiting waiting(ways[0], false);
      waiting.launch("wait", 7, nullptr);
      EXPECT_TRUE(eventually([&] { return waiting.seen() == 1; }));
      waiting.write(7);
      EXPECT_TRUE(eventually([&] { return waiting.seen() == 7; }));
    });
    EXPECT_EQ(said, "");
  }
}

}  // namespace
