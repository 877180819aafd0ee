// SPDX-License-Identifier: Apache-2.0
// The contents of device memory that has not been written (CUVETTE_FILL), and the end of memory.
// Each test is a process of its own.
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/virtual_memory.hpp"

namespace {

constexpr uint32_t fresh = 0x7FFDF00D, freed = 0x7FFDDEAD;

// The words of [address, address + size).
std::vector<uint32_t> words(CUdeviceptr address, size_t size) {
  std::vector<uint32_t> words(size / 4);
  EXPECT_EQ(cuMemcpyDtoH(words.data(), address, size), CUDA_SUCCESS);
  return words;
}

size_t count(const std::vector<uint32_t>& words, uint32_t value) {
  return static_cast<size_t>(std::count(words.begin(), words.end(), value));
}

TEST(cuMemAlloc, GivesRecognisableMemory) {
  for (const char* fill : {static_cast<const char*>(nullptr), "edges", "all"})
    run_in_child({{"CUVETTE_FILL", fill}}, [] {
      const Scene scene;
      for (const size_t size : {size_t{4}, size_t{512}, size_t{4096}, size_t{65536}}) {
        const CUdeviceptr memory = new_memory(size);
        EXPECT_EQ(count(words(memory, size), fresh), size / 4) << size;
      }
    });
}

TEST(cuMemAlloc, FillsTheEdgesOfWhatIsLarge) {
  run_in_child({{"CUVETTE_FILL", "edges"}}, [] {
    const Scene scene;
    constexpr size_t size = 1 << 20;
    const CUdeviceptr memory = new_memory(size);
    const auto all = words(memory, size);
    EXPECT_EQ(count({all.begin(), all.begin() + 1024}, fresh), 1024u);
    EXPECT_EQ(count({all.end() - 1024, all.end()}, fresh), 1024u);
    EXPECT_EQ(count({all.begin() + 1024, all.end() - 1024}, fresh), 0u);
  });
}

TEST(cuMemAlloc, FillsAllOrNothingOnRequest) {
  constexpr size_t size = 1 << 20;
  run_in_child({{"CUVETTE_FILL", "all"}}, [] {
    const Scene scene;
    EXPECT_EQ(count(words(new_memory(size), size), fresh), size / 4);
  });
  run_in_child({{"CUVETTE_FILL", "none"}}, [] {
    const Scene scene;
    EXPECT_EQ(count(words(new_memory(size), size), fresh), 0u);
    EXPECT_EQ(count(words(new_memory(512), 512), fresh), 0u);
  });
}

TEST(cuMemCreate, GivesRecognisableMemory) {
  const auto held = [](size_t from, size_t to) {
    const Handle handle = created(2 * granule);
    const Mapped mapped(handle, 2 * granule);
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
    const auto all = words(mapped.address, 2 * granule);
    return count(
        {all.begin() + static_cast<long>(from / 4), all.begin() + static_cast<long>(to / 4)},
        fresh);
  };
  run_in_child({{"CUVETTE_FILL", "edges"}}, [&] {
    const Scene scene;
    EXPECT_EQ(held(0, 4096), 1024u);
    EXPECT_EQ(held(4096, 2 * granule - 4096), 0u);
    EXPECT_EQ(held(2 * granule - 4096, 2 * granule), 1024u);
  });
  run_in_child({{"CUVETTE_FILL", "all"}}, [&] {
    const Scene scene;
    EXPECT_EQ(held(0, 2 * granule), 2 * granule / 4);
  });
  run_in_child({{"CUVETTE_FILL", "none"}}, [&] {
    const Scene scene;
    EXPECT_EQ(held(0, 2 * granule), 0u);
  });
}

TEST(cuMemCreate, OfTheHostIsRecognisable) {
  run_in_child({{"CUVETTE_FILL", "edges"}}, [] {
    const Scene scene;
    const Handle handle = created(granule, CU_MEM_LOCATION_TYPE_HOST);
    const Mapped mapped(handle, granule);
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
    EXPECT_EQ(words(mapped.address, 4096).front(), fresh);
  });
}

// Frees `size` bytes and takes all memory, so that these are allocated again; `look` gets their
// words. Their middle still has the last owner's values.
void use_again(size_t size, const std::function<void(const std::vector<uint32_t>&)>& look) {
  const Scene scene;
  const CUdeviceptr old = new_memory(size);
  OK(cuMemsetD32(old, 0x11111111, size / 4));
  OK(cuMemFree(old));
  std::vector<CUdeviceptr> others;
  CUdeviceptr again = 0;
  for (CUdeviceptr memory; cuMemAlloc(&memory, size) == CUDA_SUCCESS;) {
    if (memory == old) again = memory;
    others.push_back(memory);
  }
  ASSERT_EQ(again, old) << "of " << others.size();
  look(words(again, size));
}

TEST(cuMemFree, LeavesThePatternOfFreedMemory) {
  constexpr size_t size = 4 << 20;
  // If fresh memory is not filled when it is allocated, it shows what freeing it left there.
  run_in_child({{"CUVETTE_FILL", "edges"}, {"CUVETTE_MEMORY", "64M"}}, [] {
    use_again(size, [](const std::vector<uint32_t>& all) {
      EXPECT_EQ(count(all, fresh), 2048u) << "both edges are fresh again";
      EXPECT_EQ(count(all, freed), 0u);
      EXPECT_EQ(count(all, 0x11111111), size / 4 - 2048);
    });
  });
  run_in_child({{"CUVETTE_FILL", "none"}, {"CUVETTE_MEMORY", "64M"}}, [] {
    use_again(size, [](const std::vector<uint32_t>& all) {
      EXPECT_EQ(count(all, 0x11111111), size / 4) << "nothing is written that the program did not";
    });
  });
}

TEST(cuMemFree, LeavesThePatternInPartsOfLargerMemory) {
  // Two neighbours are freed and allocated as one: their inner edges show in the middle.
  run_in_child({{"CUVETTE_FILL", "edges"}, {"CUVETTE_MEMORY", "64M"}}, [] {
    const Scene scene;
    constexpr size_t size = 4 << 20;
    const CUdeviceptr one = new_memory(size), two = new_memory(size);
    ASSERT_EQ(std::max(one, two) - std::min(one, two), size);
    OK(cuMemFree(one));
    OK(cuMemFree(two));
    std::vector<uint32_t> all;
    for (CUdeviceptr memory; cuMemAlloc(&memory, 2 * size) == CUDA_SUCCESS;)
      if (memory == std::min(one, two)) all = words(memory, 2 * size);
    ASSERT_EQ(all.size(), 2 * size / 4);
    EXPECT_EQ(count(all, freed), 2048u);
    EXPECT_EQ(all[size / 4], freed);
    EXPECT_EQ(all[size / 4 - 1], freed);
  });
}

// Each of two devices has most of the machine's memory free, but they cannot both use it.
TEST(cuMemAlloc, EndsBeforeTheMachineDoes) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer leaves no room for so much";
#endif
  // What a device has not got is refused before anything is touched.
  const std::string text = run_in_child(
      {{"CUVETTE_DEVICES", "2"}, {"CUVETTE_MEMORY", "512G"}, {"CUVETTE_FILL", "none"}}, [] {
        const Scene scene;
        size_t free = 0, total = 0;
        OK(cuMemGetInfo(&free, &total));
        constexpr size_t apart = 2 << 20;
        const size_t size = free / 4 * 3 / apart * apart;
        const CUdeviceptr first = new_memory(size);
        // One byte of each piece that is promised: little is touched here as well.
        OK(cuMemsetD2D8(first, apart, 1, 1, size / apart));
        CUcontext other;
        OK(cuDevicePrimaryCtxRetain(&other, 1));
        OK(cuCtxSetCurrent(other));
        const CUdeviceptr memory = new_memory(size);
        EXPECT_EQ(cuMemsetD8(memory, 1, size), CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(cuMemcpyDtoD(memory, memory + size / 2, size / 2), CUDA_ERROR_OUT_OF_MEMORY);
        OK(cuMemsetD8(memory, 1, 4096));
        const CUdeviceptr small = new_memory(64 << 20);
        OK(cuMemsetD8(small, 1, 64 << 20)) << "what was refused has used nothing up";
        OK(cuMemFree(small));
        OK(cuCtxSynchronize());
        OK(cuMemFree(memory));
        OK(cuMemFree(first));
        OK(cuDevicePrimaryCtxRelease(1));
      });
  EXPECT_NE(text.find("are already promised to device memory"), std::string::npos) << text;
}

}  // namespace
