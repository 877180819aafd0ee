// SPDX-License-Identifier: Apache-2.0
// Many pieces of memory are exported and imported once, and then used for the whole run.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  constexpr int count = 20;
  constexpr size_t size = size_t{10} << 20;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle memory[count] = {};
  CUexternalMemory imported[count] = {};
  CUdeviceptr windows[count] = {};
  for (int i = 0; i < count; ++i) {
    int fd = -1;
    TIMED(cuMemCreate, &memory[i], size, &properties, 0ull);
    TIMED(cuMemExportToShareableHandle, &fd, memory[i], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
          0ull);
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = fd;
    handle.size = size;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole{};
    whole.size = size;
    TIMED(cuImportExternalMemory, &imported[i], &handle);
    TIMED(cuExternalMemoryGetMappedBuffer, &windows[i], imported[i], &whole);
  }
  for (int frame = 0; frame < 30; ++frame) {
    for (const CUdeviceptr window : windows) scene.launch(window, nullptr);
    TIMED(cuCtxSynchronize);
  }
  for (int i = 0; i < count; ++i) {
    TIMED(cuMemFree, windows[i]);
    TIMED(cuDestroyExternalMemory, imported[i]);
    TIMED(cuMemRelease, memory[i]);
  }
}
