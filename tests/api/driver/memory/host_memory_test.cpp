// SPDX-License-Identifier: Apache-2.0
// Pinned and registered host memory.
#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <vector>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/values.hpp"

namespace {

// Pages of the program, followed by one that is not accessible.
class Pages {
 public:
  explicit Pages(size_t count) : count_(count) {
    data = static_cast<char*>(
        mmap(nullptr, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(page(count - 1), size, PROT_NONE), 0);
  }
  ~Pages() { munmap(data, count_ * size); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  char* page(size_t number) const { return data + number * size; }

  const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* data;

 private:
  size_t count_;
};

TEST(cuMemAllocHost, GivesMemoryOfTheProgramsOwn) {
  const Scene scene;
  void* memory = nullptr;
  OK(cuMemAllocHost(&memory, 100000));
  memset(memory, 0x5a, 100000);
  const CUdeviceptr device = new_memory(100000);
  OK(cuMemcpyHtoD(device, memory, 100000));
  memset(memory, 0, 100000);
  OK(cuMemcpyDtoH(memory, device, 100000));
  EXPECT_EQ(static_cast<char*>(memory)[0], 0x5a);
  EXPECT_EQ(static_cast<char*>(memory)[99999], 0x5a);
  OK(cuMemFreeHost(memory));
}

TEST(cuMemAllocHost, ChecksItsArguments) {
  const Scene scene;
  EXPECT_EQ(cuMemAllocHost(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  void* memory = &memory;
  OK(cuMemAllocHost(&memory, 0));
  EXPECT_EQ(memory, nullptr);
  memory = &memory;
  EXPECT_EQ(cuMemAllocHost(&memory, ~size_t{0}), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(cuMemAllocHost(&memory, size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(cuMemHostAlloc, KnowsItsFlags) {
  const Scene scene;
  for (const size_t bytes : {size_t{64}, size_t{65'536}}) {
    for (unsigned flags = 0; flags < 8; ++flags) {
      void* memory = nullptr;
      unsigned returned = 0;
      OK(cuMemHostAlloc(&memory, bytes, flags));
      OK(cuMemHostGetFlags(&returned, memory));
      // Measured: small allocations forget that they are portable.
      const unsigned kept = bytes == 64 ? flags & ~CU_MEMHOSTALLOC_PORTABLE : flags;
      EXPECT_EQ(returned, kept | CU_MEMHOSTALLOC_DEVICEMAP) << bytes << " bytes, flags " << flags;
      OK(cuMemFreeHost(memory));
    }
  }
  for (const unsigned flags : {8u, 16u, 0x80u, ~0u}) {
    void* memory = &memory;
    EXPECT_EQ(cuMemHostAlloc(&memory, 64, flags), CUDA_ERROR_INVALID_VALUE) << flags;
    EXPECT_EQ(memory, nullptr);
  }
  EXPECT_EQ(cuMemHostAlloc(nullptr, 64, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemFreeHost, TakesBackWhatWasGivenOnce) {
  const Scene scene;
  void* memory = nullptr;
  static char own[64];
  OK(cuMemAllocHost(&memory, 1000));
  EXPECT_EQ(cuMemFreeHost(static_cast<char*>(memory) + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(address(memory)), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeHost(memory));
  EXPECT_EQ(cuMemFreeHost(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(own), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(reinterpret_cast<void*>(new_memory(64))), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeHost(nullptr));
}

TEST(cuMemFreeHost, WaitsForTheWorkOnTheMemory) {
  const Scene scene;
  void* memory = nullptr;
  OK(cuMemAllocHost(&memory, 4096));
  const CUdeviceptr device = new_memory(4096);
  const CUstream stream = new_stream();
  {
    Gate gate(stream);
    OK(cuMemcpyDtoHAsync(memory, device, 4096, stream));
    std::atomic<bool> freed{false};
    std::thread other([&] {
      OK(cuMemFreeHost(memory));
      freed = true;
    });
    let_things_happen();
    EXPECT_FALSE(freed);
    gate.open();
    other.join();
  }
  OK(cuStreamDestroy(stream));
}

TEST(cuMemHostGetDevicePointer, IsTheHostsAddress) {
  const Scene scene;
  void* memory = nullptr;
  CUdeviceptr device = 0;
  static char own[64];
  OK(cuMemAllocHost(&memory, 1000));
  for (const size_t offset : {0, 1, 999}) {
    OK(cuMemHostGetDevicePointer(&device, static_cast<char*>(memory) + offset, 0));
    EXPECT_EQ(device, address(memory) + offset);
  }
  EXPECT_EQ(cuMemHostGetDevicePointer(&device, memory, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostGetDevicePointer(nullptr, memory, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostGetDevicePointer(&device, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostGetDevicePointer(&device, own, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeHost(memory));
  EXPECT_EQ(cuMemHostGetDevicePointer(&device, memory, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemHostGetFlags, AnswersForHostMemoryOnly) {
  const Scene scene;
  static char own[64];
  unsigned flags = 77;
  CUdeviceptr managed = 0;
  OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemHostGetFlags(&flags, reinterpret_cast<void*>(managed)));
  EXPECT_EQ(flags, unsigned{CU_MEMHOSTALLOC_DEVICEMAP});
  EXPECT_EQ(cuMemHostGetFlags(&flags, own), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostGetFlags(&flags, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostGetFlags(&flags, reinterpret_cast<void*>(new_memory(64))),
            CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuMemHostGetFlags(nullptr, own), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostGetFlags(&flags, own), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuMemHostRegister, MakesMemoryPinned) {
  const Scene scene;
  Pages pages(9);
  char* own = pages.page(0);
  memset(own, 0x11, 8 * pages.size);
  OK(cuMemHostRegister(own, 8 * pages.size, 0));
  const CUdeviceptr device = new_memory(8 * pages.size);
  OK(cuMemsetD8(address(own) + 1, 0x22, 1));
  EXPECT_EQ(own[1], 0x22) << "the fill was waited for";
  OK(cuMemcpyDtoD(device, address(own), 8 * pages.size));
  OK(cuMemcpyDtoH(own + pages.size, device, 4)) << "an address inside is as good";
  EXPECT_EQ(own[pages.size + 1], 0x22);
  OK(cuMemHostUnregister(own));
  EXPECT_EQ(cuMemcpyDtoD(device, address(own), 4), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpyHtoD(device, own, 4)) << "it is plain memory again";
}

TEST(cuMemHostRegister, RefusesWhatOverlaps) {
  const Scene scene;
  Pages pages(9);
  const size_t page = pages.size;
  OK(cuMemHostRegister(pages.page(2), 2 * page, 0));
  const std::vector<std::pair<size_t, size_t>> overlapping = {{2, 2}, {2, 1}, {3, 1},
                                                              {1, 2}, {3, 2}, {0, 8}};
  for (const auto& [first, count] : overlapping)
    EXPECT_EQ(cuMemHostRegister(pages.page(first), count * page, 0),
              CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
        << first;
  OK(cuMemHostRegister(pages.page(1), page, 0));
  OK(cuMemHostRegister(pages.page(4), page, 0));
  OK(cuMemHostRegister(pages.page(5) + 100, 100, 0));
  OK(cuMemHostRegister(pages.page(5) + 300, 100, 0));
  for (const size_t number : {1, 2, 4}) OK(cuMemHostUnregister(pages.page(number)));
  OK(cuMemHostUnregister(pages.page(5) + 100));
  OK(cuMemHostUnregister(pages.page(5) + 300));
  OK(cuMemHostRegister(pages.page(0), 8 * page, 0));
  OK(cuMemHostUnregister(pages.page(0)));
}

TEST(cuMemHostRegister, RefusesWhatIsNotThePrograms) {
  const Scene scene;
  Pages pages(9);
  void* pinned = nullptr;
  CUdeviceptr managed = 0;
  OK(cuMemAllocHost(&pinned, 4096));
  OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  const auto refused = [](void* memory, size_t size, unsigned flags = 0) {
    EXPECT_EQ(cuMemHostRegister(memory, size, flags), CUDA_ERROR_INVALID_VALUE) << memory;
  };
  refused(nullptr, 16);
  refused(pages.data, 0);
  refused(pages.data, ~size_t{0});
  refused(pages.page(8), pages.size);
  refused(pages.page(7), 2 * pages.size);
  refused(pages.page(7), pages.size + 1);
  refused(reinterpret_cast<void*>(4096), 4096);
  refused(pinned, 64);
  refused(reinterpret_cast<void*>(managed), 64);
  refused(reinterpret_cast<void*>(new_memory(4096)), 64);
  refused(pages.data, 64, 0x80);
  refused(pages.data, 64, CU_MEMHOSTREGISTER_IOMEMORY);
  ASSERT_EQ(mprotect(pages.page(3), pages.size, PROT_READ), 0);
  refused(pages.page(3), pages.size);
  refused(pages.page(2), 2 * pages.size);
  OK(cuMemHostRegister(pages.page(3), pages.size, CU_MEMHOSTREGISTER_READ_ONLY));
  OK(cuMemHostUnregister(pages.page(3)));
  OK(cuMemFreeHost(pinned));
}

TEST(cuMemHostRegister, TellsItsFlags) {
  const Scene scene;
  static char own[4096];
  for (const auto& [flags, expected] :
       std::map<unsigned, unsigned>{{0, 2}, {1, 3}, {2, 2}, {3, 3}, {8, 2}}) {
    unsigned told = 77;
    OK(cuMemHostRegister(own, sizeof own, flags));
    OK(cuMemHostGetFlags(&told, own + 8));
    EXPECT_EQ(told, expected);
    OK(cuMemHostUnregister(own));
  }
}

TEST(cuMemHostUnregister, EndsWhatWasRegisteredOnce) {
  const Scene scene;
  static char own[4096];
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, 4096));
  EXPECT_EQ(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cuMemHostUnregister(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostUnregister(pinned), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemHostRegister(own, sizeof own, 0));
  EXPECT_EQ(cuMemHostUnregister(own + 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(address(own)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(own), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemHostUnregister(own));
  EXPECT_EQ(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  OK(cuMemFreeHost(pinned));
}

TEST(cuMemHostUnregister, HappensWithTheContextsEnd) {
  OK(cuInit(0));
  static char own[4096];
  CUcontext context = nullptr;
  OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
  OK(cuMemHostRegister(own, sizeof own, 0));
  OK(cuCtxDestroy(context));
  const Scene scene;
  OK(cuMemHostRegister(own, sizeof own, 0));
  OK(cuMemHostUnregister(own));
}

}  // namespace
