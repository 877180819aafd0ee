// SPDX-License-Identifier: Apache-2.0
// Advice on managed memory, prefetching, and queries afterwards, with the results of an H200.
#include <cuda.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "tests/api/driver/gate.hpp"

extern "C" CUresult advise_by_device(CUdeviceptr, size_t, CUmem_advise,
                                     CUdevice) __asm__("cuMemAdvise");
extern "C" CUresult prefetch_by_device(CUdeviceptr, size_t, CUdevice,
                                       CUstream) __asm__("cuMemPrefetchAsync");

namespace {

constexpr size_t all = 1 << 20, part = 65536;
constexpr CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0}, host{CU_MEM_LOCATION_TYPE_HOST, 0},
    node{CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}, current{CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0},
    nowhere{CU_MEM_LOCATION_TYPE_INVALID, 0};

CUdeviceptr new_managed() {
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemAllocManaged(&memory, all, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  return memory;
}

std::vector<int> told(CUdeviceptr at, size_t size) {
  std::vector<int> values(8, 77);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(
        cuMemRangeGetAttribute(&values[i], 4, static_cast<CUmem_range_attribute>(i + 1), at, size),
        CUDA_SUCCESS);
  return values;
}
const std::vector<int> nothing{0, -2, -2, -2, 0, -2, 0, -2};

TEST(cuMemPrefetchAsync, ChecksItsArguments) {
  const Scene scene;
  const CUdeviceptr m = new_managed(), p = new_memory(4096);
  const auto answer = [&](CUdeviceptr at, size_t size, CUmemLocation where, unsigned flags = 0) {
    return cuMemPrefetchAsync(at, size, where, flags, nullptr);
  };
  OK(answer(m, all, device));
  OK(answer(m + 5, 10, device));
  OK(answer(m, part, host));
  OK(answer(m, part, {CU_MEM_LOCATION_TYPE_HOST, 99}));
  OK(answer(m, part, node));
  OK(answer(m, part, current));
  EXPECT_EQ(answer(m, part, device, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(m, 0, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(0, 0, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(p, 64, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(m, all + 1, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(m, part, nowhere), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(m, part, {CU_MEM_LOCATION_TYPE_DEVICE, 99}), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(answer(m, part, {CU_MEM_LOCATION_TYPE_HOST_NUMA, 99}), CUDA_ERROR_INVALID_VALUE);
  OK(prefetch_by_device(m, part, CU_DEVICE_CPU, nullptr));
  EXPECT_EQ(prefetch_by_device(m, part, 99, nullptr), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuStreamAttachMemAsync, ChecksItsArguments) {
  const Scene scene;
  const CUdeviceptr m = new_managed(), p = new_memory(4096);
  const CUstream s = new_stream();
  for (const unsigned flags : {CU_MEM_ATTACH_SINGLE, CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST})
    OK(cuStreamAttachMemAsync(s, m, 0, flags));
  OK(cuStreamAttachMemAsync(s, m, all, CU_MEM_ATTACH_SINGLE));
  EXPECT_EQ(cuStreamAttachMemAsync(s, m, 64, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAttachMemAsync(s, m + 64, 0, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAttachMemAsync(s, m, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAttachMemAsync(s, m, 0, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAttachMemAsync(s, p, 0, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAttachMemAsync(nullptr, m, 0, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamAttachMemAsync(nullptr, m, 0, CU_MEM_ATTACH_GLOBAL));
}

TEST(cuMemAdvise, ChecksItsArguments) {
  const Scene scene;
  const CUdeviceptr m = new_managed(), p = new_memory(4096);
  const auto answer = [&](int advice, CUmemLocation where, size_t size = part) {
    return cuMemAdvise(m, size, static_cast<CUmem_advise>(advice), where);
  };
  EXPECT_EQ(answer(CU_MEM_ADVISE_SET_READ_MOSTLY, nowhere), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, nowhere), CUDA_ERROR_INVALID_VALUE);
  OK(answer(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, current));
  EXPECT_EQ(answer(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, {CU_MEM_LOCATION_TYPE_DEVICE, 99}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(CU_MEM_ADVISE_SET_ACCESSED_BY, node), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(CU_MEM_ADVISE_SET_ACCESSED_BY, current), CUDA_ERROR_INVALID_VALUE);
  OK(answer(CU_MEM_ADVISE_UNSET_ACCESSED_BY, host));
  EXPECT_EQ(answer(0, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(7, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(1, device, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer(1, device, all + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(p, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, device), CUDA_ERROR_INVALID_VALUE);
  OK(advise_by_device(m, part, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
}

TEST(cuMemRangeGetAttribute, TellsWhatIsCommonToTheRange) {
  const Scene scene;
  const CUdeviceptr m = new_managed();
  EXPECT_EQ(told(m, all), nothing);
  OK(cuMemAdvise(m, part, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
  OK(cuMemAdvise(m, part, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
  OK(cuMemAdvise(m, part, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
  OK(cuMemPrefetchAsync(m, part, device, 0, nullptr));
  EXPECT_EQ(told(m, part), (std::vector<int>{1, 0, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(told(m + 5, 10), told(m, part));
  EXPECT_EQ(told(m, all), nothing) << "the pages differ";
  EXPECT_EQ(told(m + part, all - part), nothing);
  OK(cuMemAdvise(m, part, CU_MEM_ADVISE_UNSET_READ_MOSTLY, device));
  OK(cuMemAdvise(m, part, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, node));
  OK(cuMemAdvise(m, part, CU_MEM_ADVISE_SET_ACCESSED_BY, host));
  OK(cuMemPrefetchAsync(m, part, node, 0, nullptr));
  EXPECT_EQ(told(m, part), (std::vector<int>{0, -1, 0, -1, 2, -1, 3, 0}));
  int by[3] = {9, 9, 9};
  OK(cuMemRangeGetAttribute(by, 12, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, m, part));
  EXPECT_EQ(by[0], 0);
  EXPECT_EQ(by[1], CU_DEVICE_CPU);
  EXPECT_EQ(by[2], CU_DEVICE_INVALID);
  OK(cuMemFree(m));
  EXPECT_EQ(told(new_managed(), all), nothing) << "new memory has no advice";
}

TEST(cuMemRangeGetAttributes, AnswersAllOrSaysWhatIsWrong) {
  const Scene scene;
  const CUdeviceptr m = new_managed();
  int one = 9, two = 9;
  void* places[] = {&one, &two};
  size_t sizes[] = {4, 4};
  CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                   CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
  OK(cuMemRangeGetAttributes(places, sizes, which, 2, m, all));
  EXPECT_EQ(one, 0);
  EXPECT_EQ(two, CU_DEVICE_INVALID);
  EXPECT_EQ(cuMemRangeGetAttributes(nullptr, sizes, which, 2, m, all), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttributes(places, sizes, which, 0, m, all), CUDA_ERROR_INVALID_VALUE);
  sizes[1] = 8;
  EXPECT_EQ(cuMemRangeGetAttributes(places, sizes, which, 2, m, all), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(&one, 6, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, m, all),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(&one, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 0),
            CUDA_ERROR_INVALID_VALUE);
}

// Freed memory is refused as long as the program has nothing else at its addresses.
TEST(cuMemFree, LeavesNothingToCopyFrom) {
  const Scene scene;
  const CUdeviceptr other = new_memory(all);
  std::vector<unsigned char> bytes(all, 1);
  for (const bool managed : {true, false}) {
#if defined(CUVETTE_ADDRESS_SANITIZER)
    if (!managed) break;  // AddressSanitizer may map memory of its own where this was freed.
#endif
    CUdeviceptr memory = 0;
    void* pinned = nullptr;
    if (managed) {
      memory = new_managed();
      OK(cuMemFree(memory));
    } else {
      OK(cuMemAllocHost(&pinned, all));
      memory = reinterpret_cast<CUdeviceptr>(pinned);
      OK(cuMemFreeHost(pinned));
    }
    for (const CUdeviceptr at : {memory, memory + all / 2, memory + all - 16}) {
      EXPECT_EQ(cuMemcpy(at, other, 16), CUDA_ERROR_INVALID_VALUE) << managed;
      EXPECT_EQ(cuMemcpy(other, at, 16), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemcpyAsync(other, at, 16, nullptr), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemcpyDtoH(reinterpret_cast<void*>(at), other, 16), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemcpyHtoD(other, reinterpret_cast<void*>(at), 16), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuMemsetD8(at, 1, 16), CUDA_ERROR_INVALID_VALUE);
    }
    // The addresses may belong to another mapping by now.
    void* const again = mmap(reinterpret_cast<void*>(memory), all, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (again == MAP_FAILED) continue;
    std::memset(again, 5, all);
    OK(cuMemcpyHtoD(other, again, all));
    OK(cuMemcpyDtoH(bytes.data(), other, all));
    EXPECT_EQ(bytes[all - 1], 5);
    OK(cuMemsetD8(other, 6, all));
    OK(cuMemcpyDtoH(again, other, all));
    EXPECT_EQ(static_cast<unsigned char*>(again)[all - 1], 6);
    munmap(again, all);
  }
}

}  // namespace
