// SPDX-License-Identifier: Apache-2.0
// Imports memory of three kinds as external memory of CUDA, and maps it: a memfd, a shared-memory
// object of Boost.Interprocess, and an allocation of cuMemCreate. docs/external_memory.md explains
// each step.
//
// NVIDIA's driver imports the third kind only: there the other two are left out
// (CUVETTE_BACKEND=libcuda).
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#include "examples/need.hpp"

#if !CUVETTE_BACKEND_LIBCUDA
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/interprocess/mapped_region.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <string>
#endif

namespace {

constexpr size_t size = 1 << 20;

CUexternalMemory import(int fd) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = {};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = fd;
  description.size = size;
  CUexternalMemory memory;
  NEED(cuImportExternalMemory(&memory, &description));  // from here on the descriptor is CUDA's
  return memory;
}

CUdeviceptr map(CUexternalMemory memory, size_t offset, size_t bytes) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description = {};
  description.offset = offset;
  description.size = bytes;
  CUdeviceptr buffer;
  NEED(cuExternalMemoryGetMappedBuffer(&buffer, memory, &description));
  return buffer;
}

char byte_at(CUdeviceptr address) {
  char byte;
  NEED(cuMemcpyDtoH(&byte, address, 1));
  return byte;
}

// Maps the memory twice, so that the mappings overlap, and writes to it by both addresses.
void write_by_cuda(const char* kind, int fd) {
  const CUexternalMemory memory = import(fd);
  const CUdeviceptr whole = map(memory, 0, size);
  const CUdeviceptr part = map(memory, 1000, 3000);  // any byte may be the first
  NEED(cuMemsetD8(whole, 'w', size));
  NEED(cuMemsetD8(part, 'p', 3000));
  std::printf("%s: by `whole`, bytes 999, 1000, 3999 and 4000 are %c, %c, %c and %c\n", kind,
              byte_at(whole + 999), byte_at(whole + 1000), byte_at(whole + 3999),
              byte_at(whole + 4000));
  NEED(cuMemFree(part));
  NEED(cuMemFree(whole));
  NEED(cuDestroyExternalMemory(memory));
}

#if !CUVETTE_BACKEND_LIBCUDA

void share_a_memfd() {
  const int fd = memfd_create("segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, size) != 0) std::exit(1);
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);  // its size is final
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pages == MAP_FAILED) std::exit(1);
  write_by_cuda("memfd", fd);
  std::printf("memfd: the host reads %c\n", static_cast<char*>(pages)[1000]);
  munmap(pages, size);
}

void share_with_boost() {
  namespace ipc = boost::interprocess;
  const std::string name = "external-memory-" + std::to_string(getpid());
  ipc::shared_memory_object object(ipc::create_only, name.c_str(), ipc::read_write);
  object.truncate(size);
  const ipc::mapped_region region(object, ipc::read_write);
  write_by_cuda("Boost.Interprocess", dup(object.get_mapping_handle().handle));
  std::printf("Boost.Interprocess: the host reads %c\n",
              static_cast<char*>(region.get_address())[1000]);
  ipc::shared_memory_object::remove(name.c_str());
}

#endif

void share_memory_of_the_device() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t granularity;
  NEED(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  const size_t whole_granules = (size + granularity - 1) / granularity * granularity;
  CUmemGenericAllocationHandle handle;
  NEED(cuMemCreate(&handle, whole_granules, &properties, 0));
  int fd;
  NEED(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  write_by_cuda("cuMemCreate", fd);
  NEED(cuMemRelease(handle));
}

}  // namespace

int main() {
  CUcontext context;
  NEED(cuInit(0));
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
#if !CUVETTE_BACKEND_LIBCUDA
  share_a_memfd();
  share_with_boost();
#endif
  share_memory_of_the_device();
  NEED(cuDevicePrimaryCtxRelease(0));
}
