// SPDX-License-Identifier: Apache-2.0
// Calls of kernels to CUDA's device runtime, and how kernels control the graph they belong to.
#include <cuda.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/graph_scene.hpp"
#include "tests/api/driver/module_scene.hpp"

namespace {

// A kernel that calls `function` as compilers write it. A parameter "place" is the address of a
// word in local memory, which the kernel copies out after the result; others are passed as they
// are.
std::string asking(const std::string& function, const std::vector<std::string>& parameters) {
  std::string declared, passed, names;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string n = std::to_string(i), type = parameters[i] == "place" ? "b64" : "b32";
    declared += (i ? ", " : "") + (".param ." + type) + " d" + n;
    passed += ".param ." + type + " p" + n + ";\nst.param." + type + " [p" + n + "], " +
              (parameters[i] == "place" ? "%place" : parameters[i]) + ";\n";
    names += (i ? ", p" : "p") + n;
  }
  const std::string between = parameters.empty() ? "" : ", (" + names + ")";
  return ptx_head + ".extern .func (.param .b32 r) " + function +
         (parameters.empty() ? "" : "(" + declared + ")") +
         ";\n.visible .entry k(.param .u64 to) {\n.local .align 8 .b64 word[1];\n.reg .b64 %place, "
         "%to, "
         "%value; .reg .b32 %result;\ncvta.local.u64 %place, word;\nmov.b64 %value, -1; "
         "st.local.b64 "
         "[word], %value;\n{\n" +
         passed + ".param .b32 back;\ncall.uni (back), " + function + between +
         ";\nld.param.b32 %result, [back];\n}\nld.param.u64 %to, [to];\nst.global.u32 [%to], "
         "%result;\nld.local.b64 %value, [word]; st.global.b64 [%to+8], %value;\nret;\n}\n";
}

struct Answer {
  uint32_t result = 0, unused = 0;
  uint64_t value = 0;
};

Answer ask(const std::string& function, const std::vector<std::string>& parameters) {
  Answer answer;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr memory;
  EXPECT_EQ(cuMemAlloc(&memory, sizeof answer), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(memory, 0, sizeof answer), CUDA_SUCCESS);
  const std::string text = asking(function, parameters);
  EXPECT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS) << text;
  EXPECT_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
  void* values[] = {&memory};
  EXPECT_EQ(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, values, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH(&answer, memory, sizeof answer), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
  return answer;
}

TEST(cuLaunchKernel, KernelsAskAboutTheirDevice) {
  const Scene scene;
  int expected = 0;
  OK(cuDeviceGetAttribute(&expected, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  Answer answer = ask("__cudaCDP2DeviceGetAttribute", {"place", "16", "0"});
  EXPECT_EQ(answer.result, 0u);
  EXPECT_EQ(static_cast<int>(answer.value), expected);
  EXPECT_EQ(ask("__cudaCDP2DeviceGetAttribute", {"place", "16", "99"}).result, 101u);
  EXPECT_EQ(ask("__cudaCDP2DeviceGetAttribute", {"place", "5000", "0"}).result, 1u);

  answer = ask("__cudaCDP2GetDevice", {"place"});
  EXPECT_EQ(answer.result, 0u);
  EXPECT_EQ(static_cast<uint32_t>(answer.value), 0u);
  OK(cuDeviceGetCount(&expected));
  EXPECT_EQ(static_cast<int>(ask("__cudaCDP2GetDeviceCount", {"place"}).value), expected);
  OK(cuDriverGetVersion(&expected));
  EXPECT_EQ(static_cast<int>(ask("__cudaCDP2RuntimeGetVersion", {"place"}).value), expected);

  size_t limit = 0;
  OK(cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT_EQ(ask("__cudaCDP2DeviceGetLimit", {"place", "2"}).value, limit);
  EXPECT_EQ(ask("__cudaCDP2DeviceGetLimit", {"place", "77"}).result, 215u);
  EXPECT_EQ(ask("__cudaCDP2GetLastError", {}).result, 0u);
  EXPECT_EQ(ask("__cudaCDP2PeekAtLastError", {}).result, 0u);
}

// A kernel that counts a word down and sets the condition while it is not 0. The next word counts
// how often it ran.
const std::string counts_down = ptx_head + R"(
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry step(.param .u64 handle, .param .u64 word) {
  .reg .b64 %handle, %word;
  .reg .b32 %left, %ran;
  ld.param.u64 %handle, [handle];
  ld.param.u64 %word, [word];
  ld.global.u32 %left, [%word];
  sub.u32 %left, %left, 1;
  st.global.u32 [%word], %left;
  ld.global.u32 %ran, [%word+4];
  add.u32 %ran, %ran, 1;
  st.global.u32 [%word+4], %ran;
  {
    .param .b64 p0;
    st.param.b64 [p0], %handle;
    .param .b32 p1;
    st.param.b32 [p1], %left;
    call.uni cudaGraphSetConditional, (p0, p1);
  }
  ret;
}
)";

struct Loop : Graphs {
  Loop() {
    EXPECT_EQ(cuModuleLoadData(&module, counts_down.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&step, module, "step"), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, graph, scene.context, 1,
                                             CU_GRAPH_COND_ASSIGN_DEFAULT),
              CUDA_SUCCESS);
    word = memory;
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    p.conditional.size = 1;
    p.conditional.ctx = scene.context;
    CUgraphNode node = nullptr, body = nullptr;
    EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &p), CUDA_SUCCESS);
    CUDA_KERNEL_NODE_PARAMS kernel = {};
    kernel.func = step;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = values;
    EXPECT_EQ(cuGraphAddKernelNode(&body, p.conditional.phGraph_out[0], nullptr, 0, &kernel),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32(memory, 0, 2), CUDA_SUCCESS);
  }
  // Synchronises, since the graph's stream does not wait for the legacy one.
  void set(unsigned left) const {
    EXPECT_EQ(cuMemsetD32(word, left, 1), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  }
  ~Loop() { EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS); }

  CUmodule module = nullptr;
  CUfunction step = nullptr;
  CUgraphConditionalHandle handle = 0;
  CUdeviceptr word = 0;
  void* values[2] = {&handle, &word};
};

TEST(cuGraphLaunch, AKernelDecidesHowOftenABodyRuns) {
  Loop g;
  const CUgraphExec exec = g.exec();
  unsigned all = 0;
  for (const unsigned times : {5u, 1u, 3u}) {
    g.set(times);
    g.run(exec);
    all += times;
    EXPECT_EQ(g.read(1), all);
  }
}

// Each executable graph has conditions of its own, although the handle is the same.
TEST(cuGraphLaunch, AKernelDecidesForItsOwnGraph) {
  Loop g;
  const CUgraphExec one = g.exec(), other = g.exec();
  g.set(2);
  g.run(one);
  g.set(4);
  g.run(other);
  EXPECT_EQ(g.read(1), 6u);
}

// Breaks the process for good, so it runs in a death test.
[[noreturn]] void decide_outside_of_a_graph() {
  Loop g;
  cuLaunchKernel(g.step, 1, 1, 1, 1, 1, 1, 0, nullptr, g.values, nullptr);
  _exit(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS ? 0 : 1);
}

TEST(cuLaunchKernelDeathTest, AKernelOutsideOfAGraphDecidesNothing) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(decide_outside_of_a_graph(), testing::ExitedWithCode(0),
              "cudaGraphSetConditional\\(\\) with a handle that is not a condition");
}

}  // namespace
