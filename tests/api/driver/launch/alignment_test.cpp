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

// Runs kernel `k` of a module with 67 threads; returns the word that each has written.
std::vector<uint32_t> words_of(const std::string& text) {
  std::vector<uint32_t> words(threads);
  CUdeviceptr memory = 0;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  EXPECT_EQ(cuMemAlloc(&memory, 4 * threads), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
  void* arguments[] = {&memory};
  EXPECT_EQ(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH(words.data(), memory, 4 * threads), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
  return words;
}

// Computes %answer from %thread.
std::string kernel_that(const std::string& computes) {
  return ".visible .entry k(.param .u64 to) {\n"
         "  .reg .b32 %thread, %answer, %a, %b; .reg .b64 %to, %x, %y;\n"
         "  mov.u32 %thread, %tid.x;\n" +
         computes + R"(
  ld.param.u64 %to, [to];
  mad.wide.u32 %to, %thread, 4, %to;
  st.global.u32 [%to], %answer;
  ret;
})";
}

// In local memory and in the generic address space.
TEST(alignment, HoldsForAllocations) {
  const Scene scene;
  ASSERT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 32768), CUDA_SUCCESS);
  for (unsigned alignment = 1; alignment <= 4096; alignment *= 2) {
    const std::string align = std::to_string(alignment), mask = std::to_string(alignment - 1);
    SCOPED_TRACE(align);
    const std::vector<uint32_t> words = words_of(ptx_head + kernel_that(R"(
  .local .b8 before[5];
  st.local.u8 [before+4], 1;
  alloca.u64 %x, 12, 4;
  st.local.u32 [%x+8], -1;
  alloca.u64 %x, 40, )" + align + R"(;
  cvta.local.u64 %y, %x;
  st.local.u32 [%x], %thread;
  ld.u32 %answer, [%y];
  cvt.u32.u64 %a, %x;
  cvt.u32.u64 %b, %y;
  or.b32 %a, %a, %b;
  and.b32 %a, %a, )" + mask + R"(;
  mad.lo.u32 %answer, %a, 1000, %answer;)"));
    for (unsigned t = 0; t < threads; ++t) ASSERT_EQ(words[t], t);
  }
}

TEST(alignment, OfAllocationsIsAPowerOfTwo) {
  const Scene scene;
  for (const char* const alignment : {"0", "3", "8192", "0x100000000"}) {
    const std::string text = ptx_head + ".visible .entry k() { .reg .b64 %x; alloca.u64 %x, 8, " +
                             alignment + "; ret; }";
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    CUresult result = cuModuleLoadData(&module, text.c_str());
    if (result == CUDA_SUCCESS) result = cuModuleGetFunction(&kernel, module, "k");
    if (result == CUDA_SUCCESS)
      result = cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
    EXPECT_EQ(result, CUDA_ERROR_INVALID_PTX) << alignment;
  }
}

// Each activation counts what is wrong with its variable's address and calls the next.
TEST(alignment, HoldsForVariablesOfFunctionsThatCallThemselves) {
  const Scene scene;
  ASSERT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 32768), CUDA_SUCCESS);
  for (unsigned alignment = 4; alignment <= 4096; alignment *= 2) {
    const std::string align = std::to_string(alignment), mask = std::to_string(alignment - 1);
    SCOPED_TRACE(align);
    const auto calling = [](const char* function, const char* from, const char* to) {
      return std::string("{ .param .b32 given, taken; st.param.b32 [given], ") + from +
             "; call (taken), " + function + ", (given); ld.param.b32 " + to + ", [taken]; }\n";
    };
    const std::vector<uint32_t> words =
        words_of(ptx_head + R"(.func (.param .b32 result) deeper(.param .b32 n) {
  .reg .pred %last;
  .reg .b32 %n, %less, %wrong, %below, %kept;
  .reg .b64 %place, %address;
  .local .b8 odd[3];
  .local .align )" +
                 align + R"( .b8 mine[8];
  ld.param.b32 %n, [n];
  st.local.u8 [odd], 1;
  st.local.u32 [mine], %n;
  mov.u64 %place, mine;
  cvta.local.u64 %address, %place;
  cvt.u32.u64 %wrong, %address;
  and.b32 %wrong, %wrong, )" +
                 mask + R"(;
  setp.eq.u32 %last, %n, 0;
  @%last bra DONE;
  sub.u32 %less, %n, 1;
  )" + calling("deeper", "%less", "%below") +
                 R"(
  add.u32 %wrong, %wrong, %below;
  ld.local.u32 %kept, [mine];
  mad.lo.u32 %wrong, %kept, 10000, %wrong;
DONE:
  st.param.b32 [result], %wrong;
  ret;
}
)" + kernel_that("and.b32 %a, %thread, 3;\n" + calling("deeper", "%a", "%answer")));
    for (unsigned t = 0; t < threads; ++t)
      ASSERT_EQ(words[t], 10000 * (t % 4) * (t % 4 + 1) / 2) << t;
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
