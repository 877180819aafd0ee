// SPDX-License-Identifier: Apache-2.0
// Descriptors of ranges of device memory: files that are the same bytes, whatever commands do
// meanwhile. tests/conformance/address_handles.cpp asks which arguments are taken.
#include <cuda.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/api/driver/kernels.hpp"
#include "tests/api/driver/peer.hpp"
#include "tests/api/driver/shared_segment.hpp"

namespace {

constexpr size_t page = 4096;

CUresult ask(int& fd, CUdeviceptr address, size_t size) {
  return cuMemGetHandleForAddressRange(&fd, address, size, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
}
int descriptor_of(CUdeviceptr address, size_t size) {
  int fd = -1;
  EXPECT_EQ(ask(fd, address, size), CUDA_SUCCESS);
  return fd;
}
off_t size_of(int fd) {
  struct stat file {};
  EXPECT_EQ(fstat(fd, &file), 0);
  return file.st_size;
}

struct Memory {
  explicit Memory(size_t size) : size(size) { EXPECT_EQ(cuMemAlloc(&at, size), CUDA_SUCCESS); }
  ~Memory() { EXPECT_EQ(cuMemFree(at), CUDA_SUCCESS); }
  uint32_t word(size_t index) const {
    uint32_t value = 0;
    EXPECT_EQ(cuMemcpyDtoH(&value, at + 4 * index, 4), CUDA_SUCCESS);
    return value;
  }
  const size_t size;
  CUdeviceptr at = 0;
};

TEST(cuMemGetHandleForAddressRange, GivesAFileThatIsTheRange) {
  const Scene scene;
  const Memory memory(16 * page);
  OK(cuMemsetD32(memory.at, 1, memory.size / 4));
  OK(cuCtxSynchronize());
  const int fd = descriptor_of(memory.at + 3 * page, 5 * page);
  EXPECT_EQ(size_of(fd), static_cast<off_t>(5 * page));
  const View view(fd, 5 * page);
  close(fd);
  auto* const words = reinterpret_cast<uint32_t*>(view.bytes());
  EXPECT_EQ(std::count(words, words + 5 * page / 4, 1u), static_cast<long>(5 * page / 4));
  OK(cuMemsetD32(memory.at, 2, memory.size / 4));
  OK(cuCtxSynchronize());
  EXPECT_EQ(std::count(words, words + 5 * page / 4, 2u), static_cast<long>(5 * page / 4));
  words[0] = 3;
  words[5 * page / 4 - 1] = 4;
  EXPECT_EQ(memory.word(3 * page / 4 - 1), 2u);
  EXPECT_EQ(memory.word(3 * page / 4), 3u);
  EXPECT_EQ(memory.word(8 * page / 4 - 1), 4u);
  EXPECT_EQ(memory.word(8 * page / 4), 2u);
}

TEST(cuMemGetHandleForAddressRange, GivesTheSameFileForTheSameRange) {
  const Scene scene;
  const Memory memory(2 * page);
  const int one = descriptor_of(memory.at, page), other = descriptor_of(memory.at, page);
  EXPECT_NE(one, other);
  const View first(one, page), second(other, page);
  first.bytes()[5] = 77;
  EXPECT_EQ(second.bytes()[5], 77);
  close(one);
  close(other);
}

TEST(cuMemGetHandleForAddressRange, LeavesFreedMemoryToTheDescriptor) {
  const Scene scene;
  int fd;
  CUdeviceptr before;
  {
    const Memory memory(4 << 20);
    before = memory.at;
    OK(cuMemsetD8(memory.at, 5, memory.size));
    fd = descriptor_of(memory.at, memory.size);
  }
  const View view(fd, 4 << 20);
  close(fd);
  const Memory next(4 << 20);
  EXPECT_EQ(next.at, before) << "the test is about the same addresses";
  OK(cuMemsetD8(next.at, 6, next.size));
  OK(cuCtxSynchronize());
  EXPECT_EQ(std::count(view.bytes(), view.bytes() + (4 << 20), 5), 4 << 20);
  std::fill(view.bytes(), view.bytes() + (4 << 20), char{7});
  EXPECT_EQ(next.word(1000), 0x06060606u);
}

TEST(cuMemGetHandleForAddressRange, PutsNoByteIntoTwoFiles) {
  const Scene scene;
  const Memory memory(8 * page);
  OK(cuMemsetD32(memory.at, 1, memory.size / 4));
  OK(cuCtxSynchronize());
  const int fd = descriptor_of(memory.at + page, 2 * page);
  int other = 0;
  for (const auto& [begin, count] : {std::pair{0, 8}, {0, 2}, {2, 1}, {2, 3}, {1, 3}}) {
    EXPECT_EQ(ask(other, memory.at + begin * page, count * page), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(other, -1);
  }
  close(descriptor_of(memory.at, page));
  close(descriptor_of(memory.at + 3 * page, 5 * page));
  {
    const View view(fd, 2 * page);  // open as long as it is mapped
    close(fd);
    EXPECT_EQ(ask(other, memory.at, 8 * page), CUDA_ERROR_NOT_SUPPORTED);
    view.bytes()[0] = 9;
  }
  other = descriptor_of(memory.at, 8 * page);
  const View view(other, 8 * page);
  close(other);
  const auto* const words = reinterpret_cast<uint32_t*>(view.bytes());
  EXPECT_EQ(words[page / 4], 9u);
  EXPECT_EQ(std::count(words, words + 8 * page / 4, 1u), static_cast<long>(8 * page / 4 - 1));
}

TEST(cuMemGetHandleForAddressRange, RefusesMemoryThatOtherProcessesMayHave) {
  const Scene scene;
  const Memory memory(2 * page);
  CUipcMemHandle handle;
  int fd = descriptor_of(memory.at, page);
  EXPECT_EQ(cuIpcGetMemHandle(&handle, memory.at), CUDA_ERROR_NOT_SUPPORTED);
  close(fd);
  OK(cuIpcGetMemHandle(&handle, memory.at));
  EXPECT_EQ(ask(fd, memory.at, page), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(cuMemGetHandleForAddressRange, CanBeImported) {
  const Scene scene;
  const Memory memory(4 * page);
  OK(cuMemsetD8(memory.at, 1, memory.size));
  const CUexternalMemory external = import(descriptor_of(memory.at + page, page), page);
  const CUdeviceptr alias = map(external, 0, page);
  OK(cuMemsetD8(alias, 2, page));
  EXPECT_EQ(memory.word(page / 4 - 1), 0x01010101u);
  EXPECT_EQ(memory.word(page / 4), 0x02020202u);
  OK(cuMemFree(alias));
  OK(cuDestroyExternalMemory(external));
}

TEST(cuMemGetHandleForAddressRange, LeavesNoDescriptorBehind) {
  const Scene scene;
  const int before = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    const Memory memory(3 * page);
    close(descriptor_of(memory.at, 2 * page));
    close(descriptor_of(memory.at + page, 2 * page));
  }
  EXPECT_EQ(open_descriptors(), before);
}

// Every thread adds 1 to its word, by a load and a store: a store that is lost shows.
constexpr const char* counter =
    ".version 6.4\n.target sm_50\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 memory) {\n"
    " .reg .b32 %r<5>; .reg .b64 %d<3>;\n"
    " ld.param.u64 %d0,[memory]; mov.u32 %r1,%ctaid.x; mov.u32 %r2,%ntid.x; mov.u32 %r3,%tid.x;\n"
    " mad.lo.u32 %r4,%r1,%r2,%r3; mul.wide.u32 %d1,%r4,4; add.s64 %d2,%d0,%d1;\n"
    " ld.global.u32 %r0,[%d2]; add.u32 %r0,%r0,1; st.global.u32 [%d2],%r0; ret; }\n";

// Kernels, fills and copies go on while pages get files of their own and come back.
TEST(cuMemGetHandleForAddressRange, StopsNoCommand) {
  const Scene scene;
  constexpr size_t pages = 64, words = pages * page / 4;
  const Memory memory(2 * pages * page), other(pages * page);
  OK(cuMemsetD32(memory.at, 0, 2 * words));
  CUmodule module;
  CUfunction add_one;
  OK(cuModuleLoadData(&module, counter));
  OK(cuModuleGetFunction(&add_one, module, "add_one"));
  const CUstream stream = new_stream(), copies = new_stream();
  std::mt19937 random(1);
  uint32_t launches = 0;
  for (int round = 0; round < 200; ++round) {
    CUdeviceptr at = memory.at;
    for (int i = 0; i < 20; ++i, ++launches) OK(launch(add_one, words / 256, 256, {&at}, stream));
    OK(cuMemsetD32Async(memory.at + pages * page, static_cast<unsigned>(round), words, copies));
    OK(cuMemcpyDtoDAsync(other.at, memory.at + pages * page, pages * page, copies));
    for (int i = 0; i < 4; ++i) {
      const size_t begin = random() % (2 * pages), count = 1 + random() % (2 * pages - begin);
      close(descriptor_of(memory.at + begin * page, count * page));
    }
    if (round % 50 == 49) {
      OK(cuStreamSynchronize(copies));
      EXPECT_EQ(other.word(random() % words), static_cast<unsigned>(round));
    }
  }
  OK(cuCtxSynchronize());
  std::vector<uint32_t> counts(words);
  OK(cuMemcpyDtoH(counts.data(), memory.at, words * 4));
  EXPECT_EQ(std::count(counts.begin(), counts.end(), launches), static_cast<long>(words));
  OK(cuStreamDestroy(stream));
  OK(cuStreamDestroy(copies));
  OK(cuModuleUnload(module));
}

// Threads ask for ranges of one allocation that overlap; each gets its bytes or is refused.
TEST(cuMemGetHandleForAddressRange, IsAskedByManyThreads) {
  const Scene scene;
  constexpr size_t pages = 16;
  const Memory memory(pages * page);
  for (size_t i = 0; i < pages; ++i)
    OK(cuMemsetD8(memory.at + i * page, static_cast<unsigned char>(i), page));
  OK(cuCtxSynchronize());
  std::atomic<int> given{0}, wrong{0};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] {
      wrong += cuCtxSetCurrent(scene.context) != CUDA_SUCCESS;
      std::mt19937 random(seed);
      for (int i = 0; i < 200; ++i) {
        const size_t begin = random() % pages, count = 1 + random() % (pages - begin);
        int fd = -1;
        const CUresult result = ask(fd, memory.at + begin * page, count * page);
        if (result == CUDA_ERROR_NOT_SUPPORTED) continue;
        wrong += result != CUDA_SUCCESS;
        std::vector<char> bytes(count * page);
        wrong += pread(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size());
        for (size_t j = 0; j < bytes.size(); ++j)
          wrong += bytes[j] != static_cast<char>(begin + j / page);
        close(fd);
        ++given;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(given, 0);
}

}  // namespace
