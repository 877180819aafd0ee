// SPDX-License-Identifier: Apache-2.0
// One import; a window into it is mapped and freed around each use.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  constexpr size_t size = size_t{96} << 20, window = size_t{12} << 20;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle memory = 0;
  TIMED(cuMemCreate, &memory, size, &properties, 0ull);
  int fd = -1;
  TIMED(cuMemExportToShareableHandle, &fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0ull);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
  handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  handle.handle.fd = fd;
  handle.size = size;
  CUexternalMemory imported = nullptr;
  TIMED(cuImportExternalMemory, &imported, &handle);
  for (int frame = 0; frame < 100; ++frame) {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part{};
    part.offset = window * static_cast<size_t>(frame % 8);
    part.size = window;
    CUdeviceptr address = 0;
    TIMED(cuExternalMemoryGetMappedBuffer, &address, imported, &part);
    scene.launch(address, nullptr);
    TIMED(cuMemFree, address);
  }
  TIMED(cuDestroyExternalMemory, imported);
  TIMED(cuMemRelease, memory);
}
