// SPDX-License-Identifier: Apache-2.0
// Calls on memory that depend on the device, on the contract, or on a fault that happened before.
#include <cuda.h>
#include <unistd.h>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/kernels.hpp"
#include "tests/api/driver/values.hpp"
#include "tests/api/driver/virtual_memory.hpp"

namespace {

constexpr CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0}, host{CU_MEM_LOCATION_TYPE_HOST, 0},
    node{CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};

CUdeviceptr new_managed(size_t size) {
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemAllocManaged(&memory, size, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  return memory;
}

// "the device attribute CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS must be non-zero"; of orin it
// is 0.
TEST(cuMemPrefetchAsync, NeedsConcurrentManagedAccess) {
  run_in_child({{"CUVETTE_DEVICE", "orin"}, {"CUVETTE_MEMORY", "1G"}}, [] {
    const Scene scene;
    const CUdeviceptr m = new_managed(65536);
    EXPECT_EQ(cuMemPrefetchAsync(m, 4096, device, 0, nullptr), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuMemPrefetchAsync(m, 4096, host, 0, nullptr), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuMemPrefetchAsync(m, 65537, device, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    int last = 0;
    OK(cuMemRangeGetAttribute(&last, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m, 4096));
    EXPECT_EQ(last, CU_DEVICE_INVALID);
  });
}

TEST(cuMemAdvise, OfAPlaceNeedsConcurrentManagedAccess) {
  run_in_child({{"CUVETTE_DEVICE", "orin"}, {"CUVETTE_MEMORY", "1G"}}, [] {
    const Scene scene;
    const CUdeviceptr m = new_managed(65536);
    const auto advise = [&](CUmem_advise advice, CUmemLocation where) {
      return cuMemAdvise(m, 65536, advice, where);
    };
    EXPECT_EQ(advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(advise(CU_MEM_ADVISE_SET_ACCESSED_BY, device), CUDA_ERROR_INVALID_DEVICE);
    OK(advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    OK(advise(CU_MEM_ADVISE_SET_READ_MOSTLY, device));
  });
}

// "Note that this function may also return error codes from previous, asynchronous launches."
TEST(cuMemFreeHost, ReturnsAnEarlierFault) {
  run_in_child({}, [] {
    const Kernels kernels;
    void* memory = nullptr;
    static char own[4096];
    OK(cuMemAllocHost(&memory, 64));
    CUdeviceptr none = 0;
    uint32_t value = 5;
    void* values[] = {&none, &value};
    OK(cuLaunchKernel(kernels["number"], 1, 1, 1, 1, 1, 1, 0, nullptr, values, nullptr));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuMemFreeHost(memory), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuMemFreeHost(own), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuMemHostUnregister(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
    // It is still there.
    unsigned type = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(memory)));
    _exit(testing::Test::HasFailure());
  });
}

void ask_of_mapped_memory(bool driver) {
  const Scene scene;
  const Handle handle = created(granule);
  const Mapped mapped(handle, granule);
  void* const inside = reinterpret_cast<void*>(mapped.address + 5000);
  CUdeviceptr at = 7;
  unsigned flags = 7;
  const CUresult expected = driver ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(cuMemHostGetDevicePointer(&at, inside, 0), expected);
  EXPECT_EQ(at, driver ? mapped.address : 7);
  EXPECT_EQ(cuMemHostGetFlags(&flags, inside), expected);
  EXPECT_EQ(flags, driver ? CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP : 7);
  OK(cuMemRelease(handle));
}

// "cuMemHostGetFlags() will fail if the pointer does not reside in an allocation performed by
// cuMemAllocHost() or cuMemHostAlloc()." The driver takes memory of cuMemMap for such.
TEST(cuMemHostGetDevicePointer, TakesMappedMemoryByTheDriversContractOnly) {
  run_in_child({{"CUVETTE_CONTRACT", "driver"}}, [] { ask_of_mapped_memory(true); });
  run_in_child({}, [] { ask_of_mapped_memory(false); });
}

void take_advice_back(bool driver) {
  const Scene scene;
  const CUdeviceptr m = new_managed(65536), p = new_memory(4096);
  for (const auto advice :
       {CU_MEM_ADVISE_UNSET_READ_MOSTLY, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION}) {
    OK(cuMemAdvise(m, 0, advice, node));
    OK(cuMemAdvise(m, 4096, advice, node));
    EXPECT_EQ(cuMemAdvise(p, 4096, advice, node), driver ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAdvise(p, 4096, advice, host), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAdvise(m, 0, advice, host), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(cuMemAdvise(m, 0, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, node),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemAdvise, TakesBackWhatNobodyAdvisedOfANode) {
  run_in_child({{"CUVETTE_CONTRACT", "driver"}}, [] { take_advice_back(true); });
  run_in_child({}, [] { take_advice_back(false); });
}

}  // namespace
