// SPDX-License-Identifier: Apache-2.0
// Memory that is free in pieces, or about to be free, is free. Each test is a process of its own
// with a small device.
#include <cuda.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

constexpr size_t MiB = 1 << 20;

void with_memory(const char* size, const std::function<void()>& body) {
  run_in_child({{"CUVETTE_MEMORY", size}}, [&] {
    const Scene scene;
    body();
  });
}

size_t free_memory() {
  size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
  return free;
}

TEST(cuMemAlloc, ReachesTheDevicesCapacity) {
  with_memory("1G", [] {
    size_t total = 0;
    OK(cuMemGetInfo(nullptr, &total));
    CUdeviceptr memory = 0, more = 0;
    EXPECT_EQ(cuMemAlloc(&memory, total), CUDA_ERROR_OUT_OF_MEMORY) << "the context needs some";
    size_t size = total;
    for (CUresult answer; (answer = cuMemAlloc(&memory, size)) != CUDA_SUCCESS; size -= 1 << 20)
      ASSERT_EQ(answer, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_GT(size, total / 100 * 99);
    std::vector<CUdeviceptr> rest;
    while (cuMemAlloc(&more, 512) == CUDA_SUCCESS) rest.push_back(more);
    EXPECT_LT(rest.size(), (1 << 20) / 512u);
    EXPECT_LT(free_memory(), 512u);
    EXPECT_EQ(cuMemAlloc(&more, 512), CUDA_ERROR_OUT_OF_MEMORY);
    // All of it is usable, including the last byte.
    OK(cuMemsetD8(memory + size - 1, 7, 1));
    unsigned char last = 0;
    OK(cuMemcpyDtoH(&last, memory + size - 1, 1));
    EXPECT_EQ(last, 7);
    OK(cuMemFree(memory));
    OK(cuMemAlloc(&more, 512));
    for (const CUdeviceptr piece : rest) OK(cuMemFree(piece));
  });
}

// A program that sizes its buffers by what is free, and one that asks for more, get what a GPU
// gives: measured on an H200.
TEST(cuMemAlloc, RefusesMoreThanIsFree) {
  for (const char* const size : {"256M", "1000G"})  // less and more than the machine has
    with_memory(size, [] {
      const size_t free = free_memory();
      CUdeviceptr memory = 0;
      EXPECT_EQ(cuMemAlloc(&memory, free + MiB), CUDA_ERROR_OUT_OF_MEMORY);
      OK(cuMemAlloc(&memory, free / MiB * MiB));
      EXPECT_LT(free_memory(), MiB);
      CUdeviceptr more = 0;
      EXPECT_EQ(cuMemAlloc(&more, MiB), CUDA_ERROR_OUT_OF_MEMORY);
      OK(cuMemFree(memory));
      OK(cuMemAlloc(&more, MiB));
    });
}

TEST(cuMemAlloc, GivesWhatIsFreeInPieces) {
  with_memory("1G", [] {
    const size_t piece = free_memory() / 64 / MiB * MiB;
    std::vector<CUdeviceptr> all(56);
    for (CUdeviceptr& one : all) OK(cuMemAlloc(&one, piece));
    for (size_t i = 0; i < all.size(); i += 2) OK(cuMemFree(all[i]));
    CUdeviceptr large = 0;
    OK(cuMemAlloc(&large, free_memory() / MiB * MiB));
    OK(cuMemsetD8(large, 1, 4 * piece));
    OK(cuCtxSynchronize());
  });
}

TEST(cuMemAllocAsync, GivesWhatIsFreeInPieces) {
  with_memory("1G", [] {
    CUstream s = nullptr;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    std::vector<CUdeviceptr> all(14);
    for (CUdeviceptr& one : all) OK(cuMemAllocAsync(&one, 64 * MiB, s));
    for (size_t i = 0; i < all.size(); i += 2) OK(cuMemFreeAsync(all[i], s));
    OK(cuStreamSynchronize(s));
    CUdeviceptr large = 0;
    OK(cuMemAllocAsync(&large, 6 * 64 * MiB, s));
    OK(cuStreamSynchronize(s));
  });
}

// Whatever is allocated and freed: what fits into the device's memory is given.
TEST(cuMemAlloc, GivesAnythingThatFits) {
  with_memory("256M", [] {
    std::mt19937 random(7);
    std::vector<std::pair<CUdeviceptr, size_t>> living;
    for (int i = 0; i < 600; ++i) {
      const size_t free = free_memory();
      if (random() % 2 || living.empty()) {
        const bool all = random() % 6 == 0;
        const size_t size =
            std::max<size_t>(512, (all ? free : random() % (free / 4 + 1)) & ~511ull);
        CUdeviceptr memory = 0;
        ASSERT_EQ(cuMemAlloc(&memory, size), size <= free ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY)
            << i << ": " << size << " of " << free;
        if (size <= free) living.emplace_back(memory, size);
      } else {
        std::swap(living[random() % living.size()], living.back());
        OK(cuMemFree(living.back().first));
        living.pop_back();
      }
    }
  });
}

TEST(cuMemAlloc, WaitsForFreesInStreams) {
  with_memory("64M", [] {
    CUstream s = nullptr;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CUdeviceptr memory = 0;
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(cuMemAlloc(&memory, 4 * MiB), CUDA_SUCCESS) << i;
      OK(cuMemFreeAsync(memory, s));
    }
    OK(cuStreamSynchronize(s));
  });
}

TEST(cuMemAllocFromPoolAsync, WaitsForPoolsThatWereDestroyed) {
  with_memory("256M", [] {
    CUstream s = nullptr;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CUmemPoolProps properties = {};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    for (int i = 0; i < 1000; ++i) {
      CUmemoryPool pool = nullptr;
      CUdeviceptr memory = 0;
      OK(cuMemPoolCreate(&pool, &properties));
      ASSERT_EQ(cuMemAllocFromPoolAsync(&memory, 4096, pool, s), CUDA_SUCCESS) << i;
      OK(cuMemFreeAsync(memory, s));
      OK(cuMemPoolDestroy(pool));
    }
    OK(cuStreamSynchronize(s));
  });
}

// A free that the host holds up is not waited for forever.
TEST(cuMemAlloc, RefusesWhereTheHostHoldsUpTheFree) {
  with_memory("64M", [] {
    CUstream s = nullptr;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CUdeviceptr memory = 0, more = 0;
    const size_t half = free_memory() / 3 * 2 / MiB * MiB;
    OK(cuMemAlloc(&memory, half));
    {
      Gate gate(s);
      OK(cuMemFreeAsync(memory, s));
      EXPECT_EQ(cuMemAlloc(&more, half), CUDA_ERROR_OUT_OF_MEMORY);
    }
    OK(cuStreamSynchronize(s));
    OK(cuMemAlloc(&more, half));
  });
}

}  // namespace
