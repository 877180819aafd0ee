// SPDX-License-Identifier: Apache-2.0
// Virtual memory management at the limits: what can be created and reserved, and what copies and
// fills may do without access.
#include "harness.hpp"

namespace {

constexpr size_t granule = size_t{2} << 20;
CUcontext context;
CUmemGenericAllocationHandle handle, other;
CUmemAllocationProp properties;
CUdeviceptr v, w;
char host[64];

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
}
CUresult create(size_t size) { return cuMemCreate(&handle, size, &properties, 0); }
CUresult reserve(CUdeviceptr* at, size_t size, size_t alignment, CUdeviceptr wish) {
  return cuMemAddressReserve(at, size, alignment, wish, 0);
}
CUresult access(CUdeviceptr at, size_t size, CUmemAccess_flags flags) {
  const CUmemAccessDesc description{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
  return cuMemSetAccess(at, size, &description, 1);
}
CUdeviceptr mapped(CUmemAccess_flags flags) {
  CUdeviceptr at = 0;
  PREPARE(create(2 * granule));
  PREPARE(reserve(&at, 4 * granule, 0, 0));
  PREPARE(cuMemMap(at, 2 * granule, 0, handle, 0));
  PREPARE(access(at, 2 * granule, flags));
  return at;
}
void ask_without_the_right_to_write(CUmemAccess_flags flags) {
  start();
  w = mapped(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  v = mapped(flags);
  ASK(cuMemsetD8(v, 1, 9));
  ASK(cuCtxSynchronize());
  ASK(cuMemcpyHtoD(v, host, 9));
  ASK(cuCtxSynchronize());
  ASK(cuMemcpyDtoD(v, w, 9));
  ASK(cuCtxSynchronize());
  ASK(cuMemcpyDtoD(w, v, 9));
  ASK(cuCtxSynchronize());
}

CASE(vmm_locations) {
  start();
  for (int type = 0; type < 5; ++type) {
    properties.location.type = static_cast<CUmemLocationType>(type);
    size_t size = 0;
    ASK(cuMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASK(size);
    ASK(create(granule));
  }
}

CASE(vmm_handle_types) {
  start();
  for (int types = 0; types < 16; ++types) {
    properties.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(types);
    ASK(create(granule));
  }
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  ASK(create(granule << 25));
}

CASE(vmm_reservations) {
  start();
  ASK(reserve(&v, granule + 4096, 0, 0));
  ASK(reserve(&v, granule, 3, 0));
  ASK(reserve(&v, granule, granule * 8, 0));
  ASK(v % (granule * 8));
  ASK(reserve(&w, granule, 0, v));
  ASK(reserve(&v, 4 * granule, 0, 0));
  ASK(cuMemAddressFree(v, granule));
  ASK(cuMemAddressFree(v, 4 * granule));
  PREPARE(cuMemAlloc(&v, granule));
  ASK(cuMemAddressFree(v, granule));
  ASK(cuMemUnmap(v, granule));
  ASK(access(v, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
}

CASE(vmm_no_rights) { ask_without_the_right_to_write(CU_MEM_ACCESS_FLAGS_PROT_NONE); }
CASE(vmm_read_only) { ask_without_the_right_to_write(CU_MEM_ACCESS_FLAGS_PROT_READ); }

CASE(vmm_retained) {
  start();
  v = mapped(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  ASK(cuMemRetainAllocationHandle(&other, reinterpret_cast<void*>(v + 9)));
  ASK(other == handle);
  ASK(cuMemRetainAllocationHandle(&other, reinterpret_cast<void*>(v + 2 * granule)));
  ASK(cuMemRelease(handle));
  ASK(cuMemRelease(handle));
}

CASE(vmm_address_wish) {
  start();
  CUdeviceptr at = 0;
  PREPARE(reserve(&v, 16 * granule, 0, 0));
  PREPARE(cuMemAddressFree(v, 16 * granule));
  ASK(reserve(&w, 2 * granule, 0, v + 4 * granule));
  ASK(w == v + 4 * granule);
  ASK(reserve(&at, granule, 0, w + granule));  // these addresses are taken
  ASK(at == w + granule);
  ASK(reserve(&at, 4 * granule, 0, w - granule));  // some of these are taken
  ASK(at == w - granule);
  ASK(reserve(&at, granule, 0, v + 9 * granule + 4096));
  ASK(reserve(&at, granule, 4 * granule, granule));
  ASK(reserve(&at, granule, 0, granule));
  ASK(at == granule);
  ASK(reserve(&at, granule, 0, ~CUdeviceptr{0} - granule + 1));
  ASK(reserve(&at, granule, 0, CUdeviceptr{1} << 60));
}

CASE(vmm_descriptor_of_a_range) {
  start();
  int supported = 0, fd = -1;
  PREPARE(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, 0));
  ASK(supported);
  PREPARE(cuMemAlloc(&v, granule));
  ASK(cuMemGetHandleForAddressRange(&fd, v, granule, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
