// SPDX-License-Identifier: Apache-2.0
// A shared segment as another process or library would make it, and the calls to import and map it.
#pragma once

#include <cuda.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

#include "tests/api/driver/gate.hpp"

inline bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// Maps a file's bytes into this process in the ordinary way.
class View {
 public:
  View(int fd, size_t size) : size_(size) {
    void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT_NE(address, MAP_FAILED);
    bytes_ = static_cast<char*>(address);
  }
  ~View() { munmap(bytes_, size_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  char* bytes() const { return bytes_; }

 private:
  char* bytes_;
  const size_t size_;
};

// A memfd; `flags` as for memfd_create().
class SharedSegment {
 public:
  explicit SharedSegment(size_t size, unsigned flags = MFD_ALLOW_SEALING)
      : fd_(make(size, flags)), view_(fd_, size) {}
  ~SharedSegment() { close(fd_); }

  int fd() const { return fd_; }
  // For an import, which takes ownership of the descriptor.
  int duplicate() const { return dup(fd_); }
  char* bytes() const { return view_.bytes(); }

 private:
  static int make(size_t size, unsigned flags) {
    const int fd = memfd_create("cuvette-test", flags);
    EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
    return fd;
  }
  const int fd_;
  const View view_;
};

inline CUDA_EXTERNAL_MEMORY_HANDLE_DESC describe(int fd, size_t size) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = fd;
  description.size = size;
  return description;
}

// Imports `fd`, which then belongs to the driver.
inline CUexternalMemory import(int fd, size_t size) {
  CUexternalMemory memory = nullptr;
  const auto description = describe(fd, size);
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_SUCCESS);
  return memory;
}

inline std::pair<CUresult, CUdeviceptr> try_map(CUexternalMemory memory, unsigned long long offset,
                                                unsigned long long size) {
  CUdeviceptr buffer = 0;
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
  description.offset = offset;
  description.size = size;
  const CUresult result = cuExternalMemoryGetMappedBuffer(&buffer, memory, &description);
  return {result, buffer};
}

inline CUdeviceptr map(CUexternalMemory memory, unsigned long long offset,
                       unsigned long long size) {
  const auto [result, buffer] = try_map(memory, offset, size);
  EXPECT_EQ(result, CUDA_SUCCESS);
  return buffer;
}
