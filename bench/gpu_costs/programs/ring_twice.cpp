// SPDX-License-Identifier: Apache-2.0
// Ring buffers: the same memory is mapped twice, one behind the other, so that a message that wraps
// around is in one piece.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  size_t granularity = 0;
  TIMED(cuMemGetAllocationGranularity, &granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  CUstream stream = nullptr;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  for (const size_t size : {size_t{2} << 20, size_t{6} << 20, size_t{20} << 20, size_t{50} << 20})
    for (int ring = 0; ring < 6; ++ring) {
      CUdeviceptr address = 0;
      CUmemGenericAllocationHandle memory = 0;
      TIMED(cuMemAddressReserve, &address, 2 * size, size_t{0}, CUdeviceptr{0}, 0ull);
      TIMED(cuMemCreate, &memory, size, &properties, 0ull);
      TIMED(cuMemMap, address, size, size_t{0}, memory, 0ull);
      TIMED(cuMemMap, address + size, size, size_t{0}, memory, 0ull);
      TIMED(cuMemSetAccess, address, 2 * size, &access, size_t{1});
      TIMED(cuMemRelease, memory);
      for (int i = 0; i < 10; ++i) scene.launch(address + size - 64, stream);
      TIMED(cuStreamSynchronize, stream);
      TIMED(cuMemUnmap, address, 2 * size);
      TIMED(cuMemAddressFree, address, 2 * size);
    }
  TIMED(cuStreamDestroy, stream);
}
