// SPDX-License-Identifier: Apache-2.0
// Addresses, memory and mappings for tests of virtual memory; destructors give them back.
#pragma once

#include <cuda.h>

#include "tests/api/driver/gate.hpp"

using Handle = CUmemGenericAllocationHandle;
inline constexpr size_t granule = size_t{2} << 20;
inline constexpr auto as_fd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

inline CUmemAllocationProp pinned(CUmemLocationType location = CU_MEM_LOCATION_TYPE_DEVICE) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = location;
  properties.requestedHandleTypes = as_fd;
  return properties;
}
inline Handle created(size_t size, CUmemLocationType location = CU_MEM_LOCATION_TYPE_DEVICE) {
  Handle handle = 0;
  const CUmemAllocationProp properties = pinned(location);
  EXPECT_EQ(cuMemCreate(&handle, size, &properties, 0), CUDA_SUCCESS);
  return handle;
}
inline CUdeviceptr reserved(size_t size) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAddressReserve(&address, size, 0, 0, 0), CUDA_SUCCESS);
  return address;
}
inline CUresult set_access(CUdeviceptr at, size_t size, CUmemAccess_flags flags,
                           CUmemLocationType location = CU_MEM_LOCATION_TYPE_DEVICE) {
  const CUmemAccessDesc description{{location, 0}, flags};
  return cuMemSetAccess(at, size, &description, 1);
}
inline constexpr auto no_access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
inline constexpr auto reading = CU_MEM_ACCESS_FLAGS_PROT_READ;
inline constexpr auto writing = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

// Memory mapped at an address range of its own.
class Mapped {
 public:
  explicit Mapped(Handle handle, size_t size, CUmemAccess_flags flags = writing)
      : address(reserved(size)), size_(size) {
    EXPECT_EQ(cuMemMap(address, size, 0, handle, 0), CUDA_SUCCESS);
    if (flags != no_access) {
      EXPECT_EQ(set_access(address, size, flags), CUDA_SUCCESS);
    }
  }
  ~Mapped() {
    EXPECT_EQ(cuMemUnmap(address, size_), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressFree(address, size_), CUDA_SUCCESS);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  const CUdeviceptr address;

 private:
  const size_t size_;
};

inline int byte_at(CUdeviceptr address) {
  unsigned char byte = 0;
  const CUresult result = cuMemcpyDtoH(&byte, address, 1);
  return result == CUDA_SUCCESS ? byte : -static_cast<int>(result);
}
