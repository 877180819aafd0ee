// SPDX-License-Identifier: Apache-2.0
// Physical memory of device 0, which may be mapped more than once: the same bytes at several
// addresses.
#pragma once

#include <cuda.h>

#include <vector>

#include "tests/need.hpp"

class PhysicalMemory {
 public:
  PhysicalMemory() {
    properties_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties_.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties_.location.id = 0;
    NEED(cuMemGetAllocationGranularity(&bytes_, &properties_, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    NEED(cuMemCreate(&handle_, bytes_, &properties_, 0));
  }
  ~PhysicalMemory() {
    for (const CUdeviceptr address : addresses_) {
      NEED(cuMemUnmap(address, bytes_));
      NEED(cuMemAddressFree(address, bytes_));
    }
    NEED(cuMemRelease(handle_));
  }
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  size_t bytes() const { return bytes_; }
  CUdeviceptr map() {
    CUdeviceptr address = 0;
    NEED(cuMemAddressReserve(&address, bytes_, 0, 0, 0));
    NEED(cuMemMap(address, bytes_, 0, handle_, 0));
    const CUmemAccessDesc access{properties_.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    NEED(cuMemSetAccess(address, bytes_, &access, 1));
    addresses_.push_back(address);
    return address;
  }

 private:
  CUmemAllocationProp properties_{};
  size_t bytes_ = 0;
  CUmemGenericAllocationHandle handle_ = 0;
  std::vector<CUdeviceptr> addresses_;
};
