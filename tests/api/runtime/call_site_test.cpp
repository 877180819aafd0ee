// SPDX-License-Identifier: Apache-2.0
// Reports name the place in the program that called the runtime, not the one in the runtime that
// called the driver.
#include <cuda.h>
#include <cuvetteCallSite.h>

#include <algorithm>
#include <regex>
#include <thread>

#include "tests/api/driver/child.hpp"
#include "tests/api/runtime/registered.hpp"

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                       void* stream);
cudaError_t cudaMemcpy_ptds(void* dst, const void* src, size_t count, cudaMemcpyKind kind);
}

namespace cuvette::runtime_tests {
namespace {

// Returns the call sites that `text` names, as offsets within the program.
std::vector<uintptr_t> places(const std::string& text, const std::string& label) {
  std::vector<uintptr_t> found;
  const std::regex line(label + R"((?:[^\n]*\()?(\S*?)\+0x([0-9a-f]+))");
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match) {
    EXPECT_NE((*match)[1].str().find("runtime_test"), std::string::npos) << (*match)[0];
    found.push_back(std::stoul((*match)[2], nullptr, 16));
  }
  return found;
}

[[gnu::noinline]] cudaError_t launch_as_a_compiler_does(void* place) {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  void* arguments[] = {&place};
  return cudaLaunchKernel(reinterpret_cast<const void*>(&store_far), grid, block, arguments, shared,
                          stream);
}

TEST(OnBehalfOfCall, ACallIsNamedByWhereTheProgramMakesIt) {
  const std::string text = run_in_child({{"CUVETTE_EXPLAIN", "1"}}, [] {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
    char bytes[32];
    EXPECT_NE(cudaMemcpy(bytes, memory, 1 << 22, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_NE(cudaMemcpy_ptds(bytes, memory, 1 << 22, cudaMemcpyDeviceToHost), cudaSuccess);
  });
  const auto found = places(text, "called at ");
  ASSERT_EQ(found.size(), 2u) << text;
  EXPECT_NE(found[0], found[1]);
}

// Two places in a program that launch through the same function.
[[gnu::noinline]] void configure_first() {
  EXPECT_EQ(__cudaPushCallConfiguration(1, 1, 0, nullptr), 0u);
}
[[gnu::noinline]] void configure_second() {
  EXPECT_EQ(__cudaPushCallConfiguration(1, 2, 0, nullptr), 0u);
}

TEST(OnBehalfOfCall, ALaunchIsNamedByWhereItIsConfigured) {
  std::vector<uintptr_t> found;
  for (const bool second : {false, true}) {
    const std::string text = run_in_child({}, [second] {
      program();
      if (second)
        configure_second();
      else
        configure_first();
      EXPECT_EQ(launch_as_a_compiler_does(reinterpret_cast<void*>(0x1000)), cudaSuccess);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    });
    const auto place = places(text, "launched at: ");
    ASSERT_EQ(place.size(), 1u) << text;
    found.push_back(place[0]);
  }
  EXPECT_NE(found[0], found[1]);
}

TEST(cuvetteCallSite, TheSlotIsTheThreadsOwnAndEmptyBetweenCalls) {
  static constexpr unsigned char id[] = CUVETTE_CALL_SITE_TABLE;
  CUuuid identifier;
  std::copy_n(id, sizeof identifier.bytes, identifier.bytes);
  const void* table = nullptr;
  ASSERT_EQ(cuGetExportTable(&table, &identifier), CUDA_SUCCESS);
  const auto* const sites = static_cast<const cuvetteCallSiteTable*>(table);
  EXPECT_EQ(sites->size, sizeof *sites);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(*sites->slot(), nullptr);
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_EQ(*sites->slot(), nullptr);
  const void** other = nullptr;
  std::thread([&] { other = sites->slot(); }).join();
  EXPECT_NE(other, sites->slot());
}

}  // namespace
}  // namespace cuvette::runtime_tests
