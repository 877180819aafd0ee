// SPDX-License-Identifier: Apache-2.0
// ExportedMemory: memory whose file descriptors can be given to another process and imported there.
//
// With Cuvette it is plain shared memory: a memfd, which this process reads and writes through an
// ordinary pointer and without CUDA. NVIDIA's driver does not import foreign memory, so with
// CUVETTE_BACKEND=libcuda it is an allocation of cuMemCreate, reached through CUDA.
#pragma once

#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "examples/need.hpp"

#if CUVETTE_BACKEND_LIBCUDA

class ExportedMemory {
 public:
  static constexpr const char* kind = "an allocation of cuMemCreate";

  explicit ExportedMemory(size_t size) {
    CUcontext context;
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    CUmemAllocationProp properties;
    std::memset(&properties, 0, sizeof properties);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    size_t granularity;
    NEED(
        cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    size_ = (size + granularity - 1) / granularity * granularity;
    NEED(cuMemCreate(&handle_, size_, &properties, 0));
    NEED(cuMemAddressReserve(&address_, size_, 0, 0, 0));
    NEED(cuMemMap(address_, size_, 0, handle_, 0));
    CUmemAccessDesc access;
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    NEED(cuMemSetAccess(address_, size_, &access, 1));
  }
  ~ExportedMemory() {
    cuMemUnmap(address_, size_);
    cuMemAddressFree(address_, size_);
    cuMemRelease(handle_);
  }
  ExportedMemory(const ExportedMemory&) = delete;
  ExportedMemory& operator=(const ExportedMemory&) = delete;

  int fd() const {
    int fd = -1;
    NEED(cuMemExportToShareableHandle(&fd, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    return fd;
  }
  size_t size() const { return size_; }
  void write(size_t offset, const void* bytes, size_t size) {
    NEED(cuMemcpyHtoD(address_ + offset, bytes, size));
  }
  void read(size_t offset, void* bytes, size_t size) const {
    NEED(cuMemcpyDtoH(bytes, address_ + offset, size));
  }

 private:
  size_t size_;
  CUmemGenericAllocationHandle handle_;
  CUdeviceptr address_;
};

#else

class ExportedMemory {
 public:
  static constexpr const char* kind = "plain shared memory (a memfd)";

  explicit ExportedMemory(size_t size)
      : size_(size), fd_(memfd_create("exported", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(size)) != 0) std::exit(1);
    void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (pages == MAP_FAILED) std::exit(1);
    data_ = static_cast<char*>(pages);
  }
  ~ExportedMemory() {
    munmap(data_, size_);
    close(fd_);
  }
  ExportedMemory(const ExportedMemory&) = delete;
  ExportedMemory& operator=(const ExportedMemory&) = delete;

  // Returns a descriptor to give away.
  int fd() const { return dup(fd_); }
  size_t size() const { return size_; }
  void write(size_t offset, const void* bytes, size_t size) {
    std::memcpy(data_ + offset, bytes, size);
  }
  void read(size_t offset, void* bytes, size_t size) const {
    std::memcpy(bytes, data_ + offset, size);
  }

 private:
  size_t size_;
  int fd_;
  char* data_;
};

#endif
