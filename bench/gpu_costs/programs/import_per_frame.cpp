// SPDX-License-Identifier: Apache-2.0
// Memory that another part of the program shares is imported, mapped, filled and given back in
// each frame.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUstream stream = nullptr;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  for (const size_t size : {size_t{6} << 20, size_t{40} << 20, size_t{130} << 20}) {
    CUmemGenericAllocationHandle memory = 0;
    TIMED(cuMemCreate, &memory, size, &properties, 0ull);
    for (int frame = 0; frame < 30; ++frame) {
      int fd = -1;
      TIMED(cuMemExportToShareableHandle, &fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            0ull);
      CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
      handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
      handle.handle.fd = fd;
      handle.size = size;
      CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole{};
      whole.size = size;
      CUexternalMemory imported = nullptr;
      CUdeviceptr address = 0;
      TIMED(cuImportExternalMemory, &imported, &handle);
      TIMED(cuExternalMemoryGetMappedBuffer, &address, imported, &whole);
      TIMED(cuMemsetD32Async, address, 1u, size_t{1024}, stream);
      TIMED(cuStreamSynchronize, stream);
      TIMED(cuMemFree, address);
      TIMED(cuDestroyExternalMemory, imported);
    }
    TIMED(cuMemRelease, memory);
  }
  TIMED(cuStreamDestroy, stream);
}
