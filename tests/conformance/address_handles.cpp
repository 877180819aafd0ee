// SPDX-License-Identifier: Apache-2.0
// cuMemGetHandleForAddressRange: descriptors of device memory, for other drivers.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "scene.hpp"

namespace {

constexpr auto dma_buf = CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;

// Asks for a descriptor and gives it back; answers what the call has returned.
void ask(const char* question, CUdeviceptr address, size_t size,
         CUmemRangeHandleType type = dma_buf, unsigned long long flags = 0) {
  int fd = -7;
  const CUresult result = cuMemGetHandleForAddressRange(&fd, address, size, type, flags);
  conformance::answer(question, result);
  if (result == CUDA_SUCCESS)
    close(fd);
  else
    conformance::answer((std::string(question) + ": descriptor").c_str(), fd);
}

}  // namespace

CASE(handles_attributes) {
  scene();
  int value = -1;
  ASK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, dev));
  ASK(value);
  value = -1;
  ASK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED, dev));
  ASK(value);
}

CASE(handles_arguments) {
  scene();
  constexpr size_t size = 4 << 20;
  CUdeviceptr memory = 0;
  PREPARE(cuMemAlloc(&memory, size));
  ask("whole", memory, size);
  ASK(cuMemGetHandleForAddressRange(nullptr, memory, size, dma_buf, 0));
  ask("a page", memory, 4096);
  ask("a page inside", memory + 8192, 4096);
  ask("64 KiB inside", memory + 65536, 65536);
  ask("odd address", memory + 1, 4096);
  ask("address of a sector", memory + 512, 4096);
  ask("odd size", memory, 4097);
  ask("no bytes", memory, 0);
  ask("null", 0, 4096);
  ask("past the end", memory, size + 4096);
  ask("behind the end", memory + size, 4096);
  ask("no type", memory, size, static_cast<CUmemRangeHandleType>(0));
  ask("type 2", memory, size, static_cast<CUmemRangeHandleType>(2));
  ask("flag 1", memory, size, dma_buf, 1);
  ask("flag 2", memory, size, dma_buf, 2);
  ask("flags 3", memory, size, dma_buf, 3);
  PREPARE(cuMemFree(memory));
  ask("freed", memory, size);
}

CASE(handles_kinds_of_memory) {
  scene();
  constexpr size_t size = 4 << 20;
  void* pinned = nullptr;
  PREPARE(cuMemAllocHost(&pinned, size));
  ask("pinned", reinterpret_cast<CUdeviceptr>(pinned), size);
  CUdeviceptr managed = 0, pooled = 0, reserved = 0;
  PREPARE(cuMemAllocManaged(&managed, size, CU_MEM_ATTACH_GLOBAL));
  ask("managed", managed, size);
  PREPARE(cuMemAllocAsync(&pooled, size, nullptr));
  PREPARE(cuStreamSynchronize(nullptr));
  ask("of a pool", pooled, size);
  void* const host =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ask("the host's", reinterpret_cast<CUdeviceptr>(host), size);
  PREPARE(cuMemHostRegister(host, size, 0));
  ask("registered", reinterpret_cast<CUdeviceptr>(host), size);
  for (const auto type : {CU_MEM_HANDLE_TYPE_NONE, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR}) {
    CUmemAllocationProp properties;
    memset(&properties, 0, sizeof properties);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    properties.requestedHandleTypes = type;
    CUmemGenericAllocationHandle handle = 0;
    PREPARE(cuMemCreate(&handle, size, &properties, 0));
    PREPARE(cuMemAddressReserve(&reserved, 2 * size, 0, 0, 0));
    ask("reserved", reserved, size);
    PREPARE(cuMemMap(reserved, size, 0, handle, 0));
    ask("mapped, without access", reserved, size);
    CUmemAccessDesc access;
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    PREPARE(cuMemSetAccess(reserved, size, &access, 1));
    ask("mapped", reserved, size);
    ask("a part", reserved + (2 << 20), 2 << 20);
    ask("half mapped", reserved, 2 * size);
    PREPARE(cuMemMap(reserved + size, size, 0, handle, 0));
    PREPARE(cuMemSetAccess(reserved + size, size, &access, 1));
    ask("mapped twice", reserved, 2 * size);
  }
}

CASE(handles_are_descriptors) {
  scene();
  constexpr size_t size = 4 << 20;
  CUdeviceptr memory = 0;
  PREPARE(cuMemAlloc(&memory, size));
  int fd = -1, again = -1;
  PREPARE(cuMemGetHandleForAddressRange(&fd, memory + 65536, 65536, dma_buf, 0));
  PREPARE(cuMemGetHandleForAddressRange(&again, memory + 65536, 65536, dma_buf, 0));
  ASK(fd == again);
  ASK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  ASK((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
  ASK(static_cast<long long>(lseek(fd, 0, SEEK_END)));
  PREPARE(cuMemFree(memory));
  ASK(close(fd));
  ASK(close(again));
}

CASE(handles_without_context) {
  PREPARE(cuInit(0));
  int fd = -1;
  ASK(cuMemGetHandleForAddressRange(&fd, 4096, 4096, dma_buf, 0));
}

int main(int count, char** names) { return conformance::run(count, names); }
