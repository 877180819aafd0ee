// SPDX-License-Identifier: Apache-2.0
// External memory: shared segments imported by their descriptors, and buffers mapped from them.
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/interprocess/shared_memory_object.hpp>
#include <cstring>
#include <random>
#include <string>

#include "tests/api/driver/shared_segment.hpp"

namespace {

TEST(cuImportExternalMemory, ChecksItsArguments) {
  const Scene scene;
  const SharedSegment segment(65536);
  CUexternalMemory memory;
  auto description = describe(segment.fd(), 65536);
  EXPECT_EQ(cuImportExternalMemory(nullptr, &description), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuImportExternalMemory(&memory, nullptr), CUDA_ERROR_INVALID_VALUE);
  description.size = 0;
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_INVALID_VALUE);
  description = describe(segment.fd(), 65537);
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_UNKNOWN)
      << "more than there is";
  description = describe(segment.fd(), 65536);
  description.flags = 0x80;
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_INVALID_VALUE);
  description = describe(segment.fd(), 65536);
  description.reserved[15] = 1;
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_INVALID_VALUE);
  for (const int type : {0, 77}) {
    description = describe(segment.fd(), 65536);
    description.type = static_cast<CUexternalMemoryHandleType>(type);
    EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_TRUE(is_open(segment.fd())) << "after all these failures the program keeps it";
}

TEST(cuImportExternalMemory, RefusesWhatIsNoSharedMemory) {
  const Scene scene;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const int writable = memfd_create("test", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(writable, 65536), 0);
  const std::string own_path = "/proc/self/fd/" + std::to_string(writable);
  const int read_only = open(own_path.c_str(), O_RDONLY);
  const int sealed = memfd_create("test", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(sealed, 65536), 0);
  ASSERT_EQ(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), 0);
  const int empty = memfd_create("test", 0);
  const int fds[] = {pipe_ends[0],
                     pipe_ends[1],
                     open("/dev/null", O_RDWR),
                     open("/", O_RDONLY | O_DIRECTORY),
                     open(own_path.c_str(), O_PATH),
                     read_only,
                     sealed,
                     empty,
                     open("/proc/self/exe", O_RDONLY)};
  for (size_t i = 0; i < std::size(fds); ++i) {
    ASSERT_GE(fds[i], 0) << i;
    CUexternalMemory memory;
    const auto description = describe(fds[i], 4096);
    EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_UNKNOWN) << i;
    EXPECT_TRUE(is_open(fds[i])) << i << ": on failure the program keeps it";
    close(fds[i]);
  }
  close(writable);
  for (const int fd : {-1, 9999, writable}) {
    CUexternalMemory memory;
    const auto description = describe(fd, 4096);
    EXPECT_NE(cuImportExternalMemory(&memory, &description), CUDA_SUCCESS) << fd;
  }
}

TEST(cuImportExternalMemory, OwnsTheDescriptor) {
  const Scene scene;
  SharedSegment segment(65536);
  const int fd = segment.duplicate();
  const CUexternalMemory memory = import(fd, 65536);
  EXPECT_FALSE(is_open(fd));
  const int next = open("/dev/null", O_RDONLY);
  EXPECT_EQ(next, fd) << "the number is free for the next file";
  const CUdeviceptr buffer = map(memory, 0, 65536);
  OK(cuMemsetD8(buffer, 9, 65536));
  OK(cuMemFree(buffer));
  OK(cuDestroyExternalMemory(memory));
  EXPECT_TRUE(is_open(next)) << "nobody closes the program's file";
  close(next);
}

TEST(cuImportExternalMemory, TakesEachKindOfSharedMemory) {
  const Scene scene;
  namespace ipc = boost::interprocess;
  const std::string name = "cuvette-test-" + std::to_string(getpid());
  struct Remover {
    std::string name;
    ~Remover() { ipc::shared_memory_object::remove(name.c_str()); }
  } remover{name};
  ipc::shared_memory_object posix(ipc::create_only, name.c_str(), ipc::read_write);
  posix.truncate(20480);
  const int posix_fd = dup(posix.get_mapping_handle().handle);
  const int file = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, 20480), 0);
  const int memfd = memfd_create("test", 0), sealable = memfd_create("test", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(memfd, 20480), 0);
  ASSERT_EQ(ftruncate(sealable, 20480), 0);
  for (const int fd : {posix_fd, file, memfd, sealable}) {
    const View view(fd, 20480);
    strcpy(view.bytes() + 5000, "from the host");
    const CUexternalMemory memory = import(fd, 20480);
    const CUdeviceptr buffer = map(memory, 4096, 8192);
    char text[16] = {};
    OK(cuMemcpyDtoH(text, buffer + 904, 14));
    EXPECT_STREQ(text, "from the host");
    OK(cuMemcpyHtoD(buffer + 904, "from the device", 16));
    OK(cuCtxSynchronize());
    EXPECT_STREQ(view.bytes() + 5000, "from the device");
    OK(cuMemFree(buffer));
    OK(cuDestroyExternalMemory(memory));
  }
}

TEST(cuImportExternalMemory, TakesPartOfASegment) {
  const Scene scene;
  SharedSegment segment(65536);
  const CUexternalMemory memory = import(segment.duplicate(), 10000);
  EXPECT_EQ(try_map(memory, 0, 10000).first, CUDA_SUCCESS);
  EXPECT_EQ(try_map(memory, 0, 10001).first, CUDA_ERROR_INVALID_VALUE);
  OK(cuDestroyExternalMemory(memory));
}

TEST(cuImportExternalMemory, TwiceGivesTwoObjectsOfTheSameBytes) {
  const Scene scene;
  SharedSegment segment(65536);
  const CUexternalMemory a = import(segment.duplicate(), 65536),
                         b = import(segment.duplicate(), 65536);
  EXPECT_NE(a, b);
  const CUdeviceptr in_a = map(a, 0, 65536), in_b = map(b, 0, 65536);
  EXPECT_NE(in_a, in_b);
  OK(cuMemsetD32(in_a, 0x1234, 16));
  OK(cuDestroyExternalMemory(a));
  unsigned value = 0;
  OK(cuMemcpyDtoH(&value, in_b + 60, 4));
  EXPECT_EQ(value, 0x1234u);
  OK(cuMemFree(in_a));
  OK(cuMemFree(in_b));
  OK(cuDestroyExternalMemory(b));
}

TEST(cuExternalMemoryGetMappedBuffer, ChecksItsArguments) {
  const Scene scene;
  SharedSegment segment(65536);
  const CUexternalMemory memory = import(segment.duplicate(), 65536);
  CUdeviceptr buffer = 77;
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
  description.size = 4096;
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(nullptr, memory, &description),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&buffer, nullptr, &description),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&buffer, memory, nullptr), CUDA_ERROR_INVALID_VALUE);
  description.flags = 1;
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&buffer, memory, &description),
            CUDA_ERROR_INVALID_VALUE);
  description.flags = 0;
  description.reserved[3] = 9;
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&buffer, memory, &description),
            CUDA_ERROR_INVALID_VALUE);
  constexpr unsigned long long most = ~0ull;
  const std::pair<unsigned long long, unsigned long long> outside[] = {
      {0, 0},    {0, 65537},        {65536, 0},   {65536, 1},   {65535, 2}, {4096, 65536},
      {most, 1}, {most - 10, 4096}, {4096, most}, {most, most}, {0, most}};
  for (const auto& [offset, size] : outside)
    EXPECT_EQ(try_map(memory, offset, size).first, CUDA_ERROR_INVALID_VALUE)
        << offset << ' ' << size;
  EXPECT_EQ(buffer, 77u);
  OK(cuDestroyExternalMemory(memory));
}

TEST(cuExternalMemoryGetMappedBuffer, StartsAtAnyOffset) {
  const Scene scene;
  SharedSegment segment(1 << 20);
  for (size_t i = 0; i < (1 << 20) / sizeof(unsigned); ++i)
    reinterpret_cast<unsigned*>(segment.bytes())[i] = static_cast<unsigned>(i);
  const CUexternalMemory memory = import(segment.duplicate(), 1 << 20);
  for (const size_t offset : {0, 1, 3, 4, 16, 255, 4095, 4096, 4097, 65536, (1 << 20) - 1})
    for (const size_t wanted : {1, 3, 100, 4097, 65537, 1 << 20}) {
      const size_t size = std::min(wanted, (size_t{1} << 20) - offset);
      const CUdeviceptr buffer = map(memory, offset, size);
      CUdeviceptr base = 0;
      size_t length = 0;
      OK(cuMemGetAddressRange(&base, &length, buffer + size - 1));
      EXPECT_EQ(base, buffer);
      EXPECT_EQ(length, size);
      std::vector<char> bytes(size);
      OK(cuMemcpyDtoH(bytes.data(), buffer, size));
      ASSERT_EQ(memcmp(bytes.data(), segment.bytes() + offset, size), 0) << offset << ' ' << size;
      EXPECT_EQ(cuMemsetD8(buffer, 0, size + 1), CUDA_ERROR_INVALID_VALUE);
      OK(cuMemFree(buffer));
    }
  OK(cuDestroyExternalMemory(memory));
}

// Random copies and fills through overlapping buffers, compared with an ordinary array.
TEST(cuExternalMemoryGetMappedBuffer, OverlappingBuffersAreAliases) {
  const Scene scene;
  constexpr size_t size = 256 << 10;
  SharedSegment segment(size);
  std::vector<char> model(size, 0);
  const CUexternalMemory memory = import(segment.duplicate(), size);
  struct Buffer {
    CUdeviceptr address;
    size_t offset, size;
  };
  std::mt19937 random(11);
  std::vector<Buffer> buffers;
  for (int i = 0; i < 8; ++i) {
    const size_t offset = random() % (size / 2), length = 1 + random() % (size - offset);
    buffers.push_back({map(memory, offset, length), offset, length});
    for (int j = 0; j < i; ++j) EXPECT_NE(buffers[j].address, buffers[i].address);
  }
  for (int step = 0; step < 400; ++step) {
    const Buffer& to = buffers[random() % buffers.size()];
    const Buffer& from = buffers[random() % buffers.size()];
    const size_t length = 1 + random() % std::min(to.size, from.size);
    const size_t at = random() % (to.size - length + 1),
                 start = random() % (from.size - length + 1);
    if (random() % 2) {
      const auto value = static_cast<unsigned char>(random());
      OK(cuMemsetD8(to.address + at, value, length));
      memset(&model[to.offset + at], value, length);
    } else {
      // Source and destination may be the same bytes under two addresses. If they only overlap, the
      // result of a copy is undefined.
      const size_t target = to.offset + at, source = from.offset + start;
      if (target != source && target < source + length && source < target + length) continue;
      OK(cuMemcpyDtoD(to.address + at, from.address + start, length));
      memmove(&model[target], &model[source], length);
    }
  }
  OK(cuCtxSynchronize());
  EXPECT_EQ(memcmp(model.data(), segment.bytes(), size), 0);
  for (const Buffer& buffer : buffers) {
    std::vector<char> bytes(buffer.size);
    OK(cuMemcpyDtoH(bytes.data(), buffer.address, buffer.size));
    EXPECT_EQ(memcmp(bytes.data(), &model[buffer.offset], buffer.size), 0);
  }
  // The buffers are freed in random order, and the memory object is destroyed in between; those
  // that remain are unaffected.
  std::shuffle(buffers.begin(), buffers.end(), random);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (i == 3) {
      OK(cuDestroyExternalMemory(memory));
    }
    OK(cuMemFree(buffers[i].address));
    for (size_t j = 0; j < buffers.size(); ++j) {
      char byte = 0;
      const CUresult answer = cuMemcpyDtoH(&byte, buffers[j].address, 1);
      if (j <= i) {
        EXPECT_EQ(answer, CUDA_ERROR_INVALID_VALUE);
      } else {
        EXPECT_EQ(answer, CUDA_SUCCESS);
        EXPECT_EQ(byte, model[buffers[j].offset]);
      }
    }
  }
}

TEST(cuExternalMemoryGetMappedBuffer, IsFreedOnceAndFromItsBeginning) {
  const Scene scene;
  SharedSegment segment(65536);
  const CUexternalMemory memory = import(segment.duplicate(), 65536);
  const CUdeviceptr buffer = map(memory, 0, 65536);
  EXPECT_EQ(cuMemFree(buffer + 256), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(buffer));
  EXPECT_EQ(cuMemFree(buffer), CUDA_ERROR_INVALID_VALUE);
  OK(cuDestroyExternalMemory(memory));
}

TEST(cuExternalMemoryGetMappedBuffer, FreedWithWorkPendingEndsTheWorkFirst) {
  const Scene scene;
  SharedSegment segment(65536);
  const CUexternalMemory memory = import(segment.duplicate(), 65536);
  const CUdeviceptr buffer = map(memory, 0, 65536);
  const CUstream stream = new_stream();
  Gate gate(stream);
  OK(cuMemsetD8Async(buffer, 0x42, 65536, stream));
  OK(cuDestroyExternalMemory(memory));
  std::thread opener([&] {
    let_things_happen();
    gate.open();
  });
  OK(cuMemFree(buffer));
  opener.join();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(segment.bytes()[65535], 0x42);
}

TEST(cuDestroyExternalMemory, RefusesWhatIsNoneOfOurs) {
  const Scene scene;
  SharedSegment segment(65536);
  const CUexternalMemory memory = import(segment.duplicate(), 65536);
  const CUdeviceptr buffer = map(memory, 0, 4096);
  OK(cuDestroyExternalMemory(memory));
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(try_map(memory, 0, 4096).first, CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuDestroyExternalMemory(nullptr), CUDA_ERROR_INVALID_VALUE);
  const CUevent event = new_event();
  for (const uintptr_t number :
       {uintptr_t{1}, uintptr_t{0x123456789a0}, ~uintptr_t{0},
        reinterpret_cast<uintptr_t>(&segment), reinterpret_cast<uintptr_t>(event),
        static_cast<uintptr_t>(buffer)}) {
    const auto foreign = reinterpret_cast<CUexternalMemory>(number);
    EXPECT_EQ(cuDestroyExternalMemory(foreign), CUDA_ERROR_INVALID_HANDLE) << number;
    EXPECT_EQ(try_map(foreign, 0, 4096).first, CUDA_ERROR_INVALID_HANDLE) << number;
  }
  OK(cuMemFree(buffer));
}

TEST(cuDestroyExternalMemory, LeavesNoDescriptorBehind) {
  const Scene scene;
  SharedSegment segment(65536);
  const auto open_files = [] {
    int count = 0;
    for (int fd = 0; fd < 2000; ++fd) count += is_open(fd);
    return count;
  };
  OK(cuDestroyExternalMemory(import(segment.duplicate(), 65536)));
  const int before = open_files();
  for (int i = 0; i < 200; ++i) {
    const CUexternalMemory memory = import(segment.duplicate(), 65536);
    const CUdeviceptr buffer = map(memory, 0, 65536);
    if (i % 2) {
      OK(cuDestroyExternalMemory(memory));
    }
    OK(cuMemFree(buffer));
    if (i % 2 == 0) {
      OK(cuDestroyExternalMemory(memory));
    }
  }
  EXPECT_EQ(open_files(), before);
}

}  // namespace
