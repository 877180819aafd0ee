// SPDX-License-Identifier: Apache-2.0
// A table that grows: addresses are reserved once, and memory is mapped behind them piece by piece.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  constexpr size_t piece = size_t{8} << 20;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (int round = 0; round < 5; ++round) {
    CUdeviceptr address = 0;
    CUmemGenericAllocationHandle memory[12];
    TIMED(cuMemAddressReserve, &address, 12 * piece, size_t{0}, CUdeviceptr{0}, 0ull);
    for (size_t i = 0; i < 12; ++i) {
      TIMED(cuMemCreate, &memory[i], piece, &properties, 0ull);
      TIMED(cuMemMap, address + i * piece, piece, size_t{0}, memory[i], 0ull);
      TIMED(cuMemSetAccess, address + i * piece, piece, &access, size_t{1});
      TIMED(cuMemsetD32Async, address + i * piece, 0u, piece / 4, nullptr);
      TIMED(cuCtxSynchronize);
    }
    for (size_t i = 0; i < 12; ++i) {
      TIMED(cuMemUnmap, address + i * piece, piece);
      TIMED(cuMemRelease, memory[i]);
    }
    TIMED(cuMemAddressFree, address, 12 * piece);
  }
}
