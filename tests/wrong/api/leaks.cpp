// SPDX-License-Identifier: Apache-2.0
// Programs that do not free what they have allocated.
#include <sys/mman.h>
#include <unistd.h>

#include "tests/wrong/api/api.hpp"

void leaks_device_memory(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  NEED(MISTAKE(cuMemAlloc(&memory, size)));
  NEED(cuMemsetD8(memory, 1, size));
  if (twin == Twin::repaired) NEED(cuMemFree(memory));
}

void leaks_until_the_context_ends(Twin twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuCtxCreate_v4(&context, nullptr, 0, 0));
  CUdeviceptr memory = 0;
  NEED(MISTAKE(cuMemAlloc(&memory, size)));
  if (twin == Twin::repaired) NEED(cuMemFree(memory));
  NEED(cuCtxDestroy(context));
}

void leaks_until_the_device_is_reset(Twin twin) {
  {
    const Program program;
    CUdeviceptr memory = 0;
    NEED(MISTAKE(cuMemAlloc(&memory, size)));
    if (twin == Twin::repaired) NEED(cuMemFree(memory));
  }
  NEED(cuDevicePrimaryCtxReset(0));
}

void leaks_in_a_loop(Twin twin) {
  const Program program;
  printf("%s:%d\n", __FILE__, __LINE__ + 3);
  for (int frame = 0; frame < 10; ++frame) {
    CUdeviceptr memory = 0;
    NEED(cuMemAlloc(&memory, size));
    if (twin == Twin::repaired || frame % 2 == 0) NEED(cuMemFree(memory));
  }
}

void leaks_pinned_memory(Twin twin) {
  const Program program;
  void* memory = nullptr;
  NEED(MISTAKE(cuMemAllocHost(&memory, size)));
  if (twin == Twin::repaired) NEED(cuMemFreeHost(memory));
}

void leaks_managed_memory(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  NEED(MISTAKE(cuMemAllocManaged(&memory, size, CU_MEM_ATTACH_GLOBAL)));
  if (twin == Twin::repaired) NEED(cuMemFree(memory));
}

void leaks_an_array(Twin twin) {
  const Program program;
  const CUDA_ARRAY_DESCRIPTOR descriptor = {16, 16, CU_AD_FORMAT_FLOAT, 1};
  CUarray array = nullptr;
  NEED(MISTAKE(cuArrayCreate(&array, &descriptor)));
  if (twin == Twin::repaired) NEED(cuArrayDestroy(array));
}

void leaks_a_mipmapped_array(Twin twin) {
  const Program program;
  const CUDA_ARRAY3D_DESCRIPTOR descriptor = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray array = nullptr;
  NEED(MISTAKE(cuMipmappedArrayCreate(&array, &descriptor, 2)));
  if (twin == Twin::repaired) NEED(cuMipmappedArrayDestroy(array));
}

void leaks_memory_of_a_pool(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  NEED(MISTAKE(cuMemAllocAsync(&memory, size, nullptr)));
  if (twin == Twin::repaired) NEED(cuMemFreeAsync(memory, nullptr));
}

void leaks_physical_memory(Twin twin) {
  const Program program;
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemGenericAllocationHandle memory = 0;
  NEED(MISTAKE(cuMemCreate(&memory, Aliases::granule, &prop, 0)));
  if (twin == Twin::repaired) NEED(cuMemRelease(memory));
}

void leaks_reserved_addresses(Twin twin) {
  const Program program;
  CUdeviceptr at = 0;
  NEED(MISTAKE(cuMemAddressReserve(&at, Aliases::granule, 0, 0, 0)));
  if (twin == Twin::repaired) NEED(cuMemAddressFree(at, Aliases::granule));
}

namespace {

CUDA_EXTERNAL_MEMORY_HANDLE_DESC exported() {
  const int fd = memfd_create("exported", MFD_CLOEXEC);
  NEED(ftruncate(fd, 65536));
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = {};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = fd;
  description.size = 65536;
  return description;
}

}  // namespace

void leaks_an_imported_object(Twin twin) {
  const Program program;
  const CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = exported();
  CUexternalMemory memory = nullptr;
  NEED(MISTAKE(cuImportExternalMemory(&memory, &description)));
  if (twin == Twin::repaired) NEED(cuDestroyExternalMemory(memory));
}

void leaks_an_imported_buffer(Twin twin) {
  const Program program;
  const CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = exported();
  CUexternalMemory memory = nullptr;
  NEED(cuImportExternalMemory(&memory, &description));
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {};
  part.size = 4096;
  CUdeviceptr buffer = 0;
  NEED(MISTAKE(cuExternalMemoryGetMappedBuffer(&buffer, memory, &part)));
  if (twin == Twin::repaired) NEED(cuMemFree(buffer));
  NEED(cuDestroyExternalMemory(memory));
}

namespace {
// Frees what it has at the end of the process, when the driver is down. No program can do more.
struct Owner {
  CUdeviceptr memory = 0;
  ~Owner() {
    if (memory && cuMemFree(memory) != CUDA_ERROR_DEINITIALIZED) _Exit(4);
  }
};
Owner owner;
}  // namespace

void leaves_memory_to_a_static_object(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  NEED(MISTAKE(cuMemAlloc(&memory, size)));
  if (twin == Twin::repaired) owner.memory = memory;
}
