// SPDX-License-Identifier: Apache-2.0
// The alignment that PTX gives a variable holds in each block and for each thread.
#include <cuda.h>

#include <string>
#include <vector>

#include "tests/api/driver/module_scene.hpp"

namespace {

constexpr unsigned blocks = 3, threads = 67;

struct Variable {
  std::string space;
  unsigned alignment;
  unsigned bytes_before;  // of another variable
  bool waits;             // whether the threads meet at a barrier: their warps then have frames
};

// Each thread writes its number to its word of the variable, and stores what it finds there later
// and the word's generic address. Local memory is a thread's own, so there it is the first word.
std::string kernel_with(const Variable& v) {
  const std::string align = std::to_string(v.alignment);
  return ptx_head + ".visible .entry k(.param .u64 to) {\n" +
         (v.bytes_before ? "." + v.space + " .b8 before[" + std::to_string(v.bytes_before) + "];\n"
                         : "") +
         "." + v.space + " .align " + align + " .b8 words[" +
         std::to_string(v.space == "local" ? 8 : 4 * threads) + R"(];
  .reg .b32 %thread, %block, %index, %found;
  .reg .b64 %to, %at, %word, %address;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %index, %block, )" +
         std::to_string(threads) + R"(, %thread;
  ld.param.u64 %to, [to];
  mad.wide.u32 %at, %index, 16, %to;
  mov.u64 %word, words;
  cvta.)" +
         v.space + ".u64 %address, %word;\n" +
         (v.space == "local" ? "" : "mad.wide.u32 %word, %thread, 4, %word;\n") + "st." + v.space +
         ".u32 [%word], %index;\n" +
         (v.bytes_before ? "st." + v.space + ".u8 [before], -1;\n" : "") +
         (v.waits ? "bar.sync 0;\n" : "") + "ld." + v.space + R"(.u32 %found, [%word];
  st.global.u64 [%at], %address;
  st.global.u32 [%at+8], %found;
  ret;
})";
}

TEST(alignment, HoldsForEachThread) {
  const Scene scene;
  struct Answer {
    uint64_t address;
    uint32_t found, unused;
  };
  std::vector<Answer> answers(size_t{blocks} * threads);
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAlloc(&memory, answers.size() * sizeof(Answer)), CUDA_SUCCESS);
  for (const char* const space : {"local", "shared"})
    for (unsigned alignment = 4; alignment <= 4096; alignment *= 2)
      for (const unsigned before : {0, 1, 129})
        for (const bool waits : {false, true}) {
          const Variable variable{space, alignment, before, waits};
          const std::string text = kernel_with(variable);
          SCOPED_TRACE(text);
          CUmodule module = nullptr;
          CUfunction kernel = nullptr;
          ASSERT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
          ASSERT_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
          void* arguments[] = {&memory};
          ASSERT_EQ(
              cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
              CUDA_SUCCESS);
          ASSERT_EQ(cuMemcpyDtoH(answers.data(), memory, answers.size() * sizeof(Answer)),
                    CUDA_SUCCESS);
          size_t misaligned = 0, wrong = 0;
          for (size_t i = 0; i < answers.size(); ++i) {
            misaligned += answers[i].address % alignment != 0;
            wrong += answers[i].found != i;
          }
          EXPECT_EQ(misaligned, 0u);
          EXPECT_EQ(wrong, 0u);
          ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
        }
}

// A name of dynamic memory may ask for more than the variables before it.
TEST(alignment, HoldsForDynamicSharedMemory) {
  const Scene scene;
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAlloc(&memory, 8 * blocks), CUDA_SUCCESS);
  for (unsigned alignment = 1; alignment <= 4096; alignment *= 4) {
    const std::string text =
        ptx_head + ".extern .shared .align " + std::to_string(alignment) + R"( .b8 rest[];
.visible .entry k(.param .u64 to) {
  .shared .b8 before[5];
  .reg .b64 %to, %at, %address;
  .reg .b32 %block;
  mov.u32 %block, %ctaid.x;
  ld.param.u64 %to, [to];
  mad.wide.u32 %at, %block, 8, %to;
  st.shared.u8 [before], 1;
  mov.u64 %address, rest;
  st.shared.u8 [%address], 2;
  cvta.shared.u64 %address, %address;
  st.global.u64 [%at], %address;
  ret;
})";
    SCOPED_TRACE(text);
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    ASSERT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
    void* arguments[] = {&memory};
    ASSERT_EQ(cuLaunchKernel(kernel, blocks, 1, 1, 1, 1, 1, 64, nullptr, arguments, nullptr),
              CUDA_SUCCESS);
    uint64_t addresses[blocks];
    ASSERT_EQ(cuMemcpyDtoH(addresses, memory, sizeof addresses), CUDA_SUCCESS);
    for (const uint64_t address : addresses) EXPECT_EQ(address % alignment, 0u);
    ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  }
}

// Variables of modules, in memory of the device.
TEST(alignment, HoldsForVariablesOfModules) {
  const Scene scene;
  for (const char* const space : {"global", "const"})
    for (unsigned alignment = 1; alignment <= 4096; alignment *= 4) {
      const std::string declared = std::string(".visible .") + space;
      const std::string text = ptx_head + declared + " .b8 before = 1;\n" + declared + " .align " +
                               std::to_string(alignment) + " .b8 aligned[9];\n";
      SCOPED_TRACE(text);
      CUmodule module = nullptr;
      CUdeviceptr address = 0;
      size_t bytes = 0;
      ASSERT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
      ASSERT_EQ(cuModuleGetGlobal(&address, &bytes, module, "aligned"), CUDA_SUCCESS);
      EXPECT_EQ(address % alignment, 0u);
      EXPECT_EQ(bytes, 9u);
      ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    }
}

}  // namespace
