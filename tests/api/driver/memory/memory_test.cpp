// SPDX-License-Identifier: Apache-2.0
// Device memory: allocation, queries, accounting and freeing.
#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/values.hpp"

namespace {

TEST(cuMemAlloc, ChecksItsArguments) {
  const Scene scene;
  CUdeviceptr memory = 5;
  EXPECT_EQ(cuMemAlloc(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(memory, 0u);
  for (const size_t size :
       {largest, largest - 511, size_t{1} << 63, size_t{1} << 48, size_t{1} << 40}) {
    memory = 5;
    EXPECT_EQ(cuMemAlloc(&memory, size), CUDA_ERROR_OUT_OF_MEMORY) << size;
    EXPECT_EQ(memory, 0u);
  }
}

TEST(cuMemAlloc, NeedsAUsableContext) {
  OK(cuInit(0));
  OK(cuCtxSetCurrent(nullptr));
  CUdeviceptr memory;
  EXPECT_EQ(cuMemAlloc(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuMemAlloc, GivesMultiplesOf512ThatDoNotOverlap) {
  const Scene scene;
  std::mt19937 random(1);
  std::map<CUdeviceptr, size_t> living;
  for (int i = 0; i < 3000; ++i) {
    if (living.size() > 100 && random() % 2) {
      auto victim = std::next(living.begin(), random() % living.size());
      OK(cuMemFree(victim->first));
      living.erase(victim);
      continue;
    }
    const size_t size = size_t{1} << (random() % 22), odd = size + random() % size;
    CUdeviceptr memory = 0;
    OK(cuMemAlloc(&memory, odd));
    EXPECT_EQ(memory % 512, 0u);
    const auto after = living.lower_bound(memory);
    if (after != living.end()) {
      EXPECT_LE(memory + odd, after->first);
    }
    if (after != living.begin()) {
      EXPECT_LE(std::prev(after)->first + std::prev(after)->second, memory);
    }
    living[memory] = odd;
  }
  for (const auto& [memory, size] : living) {
    CUdeviceptr base = 0;
    size_t whole = 0;
    OK(cuMemGetAddressRange(&base, &whole, memory + size - 1));
    EXPECT_EQ(base, memory);
    EXPECT_EQ(whole, size);
  }
}

TEST(cuMemAlloc, ServesManyThreads) {
  const Scene scene;
  const size_t before = free_memory();
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([&, number] {
      OK(cuCtxSetCurrent(scene.context));
      std::mt19937 random(static_cast<unsigned>(number));
      std::vector<unsigned char> bytes(20000);
      for (int i = 0; i < 150; ++i) {
        const size_t size = 1 + random() % bytes.size();
        const auto mark = static_cast<unsigned char>(number * 31 + i);
        CUdeviceptr one = 0, other = 0;
        OK(cuMemAlloc(&one, size));
        OK(cuMemAlloc(&other, size));
        OK(cuMemsetD8(one, mark, size));
        OK(cuMemcpyDtoD(other, one, size));
        OK(cuMemFree(one));
        OK(cuMemcpyDtoH(bytes.data(), other, size));
        OK(cuMemFree(other));
        EXPECT_EQ(std::count(bytes.begin(), bytes.begin() + size, mark), static_cast<long>(size));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(free_memory(), before);
}

TEST(cuMemFree, TakesBackWhatWasGivenOnce) {
  const Scene scene;
  const size_t before = free_memory();
  const CUdeviceptr memory = new_memory(5000);
  EXPECT_EQ(cuMemFree(memory + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(memory + 512), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(memory - 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(memory));
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_memory(), before);
  OK(cuMemFree(0));
  for (const CUdeviceptr wild : {CUdeviceptr{1}, CUdeviceptr{1} << 47, ~CUdeviceptr{0}})
    EXPECT_EQ(cuMemFree(wild), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemFree, NeedsNoContextButAUsableOne) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(16);
  OK(cuCtxSetCurrent(nullptr));
  OK(cuMemFree(0));
  OK(cuMemFree(memory));
  CUcontext other = nullptr;
  OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
  OK(cuCtxDestroy(other));
  OK(cuCtxSetCurrent(nullptr));
}

TEST(cuMemFree, WaitsForTheWorkOnTheMemory) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(4096);
  const CUstream stream = new_stream();
  Gate gate(stream);
  OK(cuMemsetD8Async(memory, 1, 4096, stream));
  std::atomic<bool> freed{false};
  std::thread other([&] {
    OK(cuCtxSetCurrent(scene.context));
    OK(cuMemFree(memory));
    freed = true;
  });
  let_things_happen();
  EXPECT_FALSE(freed);
  gate.open();
  other.join();
  OK(cuStreamDestroy(stream));
}

// The work is in neither the memory's own context nor the current one; cuMemFree waits for it all
// the same.
TEST(cuMemFree, WaitsForTheWorkOfAnotherContext) {
  const Scene scene;
  CUdeviceptr memory;
  OK(cuMemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
  CUcontext other_context;
  OK(cuCtxCreate(&other_context, nullptr, 0, 0));
  const CUstream stream = new_stream();
  std::atomic<bool> freed{false};
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(memory, 1, 4096, stream));
    std::thread other([&] {
      OK(cuCtxSetCurrent(scene.context));
      OK(cuMemFree(memory));
      freed = true;
    });
    let_things_happen();
    EXPECT_FALSE(freed);
    gate.open();
    other.join();
  }
  OK(cuStreamDestroy(stream));
  OK(cuCtxDestroy(other_context));
}

TEST(cuMemFree, HasOneWinnerAmongManyThreads) {
  const Scene scene;
  for (int round = 0; round < 50; ++round) {
    const CUdeviceptr memory = new_memory(4096);
    std::atomic<int> winners{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const CUresult result = cuMemFree(memory);
        EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_VALUE) << result;
        winners += result == CUDA_SUCCESS;
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
  }
}

TEST(cuMemAllocPitch, RoundsRowsUp) {
  const Scene scene;
  for (const auto& [width, expected] :
       std::map<size_t, size_t>{{1, 512}, {511, 512}, {512, 512}, {513, 1024}, {100000, 100352}}) {
    CUdeviceptr memory = 0, base = 0;
    size_t pitch = 0, size = 0;
    OK(cuMemAllocPitch(&memory, &pitch, width, 7, 4));
    EXPECT_EQ(pitch, expected);
    OK(cuMemGetAddressRange(&base, &size, memory + 7 * pitch - 1));
    EXPECT_EQ(base, memory);
    EXPECT_EQ(size, 7 * pitch);
    OK(cuMemFree(memory));
  }
}

TEST(cuMemAllocPitch, ChecksItsArguments) {
  const Scene scene;
  CUdeviceptr memory = 5;
  size_t pitch = 5;
  EXPECT_EQ(cuMemAllocPitch(nullptr, &pitch, 1, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocPitch(&memory, nullptr, 1, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocPitch(&memory, &pitch, 0, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(memory, 0u);
  EXPECT_EQ(pitch, 0u);
  EXPECT_EQ(cuMemAllocPitch(&memory, &pitch, 1, 0, 4), CUDA_ERROR_INVALID_VALUE);
  for (const unsigned element : {0u, 1u, 2u, 3u, 5u, 32u, ~0u})
    EXPECT_EQ(cuMemAllocPitch(&memory, &pitch, 1, 1, element), CUDA_ERROR_INVALID_VALUE) << element;
  EXPECT_EQ(cuMemAllocPitch(&memory, &pitch, largest, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocPitch(&memory, &pitch, 100, largest, 4), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAllocPitch(&memory, &pitch, 512, largest / 512, 4), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(cuMemAllocManaged, GivesMemoryForBothSides) {
  const Scene scene;
  CUdeviceptr memory = 0;
  OK(cuMemAllocManaged(&memory, 1000, CU_MEM_ATTACH_GLOBAL));
  auto* bytes = reinterpret_cast<unsigned char*>(memory);
  bytes[0] = 1;
  bytes[999] = 2;
  const CUdeviceptr copy = new_memory(1000);
  OK(cuMemcpyDtoD(copy, memory, 1000));
  OK(cuMemsetD8(memory, 9, 1000));
  EXPECT_EQ(bytes[500], 9) << "a synchronous fill of managed memory is waited for";
  unsigned char back[1000];
  OK(cuMemcpyDtoH(back, copy, 1000));
  EXPECT_EQ(back[0], 1);
  EXPECT_EQ(back[999], 2);
  EXPECT_EQ(cuMemcpyHtoD(memory, back, 1001), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(memory));
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemAllocManaged, ChecksItsArguments) {
  const Scene scene;
  CUdeviceptr memory = 5;
  EXPECT_EQ(cuMemAllocManaged(nullptr, 4, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocManaged(&memory, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(memory, 0u);
  for (const unsigned flags : {0u, 3u, 4u, 7u, ~0u})
    EXPECT_EQ(cuMemAllocManaged(&memory, 4, flags), CUDA_ERROR_INVALID_VALUE) << flags;
  EXPECT_EQ(cuMemAllocManaged(&memory, largest, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemAllocManaged(&memory, 4, CU_MEM_ATTACH_HOST));
}

TEST(cuMemGetAddressRange, AnswersInsideAllocations) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(1000);
  CUdeviceptr base = 7;
  size_t size = 7;
  for (const size_t offset : {0, 1, 512, 999}) {
    OK(cuMemGetAddressRange(&base, &size, memory + offset));
    EXPECT_EQ(base, memory);
    EXPECT_EQ(size, 1000u);
  }
  OK(cuMemGetAddressRange(nullptr, &size, memory));
  OK(cuMemGetAddressRange(&base, nullptr, memory));
  OK(cuMemGetAddressRange(nullptr, nullptr, 16));
  for (const CUdeviceptr outside : {memory + 1000, memory + 1023, CUdeviceptr{0}, CUdeviceptr{16}})
    EXPECT_EQ(cuMemGetAddressRange(&base, &size, outside), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(base, memory) << "a failed call leaves the places alone";
  OK(cuMemFree(memory));
  EXPECT_EQ(cuMemGetAddressRange(&base, &size, memory), CUDA_ERROR_NOT_FOUND);
}

TEST(cuMemGetInfo, CountsWhatIsGivenOut) {
  const Scene scene;
  const size_t before = free_memory();
  const CUdeviceptr small = new_memory(1);
  EXPECT_EQ(before - free_memory(), 512u);
  const CUdeviceptr large = new_memory((size_t{1} << 30) + 1);
  EXPECT_EQ(before - free_memory(), (size_t{1} << 30) + 1024);
  OK(cuMemFree(small));
  OK(cuMemFree(large));
  EXPECT_EQ(free_memory(), before);
  size_t total = 0, device = 0;
  OK(cuMemGetInfo(nullptr, &total));
  OK(cuDeviceTotalMem(&device, 0));
  EXPECT_EQ(total, device);
}

// A program that takes a share of the free memory must be able to use it, even on a machine with
// less memory than the device.
TEST(cuMemGetInfo, CallsNothingFreeThatTheMachineHasNot) {
  const Scene scene;
  const auto machine =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_LE(free_memory(), machine);
  EXPECT_GT(free_memory(), 0u);
}

TEST(cuMemGetInfo, SeesWhatEndsWithAContext) {
  const Scene scene;
  const size_t before = free_memory();
  CUcontext context = nullptr;
  OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
  const CUdeviceptr memory = new_memory(size_t{10} << 20);
  OK(cuCtxDestroy(context));
  OK(cuCtxSetCurrent(scene.context));
  EXPECT_EQ(free_memory(), before);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
